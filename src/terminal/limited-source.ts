import type { Clock, Source } from '../context.ts';
import { inputTimeOver } from '../files/read.ts';

/** What a run knows of time. */
interface Surroundings {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The end of the run is the end of reading too. */
  readonly signal: AbortSignal;
}

/** A source for which a time limit can be set, from now. It ends the reading of all input, be it from here or from files. */
export function limitedSource(source: Source, { clock, signal }: Surroundings): Source {
  const began = clock.monotonic();
  let timeout: number | undefined;
  let ends: AbortSignal | undefined;
  return {
    get isTerminal() {
      return source.isTerminal;
    },
    get spent() {
      return source.spent;
    },
    // A command that reads nothing starts no timer.
    get ends() {
      if (timeout !== undefined) ends ??= endAt(began + timeout - clock.monotonic(), signal);
      return ends;
    },
    limit(timeoutMs) {
      timeout = timeoutMs;
    },
    read(maxBytes) {
      return source.read(maxBytes, this.ends);
    },
  };
}

function endAt(ms: number, signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  // What is read keeps the process alive itself.
  setTimeout(() => over.abort(inputTimeOver()), Math.max(0, ms)).unref();
  const follow = () => over.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return over.signal;
}

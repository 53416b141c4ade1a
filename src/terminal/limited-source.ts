import type { Clock, Source } from '../context.ts';
import { inputTimeOver } from '../files/read.ts';

/** How long input may be waited for. */
interface Limit {
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Of the run: its end is the end of reading too. */
  readonly signal: AbortSignal;
}

/** A source, and with it all other input, that is waited for no longer than so many milliseconds from now. */
export function limitedSource(source: Source, { timeoutMs, clock, signal }: Limit): Source {
  const deadline = clock.now() + timeoutMs;
  let ends: AbortSignal | undefined;
  return {
    isTerminal: source.isTerminal,
    get spent() {
      return source.spent;
    },
    // A command that reads nothing starts no timer.
    get ends() {
      ends ??= endAt(deadline - clock.now(), signal);
      return ends;
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

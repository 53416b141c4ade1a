import { setMaxListeners } from 'node:events';
import type { Clock, Ending } from '../cli/ports.ts';

/** The time that one operation has, retries included. */
export interface Budget {
  /** Aborted when the time is over or the run is interrupted. */
  readonly signal: Ending;
  readonly expired: boolean;
  /** Whether there is time left after waiting this long. */
  allows(delayMs: number): boolean;
  /**
   * Starts the operation's own time: before, only the time limit of the command runs.
   *
   * @param latest when the operation must be over, as it was seen when the budget was opened.
   */
  begin(latest: number | undefined): void;
  close(): void;
}

/** Time for one operation, settling included, when the command has no time limit of its own. */
export const OPERATION_MS = 120_000;

/**
 * Opens the time for one operation.
 *
 * @param from its `deadline`: when the whole command must be over, on the clock that is never set.
 * @param operationMs the time of an operation for which neither the command nor the operation sets an end.
 */
export function openBudget(
  from: { readonly clock: Clock; readonly signal: Ending; readonly deadline: number | undefined },
  operationMs: number,
): Budget {
  const { clock, signal, deadline } = from;
  const opened = clock.monotonic();
  const over = createEnding();
  let expired = false;
  let end = deadline;
  let handle: NodeJS.Timeout | undefined;
  const expire = () => {
    expired = !over.aborted;
    over.end(new DOMException('The time is over', 'AbortError'));
  };
  const arm = () => {
    clearTimeout(handle);
    if (end !== undefined) handle = setTimeout(expire, Math.max(0, end - clock.monotonic()));
  };
  const follow = () => over.end(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow);
  arm();
  return {
    signal: over,
    get expired() {
      return expired;
    },
    allows: (delayMs) => clock.monotonic() + delayMs < (end ?? clock.monotonic() + operationMs),
    begin(latest) {
      const waited = clock.monotonic() - opened;
      const ends = [deadline, latest && latest + waited].filter((each) => each !== undefined);
      end = ends.length === 0 ? clock.monotonic() + operationMs : Math.min(...ends);
      arm();
    },
    close() {
      clearTimeout(handle);
      signal.removeEventListener('abort', follow);
    },
  };
}

/** An ending that its owner brings about. */
interface OwnEnding extends Ending {
  /** Tells all who listen; a second time tells nobody. */
  end(reason: unknown): void;
}

/** Makes an ending that nobody has brought about yet. */
export function createEnding(): OwnEnding {
  return new Unended();
}

/** A class, because two are made for each request: functions of its own would be ten objects more. */
class Unended implements OwnEnding {
  aborted = false;
  reason: unknown;
  private readonly listeners: (() => void)[] = [];

  end(why: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = why;
    // One by one: whoever is told may take away others, who are not told then.
    for (let next = this.listeners.shift(); next !== undefined; next = this.listeners.shift()) next();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.listeners.indexOf(listener);
    if (at !== -1) this.listeners.splice(at, 1);
  }
}

/** Ends as a signal does, which hears of one listener only, however many there are here: it looks through all of them. */
export function endingWith(signal: AbortSignal): Ending {
  const ending = createEnding();
  const follow = () => ending.end(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return ending;
}

/** How the way to the service hears that the run is interrupted: at once, and late for work that is sheltered. */
export interface Shelter {
  /** Aborted with the reason of the run's own signal. */
  readonly signal: AbortSignal;
  /**
   * Does work that an interruption lets come to its end, for 30 s at most.
   *
   * @throws the reason of the interruption when there was one before, and the work is not begun.
   */
  sheltered<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Ends what is still under way when nobody waits for it any more. */
  end(): void;
}

/** Milliseconds from an interruption to the end of what is sheltered. */
const GRACE_MS = 30_000;

/** Follows the signal of a run. */
export function createShelter(run: AbortSignal, graceMs = GRACE_MS): Shelter {
  const end = new AbortController();
  // As many may wait for it as there are workers: Node warns of more than ten.
  setMaxListeners(0, end.signal);
  let works = 0;
  let grace: NodeJS.Timeout | undefined;
  const finish = () => end.abort(run.reason);
  const onInterruption = () => {
    if (works === 0) finish();
    else grace = setTimeout(finish, graceMs);
  };
  if (run.aborted) finish();
  else run.addEventListener('abort', onInterruption, { once: true });
  return {
    signal: end.signal,
    end: () => end.abort(new Error('nobody waits for it any more')),
    async sheltered(work) {
      end.signal.throwIfAborted();
      works += 1;
      try {
        return await work();
      } finally {
        works -= 1;
        if (works === 0 && run.aborted) {
          clearTimeout(grace);
          finish();
        }
      }
    },
  };
}

import { setMaxListeners } from 'node:events';
import type { Clock } from '../model/ports.ts';

/** The time limit of one operation, retries included. */
export type Budget = ReturnType<typeof openBudget>;

/** Milliseconds for one operation, settling included, when the command has no time limit. */
export const OPERATION_MS = 120_000;

/**
 * Opens the budget of one operation.
 *
 * @param deadline when the whole command must be over, by `Clock.monotonic`.
 * @param operationMs the limit if neither the command nor the operation sets one.
 */
export function openBudget(
  clock: Clock,
  signal: AbortSignal,
  deadline: number | undefined,
  operationMs: number,
) {
  const opened = clock.monotonic();
  const over = new AbortController();
  let expired = false;
  let end = deadline;
  let handle: NodeJS.Timeout | undefined;
  let unfollow = () => {};
  const expire = () => {
    expired = !over.signal.aborted;
    over.abort(new DOMException('The time is over', 'AbortError'));
  };
  const arm = () => {
    clearTimeout(handle);
    if (end !== undefined) handle = setTimeout(expire, Math.max(0, end - clock.monotonic()));
  };
  const watch = () => {
    unfollow = onAbort(signal, () => over.abort(signal.reason));
    arm();
  };
  watch();
  return {
    /** Aborted when the time is over, or the run is interrupted. */
    signal: over.signal,
    get expired(): boolean {
      return expired;
    },
    /** Whether there is time left after a wait. */
    allows: (delayMs: number): boolean =>
      clock.monotonic() + delayMs < (end ?? clock.monotonic() + operationMs),
    /**
     * Starts the operation's own time; until then only the time limit of the command counts.
     *
     * @param latest when the operation must be over, as set when the budget was opened.
     */
    begin(latest: number | undefined): void {
      const waited = clock.monotonic() - opened;
      const ends = [deadline, latest && latest + waited].filter((each) => each !== undefined);
      end = ends.length === 0 ? clock.monotonic() + operationMs : Math.min(...ends);
      arm();
    },
    /** Stops the timer and the signal. */
    close(): void {
      clearTimeout(handle);
      unfollow();
    },
    /** Starts them again, with the same end. */
    reopen: watch,
  };
}

/**
 * Calls a listener when a signal is aborted, at once if it is already.
 *
 * @returns removes the listener.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
}

/** Milliseconds from an interruption to the end of sheltered work. */
const GRACE_MS = 30_000;

/** Delays an interruption of the run for sheltered work. */
export function createShelter(run: AbortSignal) {
  const end = new AbortController();
  // As many listen to it as there are workers: Node warns of more than ten.
  setMaxListeners(0, end.signal);
  let works = 0;
  let grace: NodeJS.Timeout | undefined;
  const finish = () => end.abort(run.reason);
  onAbort(run, () => {
    if (works === 0) finish();
    else grace = setTimeout(finish, GRACE_MS);
  });
  return {
    /** Aborted with the reason of the run's own signal. */
    signal: end.signal,
    /** Cancels requests whose results are not needed. */
    end: (): void => end.abort(new Error('its result is not needed any more')),
    /**
     * Does work that may finish after an interruption, within 30 s.
     *
     * @throws the reason of an earlier interruption, without starting the work.
     */
    async sheltered<Result>(work: () => Promise<Result>): Promise<Result> {
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

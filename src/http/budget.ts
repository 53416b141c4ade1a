import type { Clock } from '../context.ts';
import type { Ending } from '../transport.ts';
import { createEnding } from './ending.ts';

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

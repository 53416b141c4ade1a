import type { Clock } from '../context.ts';

/** The time that one operation has, retries included. */
export interface Budget {
  /** Aborted when the time is over or the run is interrupted. */
  readonly signal: AbortSignal;
  readonly expired: boolean;
  /** Whether there is time left after waiting this long. */
  allows(delayMs: number): boolean;
  close(): void;
}

/** Time for one operation, settling included, when the command has no time limit of its own. */
export const OPERATION_MS = 120_000;

/**
 * Opens the time for one operation.
 *
 * @param from its `deadline`: when the whole command must be over, milliseconds since the epoch.
 * @param latest when this operation must be over; 120 s from now when neither is given.
 */
export function openBudget(
  from: { readonly clock: Clock; readonly signal: AbortSignal; readonly deadline: number | undefined },
  latest: number | undefined,
): Budget {
  const limits = [from.deadline, latest].filter((limit) => limit !== undefined);
  const end = limits.length === 0 ? from.clock.now() + OPERATION_MS : Math.min(...limits);
  const timer = new AbortController();
  const handle = setTimeout(() => timer.abort(), Math.max(0, end - from.clock.now()));
  return {
    signal: AbortSignal.any([from.signal, timer.signal]),
    get expired() {
      return timer.signal.aborted && !from.signal.aborted;
    },
    allows: (delayMs) => from.clock.now() + delayMs < end,
    close: () => clearTimeout(handle),
  };
}

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

/** Time for one operation when the command has no time limit of its own. */
const OPERATION_MS = 120_000;

/**
 * Opens the time for one operation.
 *
 * @param deadline when the whole command must be over, milliseconds since the epoch.
 */
export function openBudget(from: {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly deadline: number | undefined;
}): Budget {
  const end = from.deadline ?? from.clock.now() + OPERATION_MS;
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

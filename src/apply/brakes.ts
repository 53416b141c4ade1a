import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { createBreaker } from './breaker.ts';
import type { Result } from './result.ts';

/** Why no further row of a run is begun. */
export interface Halt {
  /** What the rows that were not begun say of it. */
  readonly why: string;
  /** What the run ends with, where nothing worse happened; `undefined`: what its rows say is enough. */
  readonly error: unknown;
  /** Nothing at all may be sent any more, not even to look. */
  readonly isFinal?: boolean;
}

interface BrakesOptions {
  readonly failFast: boolean;
  /** Aborted with an `Interruption` when nothing more may be begun. */
  readonly stop: AbortSignal;
  /** When the run must be over, by the clock of `now`. */
  readonly deadline?: number | undefined;
  readonly now: () => number;
}

/** What ends a run before its last row; the first reason is the one that is told. */
export interface Brakes {
  /** @returns `undefined` while rows may be begun. */
  halt(): Halt | undefined;
  /** Why it was ended; neither the clock nor the stop is asked. */
  pulled(): Halt | undefined;
  /** Whether not even a look may follow. */
  isFinal(): boolean;
  /** A row has ended. */
  saw(result: Result): void;
  /** It was found out, after others had ended, how a row ended. */
  settled(result: Result): void;
  /** Something happened that no further request may follow. */
  pull(halt: Halt): void;
}

/** Watches what may end a run. */
export function createBrakes({ failFast, stop, deadline, now }: BrakesOptions): Brakes {
  const sharedFailure = createBreaker();
  let pulled: Halt | undefined;
  let isFinal = false;
  const pull = (halt: Halt) => {
    pulled ??= halt;
    isFinal ||= halt.isFinal === true;
  };
  const settled = ({ outcome, error }: Result) => {
    if (error === undefined || outcome === 'done' || outcome === 'not_attempted') return;
    // The row's own error tells enough.
    const why = 'The run ended with the first row that was not done (--fail-fast).';
    if (failFast) pull({ why, error: undefined });
  };
  return {
    pull,
    settled,
    pulled: () => pulled,
    isFinal: () => isFinal,
    halt() {
      if (pulled === undefined && stop.aborted) pull(interrupted(stop.reason));
      if (pulled === undefined && deadline !== undefined && now() >= deadline) pull(overdue());
      return pulled;
    },
    saw(result) {
      const { outcome, error } = result;
      const shared = sharedFailure(result);
      if (error === undefined || outcome === 'done' || outcome === 'not_attempted') return;
      if (error.exitCode === ExitCode.notLoggedIn) {
        pull({ why: 'The run ended when the service did not accept the credentials.', error });
      }
      if (shared !== undefined) {
        const why = `The run ended: ten rows in a row failed alike. ${shared.message}`;
        pull({ why, error: shared });
      }
      settled(result);
    },
  };
}

function interrupted(reason: unknown): Halt {
  // As short as the table of rows that were not begun is long.
  return { why: 'interrupted', error: reason };
}

function overdue(): Halt {
  const why = 'The time of the run was over before this row.';
  const error = new CliError('timeout', 'The time of the run was over.', {
    exitCode: ExitCode.unavailable,
  });
  return { why, error };
}

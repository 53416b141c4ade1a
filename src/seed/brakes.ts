import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { isPending } from './item.ts';
import type { Result } from './item-json.ts';

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

/** Answers that judge the row: the next one may be taken. */
const aboutTheRow: ReadonlySet<number | undefined> = new Set([400, 404, 409, 410, 412, 415, 422]);

/** What our own checks of a row end with. */
const ownChecks: ReadonlySet<ExitCode> = new Set([
  ExitCode.usage,
  ExitCode.notFound,
  ExitCode.refused,
  ExitCode.blocked,
  ExitCode.ambiguous,
]);

/** So many rows in a row that fail alike end a run. */
const MOST_IN_A_ROW = 10;

/**
 * Watches the rows of a run as they end.
 *
 * @returns for each row, the failure where it was the last of too many in a row with the same code and status. What is
 * wrong with the row alone does not count.
 */
export function createBreaker(): (result: Result) => CliError | undefined {
  let last: CliError | undefined;
  let length = 0;
  return ({ item, outcome, error }) => {
    if (outcome === 'not_attempted' || !isPending(item)) return undefined;
    const failure = outcome === 'done' ? undefined : sharedFailure(error);
    const isAlike = failure?.code === last?.code && failure?.status === last?.status;
    length = isAlike ? length + 1 : 1;
    last = failure;
    return length >= MOST_IN_A_ROW ? failure : undefined;
  };
}

/** What other rows may fail with too: the error, or what left its outcome in doubt. */
function sharedFailure(error: unknown): CliError | undefined {
  if (error instanceof OutcomeUnknown) return sharedFailure(error.cause);
  if (!(error instanceof CliError)) return undefined;
  const { code, status, exitCode } = error;
  // A page came from something before the service, whatever its status.
  if (code === 'html_answer') return error;
  const isOwn = status === undefined ? ownChecks.has(exitCode) : aboutTheRow.has(status);
  return isOwn ? undefined : error;
}

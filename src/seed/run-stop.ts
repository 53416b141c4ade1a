import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { isPending } from './item.ts';
import type { Result } from './item-json.ts';

/** Why no further row of a run is started. */
interface StopReason {
  /** What the rows that were not started say of it. */
  readonly why: string;
  /** What the run ends with, unless something worse happened; `undefined` where its rows say enough. */
  readonly error: unknown;
  /** No request may follow, not even a read. */
  readonly isFinal?: boolean;
}

interface RunStopOptions {
  readonly failFast: boolean;
  /** Aborted with an `Interruption`. */
  readonly stop: AbortSignal;
  /** When the run must be over, by the clock of `now`. */
  readonly deadline?: number | undefined;
  readonly now: () => number;
}

/** What stops a run before its last row; the first reason is the one that is reported. */
export interface RunStop {
  /** Checks signal and deadline too. @returns `undefined` while rows may be started. */
  reason(): StopReason | undefined;
  /** The same without checking signal and deadline. */
  recorded(): StopReason | undefined;
  isFinal(): boolean;
  request(reason: StopReason): void;
  /** A row has ended. */
  record(result: Result): void;
  /** How a row ended was found out after others had ended. */
  recordSettled(result: Result): void;
}

export function createRunStop({ failFast, stop, deadline, now }: RunStopOptions): RunStop {
  const breaker = createBreaker();
  let first: StopReason | undefined;
  let isFinal = false;
  const request = (reason: StopReason) => {
    first ??= reason;
    isFinal ||= reason.isFinal === true;
  };
  const recordSettled = (result: Result) => {
    // The row's own error says enough.
    const why = 'The run ended with the first row that was not done (--fail-fast).';
    if (failFast && failureOf(result) !== undefined) request({ why, error: undefined });
  };
  return {
    request,
    recordSettled,
    recorded: () => first,
    isFinal: () => isFinal,
    reason() {
      if (first === undefined && stop.aborted) request({ why: 'interrupted', error: stop.reason });
      if (first === undefined && deadline !== undefined && now() >= deadline) request(overdue());
      return first;
    },
    record(result) {
      const shared = breaker(result);
      const error = failureOf(result);
      if (error?.exitCode === ExitCode.notLoggedIn)
        request({ why: 'The run ended when the service did not accept the credentials.', error });
      if (error !== undefined && shared !== undefined) {
        const why = `The run ended: ten rows in a row failed alike. ${shared.message}`;
        request({ why, error: shared });
      }
      recordSettled(result);
    },
  };
}

function failureOf({ outcome, error }: Result): CliError | undefined {
  return outcome === 'done' || outcome === 'not_attempted' ? undefined : error;
}

function overdue(): StopReason {
  const error = new CliError('timeout', 'The time of the run was over.', { exitCode: ExitCode.unavailable });
  return { why: 'The time of the run was over before this row.', error };
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

/** This many rows in a row that fail alike stop a run. */
const MOST_IN_A_ROW = 10;

/**
 * A circuit breaker for the rows of a run.
 *
 * @returns takes each row as it ends, and returns the failure where too many in a row failed with the same code and
 * status. What is wrong with the row alone does not count.
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

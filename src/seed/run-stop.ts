import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { isPending } from './item.ts';
import type { Result } from './item-json.ts';

/** Why no further row of a run is started. */
interface StopReason {
  /** The message of rows that were not started. */
  readonly why: string;
  /** The error of the run; `undefined` if the errors of its rows are enough. */
  readonly error: unknown;
  /** No further request is allowed, not even a read. */
  readonly isFinal?: boolean;
}

interface RunStopOptions {
  readonly failFast: boolean;
  /** Aborted with an `Interruption`. */
  readonly stop: AbortSignal;
  /** When the run must end, by the clock of `now`. */
  readonly deadline?: number | undefined;
  readonly now: () => number;
}

/** Stops a run before its last row. The first reason is reported. */
export interface RunStop {
  /** Checks signal and deadline too. @returns `undefined` while rows may be started. */
  reason(): StopReason | undefined;
  /** The same without checking signal and deadline. */
  recorded(): StopReason | undefined;
  isFinal(): boolean;
  request(reason: StopReason): void;
  /** Records a row that has ended. */
  record(result: Result): void;
  /** Records a row that was settled after later rows had ended; the circuit breaker ignores it. */
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
    // The error of the row is enough.
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

/** Statuses that concern one row alone. */
const aboutTheRow: ReadonlySet<number | undefined> = new Set([400, 404, 409, 410, 412, 415, 422]);

/** Exit codes of our own checks of a row. */
const ownChecks: ReadonlySet<ExitCode> = new Set([
  ExitCode.usage,
  ExitCode.notFound,
  ExitCode.refused,
  ExitCode.blocked,
  ExitCode.ambiguous,
]);

/** Consecutive rows with the same failure that stop a run. */
const MOST_IN_A_ROW = 10;

/**
 * A circuit breaker for the rows of a run.
 *
 * @returns takes each row as it ends, and returns the failure once too many consecutive rows failed with the same code and
 * status. Failures that concern one row alone do not count.
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

/** A failure that other rows may share: the error, or the cause of an unknown outcome. */
function sharedFailure(error: unknown): CliError | undefined {
  if (error instanceof OutcomeUnknown) return sharedFailure(error.cause);
  if (!(error instanceof CliError)) return undefined;
  const { code, status, exitCode } = error;
  // An HTML page comes from a proxy, whatever its status.
  if (code === 'html_answer') return error;
  const isOwn = status === undefined ? ownChecks.has(exitCode) : aboutTheRow.has(status);
  return isOwn ? undefined : error;
}

import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { WireFailure } from '../service/failures.ts';
import { isPending } from './item.ts';
import type { Result } from './item-json.ts';

/** Consecutive failures that open a circuit breaker. Each was retried, which takes time. */
const MOST_IN_A_ROW = 10;

/** A circuit breaker for the rows of a run: takes each row as it ends. */
export type RowBreaker = (result: Result) => CliError | undefined;

/**
 * Creates the circuit breaker for the rows of a run.
 *
 * @returns takes each row as it ends, and returns the failure once too many consecutive rows failed with the same code and
 * status. Failures that concern one row alone do not count.
 */
export function createRowBreaker(): RowBreaker {
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

/**
 * Creates the circuit breaker for reads. After too many consecutive failures, all further reads fail with the last error; rows
 * that need no read are still done.
 *
 * @param hasDeadline whether the command has a time limit; without one, a timeout concerns one record.
 * @returns reads one record for its rows: gives the record, or an error that concerns this record alone; throws an error that
 *   every other record would meet as well, and an interruption.
 */
export function createReadBreaker(hasDeadline: boolean) {
  let last: CliError | undefined;
  let length = 0;
  return async <Found>(read: () => Promise<Found>): Promise<Found | CliError> => {
    if (last !== undefined && length >= MOST_IN_A_ROW) return last;
    try {
      const found = await read();
      length = 0;
      return found;
    } catch (cause) {
      if (!(cause instanceof CliError) || isOfTheRun(cause, hasDeadline)) throw cause;
      // A refusal is fast, and concerns this record alone.
      const isRefusal = cause.status !== undefined && cause.status >= 400 && cause.status < 500;
      length = isRefusal ? 0 : length + 1;
      last = cause;
      return cause;
    }
  };
}

/** Errors of a read that every other record would meet as well. */
const ofTheRun = new Set([
  'connection_refused',
  'dns',
  'tls',
  'proxy',
  'proxy_refused',
  'connect_timeout',
  'rate_limited',
]);

function isOfTheRun(error: CliError, hasDeadline: boolean): boolean {
  if (error.exitCode === ExitCode.notLoggedIn || ofTheRun.has(error.code)) return true;
  return error.code === 'timeout' && hasDeadline && !(error.cause instanceof WireFailure);
}

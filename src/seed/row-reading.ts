import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { WireFailure } from '../service/failures.ts';
import { type Item, itemFor } from './item.ts';
import { isInDoubt, type Memory } from './journal-line.ts';

/** Errors that every other record would meet as well. */
const ofTheRun = new Set([
  'connection_refused',
  'dns',
  'tls',
  'proxy',
  'proxy_refused',
  'connect_timeout',
  'rate_limited',
]);

/** Consecutive failed reads that open the circuit breaker; each was retried, which takes time. */
const MOST_IN_A_ROW = 10;

/**
 * Reads one record for its rows.
 *
 * @returns the record, or an error that concerns this record alone.
 * @throws {CliError} an error that every other record would meet as well; an interruption.
 */
export type ReadForRow = <Found>(read: () => Promise<Found>) => Promise<Found | CliError>;

/**
 * A circuit breaker for reads. After too many consecutive failures, all further reads fail with the last error; rows that need
 * no read are still done.
 *
 * @param hasDeadline whether the command has a time limit; without one, a timeout concerns one record.
 */
export function createRowReading(hasDeadline: boolean): ReadForRow {
  let last: CliError | undefined;
  let length = 0;
  return async (read) => {
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

/** The same error, with a clause about what depends on it. */
export function failureBehind(clause: string, error: CliError): CliError {
  const { code, exitCode, status, details, hint } = error;
  return new CliError(code, `${clause}: ${error.message}`, { exitCode, status, details, hint, cause: error });
}

/** A row that cannot be planned because a read failed. It fails with that error; a row in doubt stays unknown. */
export function unreadItem(
  row: Pick<Item, 'kind' | 'name'>,
  cause: CliError,
  { memory }: { readonly memory: Memory },
  more: Pick<Item, 'entry' | 'id' | 'reason'>,
): Item {
  const before = memory.recall(row.kind, row.name);
  const error = isInDoubt(before)
    ? new OutcomeUnknown(`${cause.message} The outcome of run ${before.runId} is still unknown.`, {
        cause,
      })
    : cause;
  return itemFor(row, 'cannot_tell', { reason: error.message, ...more, error });
}

function isOfTheRun(error: CliError, hasDeadline: boolean): boolean {
  if (error.exitCode === ExitCode.notLoggedIn || ofTheRun.has(error.code)) return true;
  return error.code === 'timeout' && hasDeadline && !(error.cause instanceof WireFailure);
}

import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { WireFailure } from '../service/failures.ts';
import { type Item, itemFor } from './item.ts';
import { isInDoubt, type Memory } from './journal-line.ts';

/** The service cannot be reached, or accepts no more requests: every other record would fail alike. */
const ofTheRun = new Set([
  'connection_refused',
  'dns',
  'tls',
  'proxy',
  'proxy_refused',
  'connect_timeout',
  'rate_limited',
]);

/** This many failed reads in a row are enough: each of them was retried, which takes time. */
const MOST_IN_A_ROW = 10;

/**
 * Reads one record for the rows that are about it.
 *
 * @returns what was read; why it cannot be read, where that is the trouble of this record alone.
 * @throws {CliError} what every other record would meet as well; an interruption.
 */
export type ReadForRow = <Found>(read: () => Promise<Found>) => Promise<Found | CliError>;

/**
 * A circuit breaker for reads. Once too many in a row failed, no further record is read: all that are left fail
 * with the last failure, and what needs no reading is still done.
 *
 * @param hasDeadline whether the command has a time limit; without one, a timeout is that of one record.
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
      // A refusal comes at once, and says nothing about others.
      const isRefusal = cause.status !== undefined && cause.status >= 400 && cause.status < 500;
      length = isRefusal ? 0 : length + 1;
      last = cause;
      return cause;
    }
  };
}

/** The same failure, in a sentence about what depends on it. */
export function failureBehind(clause: string, error: CliError): CliError {
  const { code, exitCode, status, details, hint } = error;
  return new CliError(code, `${clause}: ${error.message}`, { exitCode, status, details, hint, cause: error });
}

/**
 * A row that cannot be planned, because something could not be read. It fails with that; what an earlier run left in
 * doubt stays unknown.
 */
export function unreadItem(
  row: Pick<Item, 'kind' | 'name'>,
  cause: CliError,
  { memory }: { readonly memory: Memory },
  more: Pick<Item, 'entry' | 'id' | 'reason'>,
): Item {
  const before = memory.recall(row.kind, row.name);
  const error = isInDoubt(before)
    ? new OutcomeUnknown(`${cause.message} What run ${before.runId} sent about it is unknown still.`, {
        cause,
      })
    : cause;
  return itemFor(row, 'cannot_tell', { reason: error.message, ...more, error });
}

function isOfTheRun(error: CliError, hasDeadline: boolean): boolean {
  if (error.exitCode === ExitCode.notLoggedIn || ofTheRun.has(error.code)) return true;
  return error.code === 'timeout' && hasDeadline && !(error.cause instanceof WireFailure);
}

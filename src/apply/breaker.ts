import { CliError, OutcomeUnknown } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { isPending } from './item.ts';
import type { Result } from './result.ts';

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

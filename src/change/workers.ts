import { CliError, ExitCode, OutcomeUnknown } from '../model/errors.ts';
import { isPending, type Result } from './item.ts';

/**
 * Works on each item with a pool of workers. A worker takes the next item when it is free.
 *
 * @param workers from 1.
 * @throws the first failure, after running work has ended; no further item is started.
 */
export async function eachOf<Item>(
  items: Iterable<Item>,
  workers: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const source = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const workThrough = async () => {
    while (failures.length === 0) {
      try {
        const next = source.next();
        if (next.done === true) return;
        await work(next.value);
      } catch (cause) {
        failures.push(cause);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, workThrough));
  if (failures.length > 0) throw failures[0];
}

/** Reads of single records at the same time. */
export const READERS = 4;

/** Like `eachOf`; the results are in the order of the items. */
export async function mapEach<Item, Result>(
  items: readonly Item[],
  workers: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Array<Result>(items.length);
  await eachOf(items.entries(), workers, async ([index, item]) => {
    results[index] = await work(item);
  });
  return results;
}

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

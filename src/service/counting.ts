import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { isRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import { type ListAnswer, readCount } from './reading.ts';

/** A number of records, and whether a truncated answer would be noticed: half of a bare number is a number. */
export interface Count {
  readonly count: number;
  readonly isSafe: boolean;
}

/** Reads `$count`: a bare integer, or `{count}`. */
export function readSafeCount(answer: Answer): Count {
  return { count: readCount(answer), isSafe: isRecord(answer.body) };
}

/** How often both are read before a disagreement is an error. */
const ROUNDS = 3;

/**
 * The number of records. A bare number counts if the list agrees, or if `$count` repeats it where the list has no count.
 *
 * @param noun in the plural, for messages.
 * @param ask reads `$count`.
 * @param list reads a page of one record.
 * @throws {CliError} `malformed_answer` when they keep disagreeing.
 */
export async function countSurely(
  noun: string,
  ask: () => Promise<Count>,
  list: () => Promise<ListAnswer>,
): Promise<number> {
  let earlier: number | undefined;
  let counted: number | undefined;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { count, isSafe } = await ask();
    if (isSafe) return count;
    counted = totalIn(await list().catch(ignoringRefusal));
    if (count === (counted ?? earlier)) return count;
    earlier = count;
  }
  const other = counted === undefined ? 'said another number before' : `the list says ${counted}`;
  throw disagreement(`count the ${noun}`, `$count says ${earlier}, and ${other}`);
}

/**
 * A page of the list. An answer without content is asked for again if `$count` says that there is some.
 *
 * @param noun in the plural, for messages.
 * @param before the number of records on the pages before it.
 * @throws {CliError} `malformed_answer` when they keep disagreeing.
 */
export async function listSurely(
  noun: string,
  list: () => Promise<ListAnswer>,
  ask: () => Promise<Count>,
  before: number,
): Promise<ListAnswer> {
  for (let round = 1; ; round += 1) {
    const listed = await list();
    if (listed.isSilent !== true) return listed;
    const counted = await ask().catch(ignoringRefusal);
    if (counted === undefined || counted.count <= before) return listed;
    if (round === ROUNDS)
      throw disagreement(
        `list the ${noun}`,
        `the list has no content (204), and $count says ${counted.count}`,
      );
  }
}

/** The total in a first page of one record; a count of 1 may be that of the page. */
function totalIn(listed: ListAnswer | undefined): number | undefined {
  if (listed?.isSilent === true) return 0;
  return listed?.count === 1 && listed.items.length === 1 ? undefined : listed?.count;
}

/** For `catch`: a refusal or a malformed answer proves nothing. */
function ignoringRefusal(error: unknown): undefined {
  if (!(error instanceof CliError) || error.exitCode === ExitCode.unavailable) throw error;
}

function disagreement(does: string, what: string): CliError {
  return new CliError('malformed_answer', `Could not ${does}: ${what}.`);
}

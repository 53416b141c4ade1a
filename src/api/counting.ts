import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Answer } from '../http/answer.ts';
import { isRecord } from '../records.ts';
import { type ListAnswer, readCount } from './reading.ts';

/** A number of records, and whether it would show that its answer broke off: half a bare number is a number. */
interface Count {
  readonly count: number;
  readonly isSafe: boolean;
}

/** Two ways to learn how many there are. */
interface Sources {
  /** `$count`. */
  readonly count: () => Promise<Count>;
  /** A page of the list. */
  readonly list: () => Promise<ListAnswer>;
}

/** So often both are asked before they are said to disagree. */
const ROUNDS = 3;

/** @throws {CliError} `malformed_answer` when it is no number of records. */
export function readSafely(answer: Answer): Count {
  return { count: readCount(answer), isSafe: isRecord(answer.body) };
}

/**
 * How many there are. A bare number counts where the list says the same or, where that says nothing, `$count` does again.
 *
 * @throws {CliError} `malformed_answer` when they go on to disagree.
 */
export async function countSurely({ count: ask, list }: Sources): Promise<number> {
  let earlier: number | undefined;
  let counted: number | undefined;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { count, isSafe } = await ask();
    if (isSafe) return count;
    counted = countIn(await list().catch(sayingNothing));
    if (count === (counted ?? earlier)) return count;
    earlier = count;
  }
  const other = counted === undefined ? 'said another number before' : `the list says ${counted}`;
  throw disagreement('count', `$count says ${earlier}, and ${other}`);
}

/**
 * A page of a list, unless it has no content where `$count` says that there is some.
 *
 * @param before so many records are on the pages before it.
 * @throws {CliError} `malformed_answer` when they go on to disagree.
 */
export async function listSurely({ count: ask, list }: Sources, before: number): Promise<ListAnswer> {
  for (let round = 1; ; round += 1) {
    const listed = await list();
    if (listed.isSilent !== true) return listed;
    const counted = await ask().catch(sayingNothing);
    if (counted === undefined || counted.count <= before) return listed;
    if (round === ROUNDS)
      throw disagreement('list', `the list has no content (204), and $count says ${counted.count}`);
  }
}

/** What a first page of one record says of all; a count of 1 may be that of the page. */
function countIn(listed: ListAnswer | undefined): number | undefined {
  if (listed?.isSilent === true) return 0;
  return listed?.count === 1 && listed.items.length === 1 ? undefined : listed?.count;
}

/** For `catch`: what the service refuses to tell, or tells badly, proves nothing. */
function sayingNothing(error: unknown): undefined {
  if (!(error instanceof CliError) || error.exitCode === ExitCode.unavailable) throw error;
}

function disagreement(does: string, what: string): CliError {
  return new CliError('malformed_answer', `Could not ${does} the properties: ${what}.`);
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, codeOf, usageError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { PastRun } from './history.ts';
import { journalUnreadable } from './journal-errors.ts';
import { readHistory } from './journal-read.ts';
import { type LockTaker, runLockHolder } from './run-lock.ts';

/** A run and the journal that tells of it. */
export interface FoundRun {
  readonly run: PastRun;
  readonly path: string;
  /** The process that works on it at this moment. */
  readonly pid: number | undefined;
  /** How many runs the journal tells of. */
  readonly runsInJournal: number;
  /** How many records the journal knows that were created, and not deleted since. */
  readonly created: number;
}

/** What journals tell, and those that tell nothing because they cannot be read. */
export interface FoundRuns {
  /** The newest first. */
  readonly runs: readonly FoundRun[];
  readonly problems: readonly CliError[];
}

/** Journals that have no place of their own are called so. */
const journalName = /^[0-9a-f]{32}\.ndjson$/;

/** So much of a run's id must be typed. */
const SHORTEST_REFERENCE = 6;

/** The runs of every journal in a folder; none where there is no such folder. */
export async function runsIn(folder: string, taker: LockTaker): Promise<FoundRuns> {
  const runs: FoundRun[] = [];
  const problems: CliError[] = [];
  for (const name of namesIn(folder)) {
    try {
      runs.push(...((await runsOf(join(folder, name), taker)) ?? []));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(error);
    }
  }
  return { runs: newestFirst(runs), problems };
}

/** The runs of one journal, the newest first. @throws {CliError} exit 2 when there is none, or it cannot be read. */
export async function runsAt(path: string, taker: LockTaker): Promise<readonly FoundRun[]> {
  const runs = await runsOf(path, taker);
  if (runs === undefined) throw usageError(`There is no journal at ${path}.`);
  return newestFirst(runs);
}

/** The newest first; those that began at the same moment stay in their order. */
export function newestFirst(runs: readonly FoundRun[]): readonly FoundRun[] {
  return runs.toSorted((one, other) => other.run.startedAt - one.run.startedAt);
}

/**
 * The run that is meant by its id, or by the beginning of it.
 *
 * @throws {CliError} exit 3 when there is none, exit 12 when there are several.
 */
export function findRun(runs: readonly FoundRun[], reference: string): FoundRun {
  const exact = runs.filter(({ run }) => run.header.id === reference);
  const isEnough = reference.length >= SHORTEST_REFERENCE;
  const begun = isEnough ? runs.filter(({ run }) => run.header.id.startsWith(reference)) : [];
  const [found, ...more] = exact.length > 0 ? exact : begun;
  if (found === undefined) throw unknownRun(reference, isEnough);
  if (more.length > 0) throw ambiguous(reference, [found, ...more]);
  return found;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => journalName.test(name))
      .sort();
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw journalUnreadable(folder, cause);
  }
}

/** In the order in which they were begun or resumed, the last one first. */
async function runsOf(path: string, taker: LockTaker): Promise<readonly FoundRun[] | undefined> {
  const history = await readHistory(path, { keepsRows: true });
  if (history === undefined) return undefined;
  const runs = history.runs().toReversed();
  const created = history.created().length;
  const pid = runLockHolder(path, taker)?.pid;
  return runs.map((run) => ({
    run,
    path,
    // Whoever has the journal works on the run that was begun or resumed last.
    pid: run === runs[0] && run.end === undefined ? pid : undefined,
    runsInJournal: runs.length,
    created,
  }));
}

function unknownRun(reference: string, isEnough: boolean): CliError {
  const need = isEnough ? '' : ` The beginning of an id needs ${SHORTEST_REFERENCE} characters.`;
  return new CliError('unknown_run', `No journal here tells of a run ${reference}.${need}`, {
    exitCode: ExitCode.notFound,
    hint: 'innctl runs list',
  });
}

function ambiguous(reference: string, runs: readonly FoundRun[]): CliError {
  const ids = new Set(runs.map(({ run }) => run.header.id));
  const [sentence, hint] =
    ids.size > 1
      ? [`${runs.length} runs begin with ${reference}: ${[...ids].join(', ')}.`, 'Type more of the id.']
      : [
          `${runs.length} journals tell of run ${reference}: ${runs.map(({ path }) => path).join(', ')}.`,
          'Name the journal with --journal.',
        ];
  return new CliError('ambiguous_run', sentence, { exitCode: ExitCode.ambiguous, hint });
}

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, codeOf, usageError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type Holder, lockHolder, tryLock } from '../fs/lock.ts';
import { reasonOf } from '../fs/read.ts';
import type { PastRun } from './history.ts';
import { journalBusy, journalUnreadable } from './journal-errors.ts';
import { readHistory, runsFolder } from './journal-read.ts';
import { isSandbox } from './target.ts';

/** A run and its journal. */
export interface FoundRun {
  readonly run: PastRun;
  readonly path: string;
  /** The process that is running it. */
  readonly holder: Holder | undefined;
  /** How many runs the journal has. */
  readonly runsInJournal: number;
  /** How many records were created and not deleted since, in the whole journal. */
  readonly created: number;
}

/** The file name of a journal in the default folder. */
const journalName = /^[0-9a-f]{32}\.ndjson$/;

/** The shortest abbreviation of a run's id. */
const SHORTEST_REFERENCE = 6;

/** The runs of every journal in a folder, the newest first, and the journals that cannot be read; none without a folder. */
export async function runsIn(folder: string) {
  const runs: FoundRun[] = [];
  const problems: CliError[] = [];
  for (const name of namesIn(folder)) {
    try {
      runs.push(...((await runsOf(join(folder, name))) ?? []));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(error);
    }
  }
  return { runs: newestFirst(runs), problems };
}

/** The runs of one journal, the newest first. @throws {CliError} exit 2 when there is none, or it cannot be read. */
export async function runsAt(path: string): Promise<readonly FoundRun[]> {
  const runs = await runsOf(path);
  if (runs === undefined) throw usageError(`There is no journal at ${path}.`);
  return newestFirst(runs);
}

/** Sorts runs by start time, the newest first. */
export function newestFirst(runs: readonly FoundRun[]): readonly FoundRun[] {
  return runs.toSorted((one, other) => other.run.startedAt - one.run.startedAt);
}

/**
 * Finds a run by its id, or an abbreviation of it.
 *
 * @throws {CliError} exit 3 when there is none, exit 12 when there are several.
 */
export function findRun(runs: readonly FoundRun[], reference: string): FoundRun {
  const exact = runs.filter(({ run }) => run.header.id === reference);
  const isEnough = reference.length >= SHORTEST_REFERENCE;
  const alike = isEnough ? runs.filter(({ run }) => run.header.id.startsWith(reference)) : [];
  const found = exact.length > 0 ? exact : alike;
  const [first] = found;
  if (first === undefined) {
    const need = isEnough ? '' : ` An abbreviated id needs ${SHORTEST_REFERENCE} characters.`;
    throw new CliError('unknown_run', `No journal here has a run ${reference}.${need}`, {
      exitCode: ExitCode.notFound,
      hint: 'innctl runs list',
    });
  }
  if (found.length > 1) throw ambiguous(reference, found);
  return first;
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

/** The runs of a journal, the one that was started or resumed last first. */
async function runsOf(path: string): Promise<readonly FoundRun[] | undefined> {
  const history = await readHistory(path);
  if (history === undefined) return undefined;
  const runs = history.runs().toReversed();
  const created = history.created().length;
  const holder = lockHolder(path);
  return runs.map((run) => ({
    run,
    path,
    // The holder of the lock runs the last one.
    holder: run === runs[0] && run.end === undefined ? holder : undefined,
    runsInJournal: runs.length,
    created,
  }));
}

function ambiguous(reference: string, runs: readonly FoundRun[]): CliError {
  const ids = new Set(runs.map(({ run }) => run.header.id));
  const [sentence, hint] =
    ids.size > 1
      ? [`${runs.length} runs begin with ${reference}: ${[...ids].join(', ')}.`, 'Type more of the id.']
      : [
          `${runs.length} journals have run ${reference}: ${runs.map(({ path }) => path).join(', ')}.`,
          'Name the journal with --journal.',
        ];
  return new CliError('ambiguous_run', sentence, { exitCode: ExitCode.ambiguous, hint });
}

/** @throws {CliError} `busy`, exit 6, when a process uses the journal. */
export function refuseRunning(path: string): void {
  const holder = lockHolder(path);
  if (holder !== undefined) throw journalBusy(path, holder);
}

/**
 * Removes a journal with all its runs.
 *
 * @throws {CliError} `busy`, exit 6, when a process uses it; `journal_not_removed`, exit 1, when it cannot be removed.
 */
export function removeJournal(path: string): void {
  try {
    const release = tryLock(path);
    if (typeof release !== 'function') throw journalBusy(path, release);
    try {
      rmSync(path, { force: true });
    } finally {
      release();
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('journal_not_removed', `Could not remove the journal ${path}: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}

/**
 * Removes the journals of all runs against the sandbox.
 *
 * @param state the state folder.
 */
export async function forgetSandboxRuns(state: string): Promise<void> {
  const { runs } = await runsIn(runsFolder(state));
  const paths = runs.filter(({ run }) => isSandbox(run.header)).map(({ path }) => path);
  for (const path of new Set(paths)) removeJournal(path);
}

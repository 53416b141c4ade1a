import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError, codeOf, invalidInput, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { LocalSession } from '../../cli/session.ts';
import { type Holder, lockHolder, tryLock } from '../../fs/lock.ts';
import { reasonOf } from '../../fs/read.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { runIdProblem } from '../../model/segment.ts';
import type { Shape } from '../../print/output.ts';
import { shellLine } from '../../print/text.ts';
import { countsOf, isComplete, type PastRun } from '../../seed/history.ts';
import { journalBusy, journalUnreadable, readHistory, runsFolder } from '../../seed/journal-read.ts';
import { isSameTarget, SANDBOX, targetText } from '../../seed/target.ts';

type Here = Pick<LocalSession, 'folders'> & { readonly out: Pick<LocalSession['out'], 'warn'> };

/** The file name of a journal in the default folder. */
const journalName = /^[0-9a-f]{32}\.ndjson$/;

/** The shortest abbreviation of a run's id. */
const SHORTEST_REFERENCE = 6;

/** A run and its journal. */
interface FoundRun {
  readonly run: PastRun;
  readonly path: string;
  /** The process that is running it. */
  readonly holder: Holder | undefined;
}

/** All known runs, newest first, and those of another journal, if given. */
export async function allRuns(session: Here, journal: string | undefined): Promise<readonly FoundRun[]> {
  const runs = await knownRuns(session);
  if (journal === undefined) return runs;
  const named = await runsAt(journal);
  return newestFirst([...named, ...runs.filter(({ path }) => path !== resolve(journal))]);
}

/**
 * Finds a run by its id or an abbreviation, in the given journal or in all known ones.
 *
 * @throws {CliError} exit 2 for an invalid id, exit 3 if there is none, exit 12 if there are several.
 */
export async function theRun(
  session: Here,
  reference: string,
  journal: string | undefined,
): Promise<FoundRun> {
  const wrong = runIdProblem(reference);
  const hint = shellLine([
    'innctl',
    'runs',
    'list',
    ...(journal === undefined ? [] : ['--journal', journal]),
  ]);
  if (wrong !== undefined) throw invalidInput([{ field: 'run-id', reason: wrong }], hint);
  const runs = journal === undefined ? await knownRuns(session) : await runsAt(journal);
  const exact = runs.filter(({ run }) => run.header.id === reference);
  const isEnough = reference.length >= SHORTEST_REFERENCE;
  const alike = isEnough ? runs.filter(({ run }) => run.header.id.startsWith(reference)) : [];
  const found = exact.length > 0 ? exact : alike;
  const [first] = found;
  if (first === undefined) {
    const need = isEnough ? '' : ` An abbreviated id needs ${SHORTEST_REFERENCE} characters.`;
    const where = journal === undefined ? 'No journal here has a' : `${resolve(journal)} has no`;
    const sentence = `${where} run ${reference}.${need}`;
    throw new CliError('unknown_run', sentence, { exitCode: ExitCode.notFound, hint });
  }
  if (found.length > 1) throw ambiguous(reference, found);
  return first;
}

/** The runs of the default folder, the newest first. A journal that cannot be read must not hide the others. */
async function knownRuns({ folders, out }: Here): Promise<readonly FoundRun[]> {
  const runs: FoundRun[] = [];
  for (const path of journalsIn(runsFolder(folders.state))) {
    try {
      runs.push(...((await runsOf(path)) ?? []));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      await out.warn(error.message);
    }
  }
  return newestFirst(runs);
}

/** The runs of --journal, the newest first. @throws {CliError} exit 2 if there is none, or it cannot be read. */
async function runsAt(journal: string): Promise<readonly FoundRun[]> {
  if (journal === '' || journal.includes('\0'))
    throw usageError(`--journal: ${JSON.stringify(journal)} is not the name of a file.`);
  const path = resolve(journal);
  const runs = await runsOf(path);
  if (runs === undefined) throw usageError(`There is no journal at ${path}.`);
  return newestFirst(runs);
}

/** The runs of a journal, the one that was started or resumed last first. */
async function runsOf(path: string): Promise<readonly FoundRun[] | undefined> {
  const history = await readHistory(path);
  if (history === undefined) return undefined;
  const runs = history.runs().toReversed();
  const holder = lockHolder(path);
  return runs.map((run) => {
    // The holder of the lock runs the last one.
    const isRunning = run === runs[0] && run.end === undefined;
    return { run, path, holder: isRunning ? holder : undefined };
  });
}

/** Sorts runs by start time, the newest first. */
function newestFirst(runs: readonly FoundRun[]): readonly FoundRun[] {
  return runs.toSorted((one, other) => other.run.startedAt - one.run.startedAt);
}

/** The paths of the journals in a folder; none if there is no such folder. */
function journalsIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => journalName.test(name));
    return names.sort().map((name) => join(folder, name));
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw journalUnreadable(folder, cause);
  }
}

function ambiguous(reference: string, runs: readonly FoundRun[]): CliError {
  const ids = new Set(runs.map(({ run }) => run.header.id));
  const paths = runs.map(({ path }) => path).join(', ');
  const [sentence, hint] =
    ids.size > 1
      ? [`${runs.length} runs begin with ${reference}: ${[...ids].join(', ')}.`, 'Type more of the id.']
      : [`${runs.length} journals have run ${reference}: ${paths}.`, 'Name the journal with --journal.'];
  return new CliError('ambiguous_run', sentence, { exitCode: ExitCode.ambiguous, hint });
}

/** How runs are listed. */
export const runShape: Shape = {
  noun: ['run', 'runs'],
  columns: [
    { field: 'run_id', header: 'Run' },
    { field: 'started', header: 'Started', format: 'date' },
    { field: 'command', header: 'Command' },
    { field: 'target', header: 'Target' },
    { field: 'state', header: 'State' },
    { field: 'pid', header: 'Process' },
    { field: 'done', header: 'Done' },
    { field: 'failed', header: 'Failed' },
    { field: 'unknown', header: 'Unknown' },
    { field: 'not_attempted', header: 'Not attempted' },
  ],
  table: [
    { field: 'run_id', header: 'Run', value: shortId },
    {
      field: 'state',
      header: 'State',
      tones: new Map([
        ['complete', 'good'],
        ['incomplete', 'warning'],
      ]),
    },
    { field: 'done', header: 'Rows', value: rowsInWords },
    { field: 'started', header: 'Started', format: 'date' },
    { field: 'command', header: 'Command' },
    { field: 'target', header: 'Target' },
    { field: 'pid', header: 'Process' },
    { field: 'run_id', header: 'Run id' },
  ],
  essential: 4,
  others: ['profile'],
};

/** Long enough to name a run. A chosen id is shown whole. */
function shortId({ run_id: id }: ServiceRecord): unknown {
  return typeof id === 'string' && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? id.slice(0, 8) : id;
}

/** `50 done, 2 failed` */
function rowsInWords(run: ServiceRecord): string | undefined {
  const counts = ['done', 'failed', 'unknown', 'not_attempted'].flatMap((state) =>
    run[state] === 0 || run[state] === undefined ? [] : [`${run[state]} ${state.replace('_', ' ')}`],
  );
  return counts.length === 0 ? undefined : counts.join(', ');
}

/** How the rows of a run are listed. */
export const rowShape: Shape = {
  noun: ['row', 'rows'],
  columns: [
    { field: 'kind', header: 'Kind' },
    { field: 'name', header: 'Name' },
    { field: 'action', header: 'Action' },
    { field: 'state', header: 'State' },
    { field: 'id', header: 'Id' },
    { field: 'at', header: 'Updated', format: 'date' },
    { field: 'error', header: 'Error' },
  ],
  id: 'name',
  others: ['hash', 'key', 'request_id'],
};

/** One run as it is listed: `state` is `running`, `complete` or `incomplete`. */
export function runRecord({ run, path, holder }: FoundRun): ServiceRecord {
  const { id, command, files, identity_url, base_url, account, profile } = run.header;
  const ended = isComplete(run) ? 'complete' : 'incomplete';
  return withoutHoles({
    run_id: id,
    started: new Date(run.startedAt).toISOString(),
    command,
    target: targetText(run.header),
    state: holder === undefined ? ended : 'running',
    pid: holder?.pid,
    ...countsOf(run),
    journal: path,
    files,
    identity_url,
    base_url,
    account,
    profile,
  });
}

/** The rows of one run as they are listed. */
export function rowRecords({ run }: FoundRun): readonly ServiceRecord[] {
  return [...run.rows.values()].map(({ runId: _, at, ...row }) => {
    return { ...row, at: new Date(at).toISOString() };
  });
}

/**
 * Removes a journal with all its runs.
 *
 * @throws {CliError} `busy`, exit 6, when a process uses it; `journal_not_removed`, exit 1, when it cannot be removed.
 */
function removeJournal(path: string): void {
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
    const sentence = `Could not remove the journal ${path}: ${reasonOf(cause)}.`;
    throw new CliError('journal_not_removed', sentence, { cause });
  }
}

/** Removes the journals of all runs against the sandbox. */
export async function forgetSandboxRuns({ folders }: Pick<LocalSession, 'folders'>): Promise<void> {
  const runs = await knownRuns({ folders, out: { warn: async () => {} } });
  const paths = runs.filter(({ run }) => isSameTarget(run.header, SANDBOX)).map(({ path }) => path);
  for (const path of new Set(paths)) removeJournal(path);
}

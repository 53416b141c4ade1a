import { resolve } from 'node:path';
import { detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import type { LocalSession, Session } from '../../cli/session.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { runIdProblem } from '../../model/segment.ts';
import type { Shape } from '../../out/output.ts';
import { countsOf, isComplete } from '../../seed/history.ts';
import { otherTargetOfRun } from '../../seed/journal-errors.ts';
import type { RunLine } from '../../seed/journal-line.ts';
import { runsFolder, stdinFolder } from '../../seed/journal-read.ts';
import { type FoundRun, findRun, newestFirst, runsAt, runsIn } from '../../seed/runs.ts';
import { isSameTarget, targetText } from '../../seed/target.ts';
import { serviceLine } from '../lines.ts';
import { targetIn } from '../target.ts';

type Here = Pick<LocalSession, 'folders' | 'out'>;

/** All known runs, newest first, and those of another journal, if given. */
export async function allRuns(session: Here, journal: string | undefined): Promise<readonly FoundRun[]> {
  const runs = await knownRuns(session);
  if (journal === undefined) return runs;
  const path = journalNamed(journal);
  const named = await runsAt(path);
  return newestFirst([...named, ...runs.filter((found) => found.path !== path)]);
}

/**
 * Finds a run by its id or a prefix, in the given journal or in all known ones.
 *
 * @throws {CliError} exit 2 for an invalid id, exit 3 if there is none, exit 12 if there are several.
 */
export async function theRun(
  session: Here,
  reference: string,
  journal: string | undefined,
): Promise<FoundRun> {
  const wrong = detailsFor('run-id', runIdProblem(reference));
  if (wrong.length > 0) throw invalidInput(wrong, 'innctl runs list');
  const runs = journal === undefined ? await knownRuns(session) : await runsAt(journalNamed(journal));
  return findRun(runs, reference);
}

/** A journal that cannot be read must not hide the others. */
async function knownRuns({ folders, out }: Here): Promise<readonly FoundRun[]> {
  const { runs, problems } = await runsIn(runsFolder(folders.state));
  for (const { message } of problems) await out.warn(message);
  return runs;
}

function journalNamed(journal: string): string {
  if (journal === '' || journal.includes('\0')) {
    throw usageError(`--journal: ${JSON.stringify(journal)} is not the name of a file.`);
  }
  return resolve(journal);
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
  others: ['profile'],
};

/** How the rows of a run are listed. */
export const rowShape: Shape = {
  noun: ['row', 'rows'],
  columns: [
    { field: 'kind', header: 'Kind' },
    { field: 'name', header: 'Name' },
    { field: 'action', header: 'Action' },
    { field: 'state', header: 'State' },
    { field: 'id', header: 'ID' },
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
  return {
    run_id: id,
    started: new Date(run.startedAt).toISOString(),
    command,
    target: targetText(run.header),
    state: holder === undefined ? ended : 'running',
    ...(holder?.pid === undefined ? {} : { pid: holder.pid }),
    ...countsOf(run),
    journal: path,
    files,
    identity_url,
    base_url,
    account,
    ...(profile === undefined ? {} : { profile }),
  };
}

/** The rows of one run as they are listed. */
export function rowRecords({ run }: FoundRun): readonly ServiceRecord[] {
  return [...run.rows.values()].map(({ runId: _, at, ...row }) => ({
    ...row,
    at: new Date(at).toISOString(),
  }));
}

/** The confirmation for forgetting a run. */
export function forgetQuestion({ run, path, runsInJournal, created }: FoundRun): string {
  const target = targetText(run.header);
  const others = runsInJournal - 1;
  return [
    `Forget run ${run.header.id} at ${target} and remove its journal ${path}?`,
    others === 0 ? '' : ` ${others === 1 ? 'Another run is' : `${others} other runs are`} forgotten with it.`,
    created === 0
      ? ''
      : ` It lists ${created === 1 ? 'a created record' : `${created} created records`}, which --prune will no longer find.`,
  ].join('');
}

/** The command line of a run that read stdin, for the same service. */
function stdinLine({ id, command, files, profile }: RunLine, path: string): string {
  const typed = files.map((file) => (file.startsWith('-') ? '-' : file));
  return serviceLine(
    profile === undefined ? {} : { profile },
    ...command.split(' '),
    ...typed,
    ...['--journal', path, '--run-id', id],
  );
}

/** Refuses to resume with other input, at another service, or as another account. */
export async function refuseUnlike({ run: { header }, path }: FoundRun, session: Session): Promise<void> {
  const folder = header.files.map(stdinFolder).find((each) => each !== undefined);
  if (folder !== undefined) {
    throw usageError(
      `Run ${header.id} read its rows from stdin, which cannot be read again.`,
      `Provide them again, in ${folder}: ${stdinLine(header, path)}`,
    );
  }
  const now = await targetIn(session, { prune: false });
  if (isSameTarget(header, now)) return;
  throw otherTargetOfRun(path, header, now, session.settings().profile?.value);
}

import { resolve } from 'node:path';
import { DescribedCommand } from '../../cli/described-command.ts';
import { detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, withLocalChange, withLocalSession } from '../../cli/session.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { runIdProblem } from '../../model/segment.ts';
import type { Shape } from '../../out/output.ts';
import type { FoundRun, FoundRuns } from '../../seed/runs.ts';

/** `runs list`: every run in a journal on this machine, the newest first. */
export function listRuns(context: Context) {
  return new DescribedCommand('list', {
    effect: 'reads',
    examples: ['runs list', 'runs list --journal ./import.ndjson --json'],
  })
    .alias('ls')
    .summary('list runs, newest first')
    .description('List the runs in the journals on this machine, newest first.')
    .option(...journalFlag)
    .action(
      withLocalSession(context, async (session, { journal }) => {
        const runs = await allRuns(session, journal);
        await session.out.records(runShape, onePage(await Promise.all(runs.map(runRecord))));
      }),
    );
}

/** `runs show <run-id>`: one run, row by row, from its journal. */
export function showRun(context: Context) {
  return new DescribedCommand('show', {
    effect: 'reads',
    exits: ['notFound', 'ambiguous'],
    examples: ['runs show 1cdd022e', 'runs show 1cdd022e --json'],
  })
    .alias('get')
    .summary('show the rows of a run')
    .description('Show what a run did, row by row.')
    .argument('<run-id>', 'id of the run, or at least its first 6 characters')
    .option(...journalFlag)
    .action(
      withLocalSession(context, async (session, runId, { journal }) => {
        const found = await theRun(session, runId, journal);
        const facts = await runRecord(found);
        const { run_id: id, target, state } = facts;
        await session.out.note(`Run ${id} at ${target} is ${state}. Its journal is ${found.path}.`);
        await session.out.records(rowShape, onePage(rowRecords(found)), facts);
      }),
    );
}

/** `runs forget <run-id>`: remove the journal of a run, after a question. Nothing changes at the service. */
export function forgetRun(context: Context) {
  return new DescribedCommand('forget', {
    effect: 'destroys',
    exits: ['notFound', 'refused', 'blocked', 'ambiguous'],
    examples: ['runs forget 1cdd022e', 'runs forget 1cdd022e --yes'],
  })
    .alias('rm')
    .summary('delete the journal of a run')
    .description('Delete the journal that contains a run. Nothing changes at the service.')
    .argument('<run-id>', 'id of the run, or at least its first 6 characters')
    .option(...journalFlag)
    .action(
      withLocalChange(context, async (session, runId, { journal }) => {
        const found = await theRun(session, runId, journal);
        const { removeJournal, refuseRunning } = await import('../../seed/runs.ts');
        refuseRunning(found.path);
        const { readTarget, targetText } = await import('../../seed/target.ts');
        await session.confirm(question(found, targetText(readTarget(found.run.header))));
        removeJournal(found.path);
        const { id } = found.run.header;
        await session.out.done(`Forgot run ${id}, and removed its journal ${found.path}.`, {
          run_id: id,
          journal: found.path,
          forgotten: true,
        });
      }),
    );
}

function question({ run, path, runsInJournal, created }: FoundRun, target: string): string {
  const others = runsInJournal - 1;
  return [
    `Forget run ${run.header.id} at ${target} and remove its journal ${path}?`,
    others === 0 ? '' : ` ${others === 1 ? 'Another run is' : `${others} other runs are`} forgotten with it.`,
    created === 0
      ? ''
      : ` It knows ${created === 1 ? 'a record that was' : `${created} records that were`} created, which --prune then finds no more.`,
  ].join('');
}

/** How --journal is explained where it says which file is meant. */
export const journalFlag = ['--journal <path>', 'path of the journal, if the run had its own'] as const;

type Here = Pick<LocalSession, 'folders' | 'out'>;

/** Every known run, the newest first, and those of one more journal, if it is named. */
async function allRuns(session: Here, journal: string | undefined): Promise<readonly FoundRun[]> {
  const { newestFirst, runsAt } = await import('../../seed/runs.ts');
  const { runs } = await knownRuns(session);
  if (journal === undefined) return runs;
  const path = journalNamed(journal);
  const named = await runsAt(path);
  return newestFirst([...named, ...runs.filter((found) => found.path !== path)]);
}

/**
 * Finds a run by its id or an abbreviation of it, in the named journal, else in any that is known here.
 *
 * @throws {CliError} exit 2 when no run can have such an id, exit 3 when there is none, exit 12 when there are several.
 */
export async function theRun(
  session: Here,
  reference: string,
  journal: string | undefined,
): Promise<FoundRun> {
  const wrong = detailsFor('run-id', runIdProblem(reference));
  if (wrong.length > 0) throw invalidInput(wrong, 'innctl runs list');
  const { findRun, runsAt } = await import('../../seed/runs.ts');
  const runs = journal === undefined ? (await knownRuns(session)).runs : await runsAt(journalNamed(journal));
  return findRun(runs, reference);
}

/** A journal that cannot be read must not hide the others. */
async function knownRuns({ folders, out }: Here): Promise<FoundRuns> {
  const { runsIn } = await import('../../seed/runs.ts');
  const { runsFolder } = await import('../../seed/journal-path.ts');
  const found = await runsIn(runsFolder(folders.state));
  for (const { message } of found.problems) await out.warn(message);
  return found;
}

function journalNamed(journal: string): string {
  if (journal === '' || journal.includes('\0')) {
    throw usageError(`--journal: ${JSON.stringify(journal)} is not the name of a file.`);
  }
  return resolve(journal);
}

/** How runs are listed. */
const runShape: Shape = {
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
const rowShape: Shape = {
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
async function runRecord({ run, path, holder }: FoundRun): Promise<ServiceRecord> {
  const { countsOf, isComplete } = await import('../../seed/history.ts');
  const { readTarget, targetText } = await import('../../seed/target.ts');
  const { id, command, files, identity_url, base_url, account, profile } = run.header;
  const ended = isComplete(run) ? 'complete' : 'incomplete';
  return {
    run_id: id,
    started: new Date(run.startedAt).toISOString(),
    command,
    target: targetText(readTarget(run.header)),
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
function rowRecords({ run }: FoundRun): readonly ServiceRecord[] {
  return run.rows.map(({ runId: _, at, ...row }) => ({ ...row, at: new Date(at).toISOString() }));
}

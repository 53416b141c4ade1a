import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalChange, withLocalSession } from '../../cli/session.ts';
import { onePage } from '../../model/records.ts';

/** `runs list`: all runs in the journals on this machine, newest first. */
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
        const { allRuns, runRecord, runShape } = await import('./found-runs.ts');
        const runs = await allRuns(session, journal);
        await session.out.records(runShape, onePage(runs.map(runRecord)));
      }),
    );
}

/** `runs show <run-id>`: the rows of a run, from its journal. */
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
        const { rowRecords, rowShape, runRecord, theRun } = await import('./found-runs.ts');
        const found = await theRun(session, runId, journal);
        const facts = runRecord(found);
        const { run_id: id, target, state } = facts;
        await session.out.note(`Run ${id} at ${target} is ${state}. Its journal is ${found.path}.`);
        await session.out.records(rowShape, onePage(rowRecords(found)), facts);
      }),
    );
}

/** `runs forget <run-id>`: remove the journal of a run, after confirmation. Nothing changes at the service. */
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
        const { removeJournal, refuseRunning } = await import('../../seed/runs.ts');
        const { forgetQuestion, theRun } = await import('./found-runs.ts');
        const found = await theRun(session, runId, journal);
        refuseRunning(found.path);
        await session.confirm(forgetQuestion(found));
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

/** The --journal flag of commands that find a run. */
export const journalFlag = ['--journal <path>', 'path of the journal, if the run had its own'] as const;

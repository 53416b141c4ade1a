import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { onePage } from '../../model/records.ts';

/** `runs ...`: what runs did, from their journals. */
export function runsCommands(context: Context) {
  return new DescribedCommand('runs', {
    examples: ['runs list', 'runs show 1cdd022e'],
  })
    .alias('run')
    .summary('list and show runs')
    .description(
      'List and show runs of apply and of commands for several people, from the journals on this machine. The command of an ' +
        'incomplete run, typed again, continues it.',
    )
    .addCommand(listRuns(context))
    .addCommand(showRun(context));
}

/** `runs list`: all runs in the journals on this machine, newest first. */
function listRuns(context: Context) {
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
function showRun(context: Context) {
  return new DescribedCommand('show', {
    effect: 'reads',
    exits: ['notFound', 'ambiguous'],
    examples: ['runs show 1cdd022e', 'runs show 1cdd022e --json'],
  })
    .alias('get')
    .summary('show what a run did')
    .description('Show the rows that a run sent.')
    .argument('<run-id>', 'id of the run, or at least its first 6 characters')
    .option(...journalFlag)
    .action(
      withLocalSession(context, async (session, runId, { journal }) => {
        const { rowRecords, rowShape, runRecord, theRun } = await import('./found-runs.ts');
        const found = await theRun(session, runId, journal);
        const facts = runRecord(found);
        const { run_id: id, target, state } = facts;
        const again = state === 'incomplete' ? ': run the same command again to continue' : '';
        await session.out.note(`Run ${id} at ${target} is ${state}${again}. Its journal is ${found.path}.`);
        await session.out.records(rowShape, onePage(rowRecords(found)), facts);
      }),
    );
}

/** The --journal flag of commands that find a run. */
const journalFlag = ['--journal <path>', 'path of the journal, if the run had its own'] as const;

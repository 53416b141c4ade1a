import { DescribedCommand, localCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { onePage } from '../../model/records.ts';

/** `runs ...`: what runs did, from their journals. */
export function runsCommands(context: Context) {
  return new DescribedCommand('runs run', { examples: ['runs list', 'runs show 1cdd022e'] })
    .summary('list and show runs')
    .description(
      'List and show runs: what each command line sent, from the journals on this machine. The command of an incomplete run, ' +
        'typed again, continues it.',
    )
    .addCommand(listRuns(context))
    .addCommand(showRun(context));
}

/** `runs list`: all runs in the journals on this machine, newest first. */
function listRuns(context: Context) {
  return localCommand('list ls', 'reads', ['runs list', 'runs list --json'])
    .summary('list runs, newest first')
    .description('List the runs in the journals on this machine, newest first.')
    .action(
      withLocalSession(context, async (session) => {
        const { allRuns } = await import('../history/entries.ts');
        const { runRecord, runShape } = await import('./listed.ts');
        const runs = await allRuns(session);
        await session.out.records(runShape, onePage(runs.map(runRecord)));
      }),
    );
}

/** `runs show <run-id>`: the rows of a run, from its journal. */
function showRun(context: Context) {
  return localCommand('show get', 'reads', ['runs show 1cdd022e', 'runs show 1cdd022e --json'])
    .exitsWith('notFound', 'ambiguous')
    .summary('show what a run did')
    .description('Show the rows that a run sent.')
    .argument('<run-id>', 'id of the run, or at least its first 6 characters')
    .action(
      withLocalSession(context, async (session, runId) => {
        const { theRun } = await import('../history/entries.ts');
        const { rowRecords, rowShape, runRecord } = await import('./listed.ts');
        const found = await theRun(session, runId);
        const facts = runRecord(found);
        const { run_id: id, target, state } = facts;
        const again = state === 'incomplete' ? ': run the same command again to continue' : '';
        await session.out.note(`Run ${id} at ${target} is ${state}${again}. Its journal is ${found.path}.`);
        await session.out.records(rowShape, onePage(rowRecords(found)), facts);
      }),
    );
}

import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { onePage } from '../../records.ts';
import { withLocalSession } from '../../session.ts';
import { journalFlag, theRun } from './find.ts';
import { rowRecords, rowShape, runRecord } from './shape.ts';

/** `runs show <run-id>`: one run, row by row, as its journal tells. */
export function showRun(context: Context) {
  return new DescribedCommand('show', {
    effect: 'reads',
    exits: ['notFound', 'ambiguous'],
    examples: ['runs show 1cdd022e', 'runs show 1cdd022e --json'],
  })
    .alias('get')
    .summary('show what a run did, row by row')
    .description('Show what a run did, row by row, as its journal tells.')
    .argument('<run-id>', 'run, or the first 6 characters of its id and more')
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

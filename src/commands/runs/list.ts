import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { onePage } from '../../records.ts';
import { withLocalSession } from '../../session.ts';
import { allRuns, journalFlag } from './find.ts';
import { runRecord, runShape } from './shape.ts';

/** `runs list`: every run that a journal on this machine tells of, the newest first. */
export function listRuns(context: Context) {
  return new DescribedCommand('list', {
    effect: 'reads',
    examples: ['runs list', 'runs list --journal ./import.ndjson --json'],
  })
    .alias('ls')
    .summary('list runs, the newest first')
    .description('List every run that a journal on this machine tells of, the newest first.')
    .option(...journalFlag)
    .action(
      withLocalSession(context, async (session, { journal }) => {
        const runs = await allRuns(session, journal);
        await session.out.records(runShape, onePage(await Promise.all(runs.map(runRecord))));
      }),
    );
}

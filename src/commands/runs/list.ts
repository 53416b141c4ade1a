import { Command } from '@commander-js/extra-typings';
import type { FoundRun } from '../../apply/runs.ts';
import type { Context } from '../../context.ts';
import type { Page } from '../../records.ts';
import { withLocalSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { allRuns, journalFlag } from './find.ts';
import { runRecord, runShape } from './shape.ts';

/** `runs list`: every run that a journal on this machine tells of, the newest first. */
export function listRuns(context: Context) {
  return new Command('list')
    .alias('ls')
    .summary('list runs, the newest first')
    .description('List every run that a journal on this machine tells of, the newest first.')
    .option(...journalFlag)
    .addHelpText('after', examples('runs list', 'runs list --journal ./import.ndjson --json'))
    .action(
      withLocalSession(context, async (session, { journal }) => {
        const runs = await allRuns(session, journal);
        await session.out.records(runShape, pageOf(runs));
      }),
    );
}

async function* pageOf(runs: readonly FoundRun[]): AsyncIterable<Page> {
  const items = await Promise.all(runs.map(runRecord));
  yield { items, total: items.length, truncated: false };
}

import type { FoundRun } from '../../apply/runs.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { withLocalChange } from '../../session.ts';
import { journalFlag, theRun } from './find.ts';

/** `runs forget <run-id>`: remove the journal that tells of a run, after a question. Nothing changes at the service. */
export function forgetRun(context: Context) {
  return new DescribedCommand('forget', {
    effect: 'destroys',
    exits: ['notFound', 'refused', 'blocked', 'ambiguous'],
    examples: ['runs forget 1cdd022e', 'runs forget 1cdd022e --yes'],
  })
    .alias('rm')
    .summary('remove the journal of a run')
    .description('Remove the journal that tells of a run. Nothing changes at the service.')
    .argument('<run-id>', 'run, or the first 6 characters of its id and more')
    .option(...journalFlag)
    .action(
      withLocalChange(context, async (session, runId, { journal }) => {
        const found = await theRun(session, runId, journal);
        const { removeJournal, refuseRunning } = await import('../../apply/forget.ts');
        refuseRunning(found.path, context);
        const { readTarget, targetText } = await import('../../apply/target.ts');
        await session.confirm(question(found, targetText(readTarget(found.run.header))));
        removeJournal(found.path, context);
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

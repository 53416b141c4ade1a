import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { allowLockoutFlag, maxDeletesFlag } from '../apply/flags.ts';
import { resendUnknownFlag } from '../plan/flags.ts';
import { journalFlag } from './runs.ts';

/**
 * `runs resume <run-id>`: finish a run with its original files and flags. Requests that are repeated keep their
 * idempotency keys.
 */
export function resumeRun(context: Context) {
  return new DescribedCommand('resume', {
    effect: 'destroys',
    on: 'service',
    exits: ['partlyDone', 'ambiguous'],
    examples: ['runs resume 1cdd022e', 'runs resume 1cdd022e --yes'],
  })
    .summary('resume a run')
    .description('Finish an interrupted or failed run, with its original files and flags.')
    .argument('<run-id>', 'id of the run, or at least its first 6 characters')
    .option(...journalFlag)
    .option(...maxDeletesFlag)
    .option(...allowLockoutFlag)
    .option(...resendUnknownFlag)
    .action(
      withSession(context, async (session, runId, { journal, ...consent }) => {
        const { isComplete } = await import('../../seed/history.ts');
        const { refuseRunning } = await import('../../seed/runs.ts');
        const { refuseUnlike, theRun } = await import('./found-runs.ts');
        const found = await theRun(session, runId, journal);
        const { header } = found.run;
        if (isComplete(found.run)) {
          await session.out.done(`Run ${header.id} is complete: nothing is left to do.`, {
            run_id: header.id,
            state: 'complete',
          });
          return;
        }
        refuseRunning(found.path);
        await refuseUnlike(found, session);
        const { resumeApply } = await import('../apply/run.ts');
        await resumeApply(session, found.path, header, consent);
      }),
    );
}

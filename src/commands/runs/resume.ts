import { DescribedCommand } from '../../cli/described-command.ts';
import { usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import type { RunLine } from '../../seed/journal-line.ts';
import type { FoundRun } from '../../seed/runs.ts';
import { allowLockoutFlag, maxDeletesFlag } from '../apply/flags.ts';
import { serviceLine } from '../lines.ts';
import { resendUnknownFlag } from '../plan/flags.ts';
import { journalFlag, theRun } from './runs.ts';

/**
 * `runs resume <run-id>`: do what is left of a run, with the files and flags that it was started with. What was sent
 * before is sent under its old idempotency key, if at all.
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
        const found = await theRun(session, runId, journal);
        const { header } = found.run;
        const { isComplete } = await import('../../seed/history.ts');
        if (isComplete(found.run)) {
          await session.out.done(`Run ${header.id} is complete: nothing is left to be done.`, {
            run_id: header.id,
            state: 'complete',
          });
          return;
        }
        const { refuseRunning } = await import('../../seed/runs.ts');
        refuseRunning(found.path);
        await refuseUnlike(found, session);
        const { resumeApply } = await import('../apply/run.ts');
        await resumeApply(session, found.path, header, consent);
      }),
    );
}

/** The command line of a run that read stdin, at the service that it works on. */
function stdinLine({ id, command, files, profile }: RunLine, path: string): string {
  const typed = files.map((file) => (file.startsWith('-') ? '-' : file));
  return serviceLine(
    profile === undefined ? {} : { profile },
    ...command.split(' '),
    ...typed,
    ...['--journal', path, '--run-id', id],
  );
}

/** Refuses what cannot be the same run again: other input, another service, or another account. */
async function refuseUnlike({ run: { header }, path }: FoundRun, session: Session): Promise<void> {
  const { stdinFolder } = await import('../../seed/journal-path.ts');
  const folder = header.files.map(stdinFolder).find((each) => each !== undefined);
  if (folder !== undefined) {
    throw usageError(
      `Run ${header.id} read its rows from stdin, which is gone.`,
      `Give them once more, in ${folder}: ${stdinLine(header, path)}`,
    );
  }
  const { isSameTarget, readTarget } = await import('../../seed/target.ts');
  const { targetIn } = await import('../target.ts');
  const now = await targetIn(session, { prune: false });
  if (isSameTarget(readTarget(header), now)) return;
  const { otherTargetOfRun } = await import('../../seed/journal-errors.ts');
  throw otherTargetOfRun(path, header, now, session.settings().profile?.value);
}

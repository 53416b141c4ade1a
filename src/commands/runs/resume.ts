import type { RunLine } from '../../apply/journal-lines.ts';
import type { FoundRun } from '../../apply/runs.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { CliError, usageError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { shellLine } from '../../render/shell.ts';
import { type Session, withSession } from '../../session.ts';
import { allowLockoutFlag, maxDeletesFlag } from '../apply/flags.ts';
import { resendUnknownFlag } from '../plan/flags.ts';
import { serviceLine } from '../settle.ts';
import { journalFlag, theRun } from './find.ts';

/**
 * `runs resume <run-id>`: do what is left of a run, with the files and flags that it was begun with. Whatever was sent
 * before goes out under its old idempotency key, if at all.
 */
export function resumeRun(context: Context) {
  return new DescribedCommand('resume', {
    effect: 'destroys',
    on: 'service',
    exits: ['partlyDone', 'ambiguous'],
    examples: ['runs resume 1cdd022e', 'runs resume 1cdd022e --yes'],
  })
    .summary('do what is left of a run')
    .description('Do what is left of a run, with the files and flags that it was begun with.')
    .argument('<run-id>', 'run, or the first 6 characters of its id and more')
    .option(...journalFlag)
    .option(...maxDeletesFlag)
    .option(...allowLockoutFlag)
    .option(...resendUnknownFlag)
    .action(
      withSession(context, async (session, runId, { journal, ...consent }) => {
        const found = await theRun(session, runId, journal);
        const { header } = found.run;
        const { isComplete } = await import('../../apply/history.ts');
        if (isComplete(found.run)) {
          await session.out.done(`Run ${header.id} is complete: nothing is left to be done.`, {
            run_id: header.id,
            state: 'complete',
          });
          return;
        }
        const { refuseRunning } = await import('../../apply/forget.ts');
        refuseRunning(found.path, context);
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
  const { stdinFolder } = await import('../../apply/journal-path.ts');
  const folder = header.files.map(stdinFolder).find((each) => each !== undefined);
  if (folder !== undefined) {
    throw usageError(
      `Run ${header.id} read its rows from stdin, which is gone.`,
      `Give them once more, in ${folder}: ${stdinLine(header, path)}`,
    );
  }
  const { isSameTarget, readTarget, targetText } = await import('../../apply/target.ts');
  const { targetIn } = await import('../target.ts');
  const of = readTarget(header);
  const now = targetIn(session);
  if (isSameTarget(of, now)) return;
  throw new CliError(
    'other_target',
    `Run ${header.id} works on ${targetText(of)}; the settings in force lead to ${targetText(now)}.`,
    {
      exitCode: ExitCode.usage,
      hint:
        header.profile === undefined || header.profile === session.settings().profile?.value
          ? undefined
          : shellLine(['innctl', 'runs', 'resume', header.id, '--profile', header.profile]),
    },
  );
}

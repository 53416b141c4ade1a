import { allowLockoutFlag, pruneFlag, withRunFlags } from '../../change/flags.ts';
import type { Context } from '../../model/ports.ts';
import { serviceCommand } from '../../session/described-command.ts';
import { withSession } from '../../session/session.ts';

/**
 * `apply <files...>`: create and update records from manifests.
 *
 * Reads the service, shows the plan, asks for consent and carries it out: properties first, then people. The same
 * command continues an interrupted run.
 */
export function applyCommand(context: Context) {
  const command = serviceCommand('apply', 'destroys', [
    'apply hotels.yaml',
    'apply hotels/ people.csv --dry-run',
    'apply hotels.csv --yes --max-changes 50',
    'apply leavers.csv --yes --max-deletes 20',
    'apply hotels/ --plan plan.json --yes --run-id "$GITHUB_RUN_ID"',
  ])
    .exitsWith('partlyDone')
    .summary('apply manifests to the service')
    .description(
      'Create and update properties, invitations and user access from manifests. Run the same command again to ' +
        'continue an interrupted run; nothing is created twice. With --dry-run, prints the plan and sends nothing.',
    )
    .argument('<files...>', 'manifests, or folders; - for stdin')
    .option(
      '--plan <path>',
      'apply only this saved plan (innctl plan --json), and fail if anything has changed',
    )
    .option(...allowLockoutFlag);
  return withRunFlags(command.option(...pruneFlag)).action(
    withSession(context, async (session, files, flags) => {
      const { runApply } = await import('./run.ts');
      await runApply(session, files, flags);
    }),
  );
}

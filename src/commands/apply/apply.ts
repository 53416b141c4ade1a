import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { allowLockoutFlag, withApplyFlags } from './flags.ts';

/**
 * `apply <files...>`: make the service as files say.
 *
 * Reads what is there, shows what it would do, asks, and does it: properties first, then people. The same command again
 * goes on where a run was stopped.
 */
export function applyCommand(context: Context) {
  const command = new DescribedCommand('apply', {
    effect: 'destroys',
    on: 'service',
    exits: ['partlyDone'],
    examples: [
      'apply hotels.yaml',
      'apply hotels/ people.csv --dry-run',
      'apply hotels.csv --yes --max-changes 50 --failed-out failed.csv',
      'apply leavers.csv --yes --max-deletes 20',
      'apply hotels/ --plan plan.json --yes --run-id "$GITHUB_RUN_ID"',
    ],
  })
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
  return withApplyFlags(command).action(
    withSession(context, async (session, files, options) => {
      const { runApply } = await import('./run.ts');
      await runApply(session, files, { command: 'apply', ...options });
    }),
  );
}

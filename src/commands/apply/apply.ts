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
    .summary('make the service as files say')
    .description(
      'Create and change properties, invitations and the access of users as files say. The same command again goes on ' +
        'where a run was stopped, and creates nothing twice. With --dry-run the plan is printed, and nothing is sent.',
    )
    .argument('<files...>', 'manifests and folders of them; - is stdin')
    .option(
      '--plan <path>',
      'only what this saved plan says (innctl plan --json): nothing may have changed since',
    )
    .option(...allowLockoutFlag);
  return withApplyFlags(command).action(
    withSession(context, async (session, files, options) => {
      const { runApply } = await import('./run.ts');
      await runApply(session, files, { command: 'apply', ...options });
    }),
  );
}

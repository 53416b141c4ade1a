import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { withApplyFlags } from './flags.ts';

/** `invitations import <files...>`: `apply` for invitations alone, whose entries need no kind. */
export function importInvitations(context: Context) {
  const command = new DescribedCommand('import', {
    effect: 'destroys',
    on: 'service',
    exits: ['partlyDone'],
    examples: ['invitations import people.csv', 'invite import people.yaml --yes --failed-out failed.csv'],
  })
    .summary('invite several people from files')
    .description(
      'Invite several people as files say: YAML, JSON, NDJSON or CSV. The same command again goes on where a run was ' +
        'stopped, and nobody gets two mails. With --dry-run the plan is printed, and nothing is sent.',
    )
    .argument('<files...>', 'files of invitations and folders of them; - is stdin');
  return withApplyFlags(command).action(
    withSession(context, async (session, files, options) => {
      const { runApply } = await import('./run.ts');
      await runApply(session, files, { command: 'invitations import', ...options });
    }),
  );
}

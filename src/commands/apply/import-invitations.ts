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
    .summary('create invitations from files')
    .description(
      'Create invitations from YAML, JSON, NDJSON or CSV files. Run the same command again to continue an ' +
        'interrupted run; no invitation is sent twice. With --dry-run, prints the plan and sends nothing.',
    )
    .argument('<files...>', 'files of invitations, or folders; - for stdin');
  return withApplyFlags(command).action(
    withSession(context, async (session, files, options) => {
      const { runApply } = await import('./run.ts');
      await runApply(session, files, { command: 'invitations import', ...options });
    }),
  );
}

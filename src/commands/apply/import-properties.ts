import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { withApplyFlags } from './flags.ts';

/** `properties import <files...>`: `apply` for properties alone, whose entries need no kind. */
export function importProperties(context: Context) {
  const command = new DescribedCommand('import', {
    effect: 'destroys',
    on: 'service',
    exits: ['partlyDone'],
    examples: ['properties import hotels.csv', 'properties import hotels/ --yes --failed-out failed.csv'],
  })
    .summary('create and update properties from files')
    .description(
      'Create and update properties from YAML, JSON, NDJSON or CSV files. Run the same command again to continue an ' +
        'interrupted run; nothing is created twice. With --dry-run, prints the plan and sends nothing.',
    )
    .argument('<files...>', 'files of properties, or folders; - for stdin');
  return withApplyFlags(command).action(
    withSession(context, async (session, files, options) => {
      const { runApply } = await import('./run.ts');
      await runApply(session, files, { command: 'properties import', ...options });
    }),
  );
}

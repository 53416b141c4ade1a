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
    .summary('create and change properties from files')
    .description(
      'Create and change properties as files say: YAML, JSON, NDJSON or CSV. The same command again goes on where a ' +
        'run was stopped, and creates nothing twice. With --dry-run the plan is printed, and nothing is sent.',
    )
    .argument('<files...>', 'files of properties and folders of them; - is stdin');
  return withApplyFlags(command).action(
    withSession(context, async (session, files, options) => {
      const { runApply } = await import('./run.ts');
      await runApply(session, files, { command: 'properties import', ...options });
    }),
  );
}

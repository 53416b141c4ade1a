import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { onePage } from '../../records.ts';
import { withLocalSession } from '../../session.ts';
import { settingShape } from './shape.ts';

/** `config list`: every setting that has a value, and where it comes from. Of a secret only that it is there. */
export function listSettings(context: Context) {
  return new DescribedCommand('list', {
    effect: 'reads',
    examples: ['config list', 'config list --profile chain --json'],
  })
    .alias('ls')
    .summary('list the settings in force')
    .description('List every setting that has a value, and where it comes from. Secrets are not shown.')
    .action(
      withLocalSession(context, async ({ settings, out }) => {
        const items = settings().effective.map(({ setting, value, source }) => ({
          key: setting.key,
          value,
          source,
        }));
        await out.records(settingShape, onePage(items));
      }),
    );
}

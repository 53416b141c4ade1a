import { configPath } from '../../config/file.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { withLocalSession } from '../../session.ts';

/** `config path`: the file that holds the settings; it need not exist. */
export function showPath(context: Context) {
  return new DescribedCommand('path', { effect: 'reads', examples: ['config path'] })
    .summary('print the path of the settings file')
    .description('Print the path of the settings file. It need not exist yet.')
    .action(
      withLocalSession(context, async ({ folders, out }) => {
        const path = configPath(folders.config);
        await out.line(path, { path });
      }),
    );
}

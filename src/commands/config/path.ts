import { Command } from '@commander-js/extra-typings';
import { configPath } from '../../config/file.ts';
import type { Context } from '../../context.ts';
import { withLocalSession } from '../../session.ts';
import { examples } from '../examples.ts';

/** `config path`: the file that holds the settings; it need not exist. */
export function showPath(context: Context) {
  return new Command('path')
    .summary('print the path of the settings file')
    .description('Print the path of the settings file. It need not exist yet.')
    .addHelpText('after', examples('config path'))
    .action(
      withLocalSession(context, async ({ folders, out }) => {
        const path = configPath(folders.config);
        await out.line(path, { path });
      }),
    );
}

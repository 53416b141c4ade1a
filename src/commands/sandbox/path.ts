import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { withLocalSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { sandboxFolder } from './folder.ts';

/** `sandbox path`: the folder that holds the sandbox's state, whether or not it is there yet. */
export function showPath(context: Context) {
  return new Command('path')
    .summary("print the folder of the sandbox's state")
    .description("Print the folder of the sandbox's state.")
    .addHelpText('after', examples('sandbox path'))
    .action(
      withLocalSession(context, async (session) => {
        const path = sandboxFolder(session);
        await session.out.line(path, { path });
      }),
    );
}

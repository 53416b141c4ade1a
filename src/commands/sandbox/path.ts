import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { withLocalSession } from '../../session.ts';
import { sandboxFolder } from './folder.ts';

/** `sandbox path`: the folder that holds the sandbox's state, whether or not it is there yet. */
export function showPath(context: Context) {
  return new DescribedCommand('path', { effect: 'reads', examples: ['sandbox path'] })
    .summary("print the folder of the sandbox's state")
    .description("Print the folder of the sandbox's state.")
    .action(
      withLocalSession(context, async (session) => {
        const path = sandboxFolder(session);
        await session.out.line(path, { path });
      }),
    );
}

import { DescribedCommand, rootOf } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { onePage } from '../../model/records.ts';
import type { Shape } from '../../print/output.ts';

/** The columns for people; programs get all fields of reference/command-records.ts. */
const commandShape: Shape = {
  noun: ['command', 'commands'],
  columns: [
    { field: 'command', header: 'Command' },
    { field: 'effect', header: 'Effect' },
    { field: 'summary', header: 'What it does' },
  ],
};

/** `commands`: list all commands, from the command tree of this run. */
export function commandsCommand(context: Context) {
  return new DescribedCommand('commands', {
    effect: 'reads',
    examples: ['commands', 'commands --json', `commands --query "items[?effect=='destroys'].command" --raw`],
  })
    .summary('list all commands')
    .description(
      'List all commands. With --json, also prints their arguments, flags, examples and exit codes, and the global flags.',
    )
    .action(
      withLocalSession(context, async ({ out }, _options, command) => {
        const { modelOf } = await import('../../reference/model.ts');
        const { commandRecords, globalFlagRecords } = await import('../../reference/command-records.ts');
        const root = modelOf(rootOf(command));
        await out.records(commandShape, onePage(commandRecords(root)), {
          global_flags: globalFlagRecords(root),
        });
      }),
    );
}

import type { Argument, Command } from '@commander-js/extra-typings';
import { configCommands } from './commands/config/index.ts';
import { helpCommand } from './commands/help/help.ts';
import { invitationsCommands } from './commands/invitations/index.ts';
import { profilesCommands } from './commands/profiles/index.ts';
import { propertiesCommands } from './commands/properties/index.ts';
import { sandboxCommands } from './commands/sandbox/index.ts';
import type { Context } from './context.ts';
import { createRoot } from './global-options.ts';

/**
 * The whole command tree: the only declaration of the command line. Building it touches nothing.
 *
 * @param say takes help and version texts; they are written when parsing is over.
 */
export function buildProgram(context: Context, say: (text: string) => void) {
  const program = createRoot()
    .version(context.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .addCommand(invitationsCommands(context))
    .addCommand(propertiesCommands(context))
    .addCommand(profilesCommands(context))
    .addCommand(configCommands(context))
    .addCommand(sandboxCommands(context))
    .addCommand(helpCommand(context));
  settle(program as unknown as Command, say, context);
  return program;
}

function argumentTerm(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Children added with addCommand inherit none of this. */
function settle(command: Command, say: (text: string) => void, context: Context): void {
  command
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .configureHelp({
      showGlobalOptions: true,
      // Aliases such as ls and rm work and are not shown.
      subcommandTerm: (child) => [child.name(), ...child.registeredArguments.map(argumentTerm)].join(' '),
    })
    .configureOutput({
      writeOut: say,
      // A group without a verb prints its help here; complaints come back as errors.
      writeErr: say,
      outputError: () => {},
      getOutHelpWidth: () => context.stdout.columns,
      getErrHelpWidth: () => context.stdout.columns,
    });
  for (const child of command.commands) settle(child as Command, say, context);
}

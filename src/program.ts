import { type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { quote } from './checks/text.ts';
import { apiCommand } from './commands/api/api.ts';
import { applyCommand } from './commands/apply/apply.ts';
import { commandsCommand } from './commands/commands/commands.ts';
import { completionCommand } from './commands/completion/completion.ts';
import { configCommands } from './commands/config/index.ts';
import { countriesCommands } from './commands/countries/index.ts';
import { exportCommand } from './commands/export/export.ts';
import { helpCommand } from './commands/help/help.ts';
import { wordsOf } from './commands/help/naming.ts';
import { pageOf } from './commands/help/page.ts';
import { invitationsCommands } from './commands/invitations/index.ts';
import { planCommand } from './commands/plan/plan.ts';
import { profilesCommands } from './commands/profiles/index.ts';
import { propertiesCommands } from './commands/properties/index.ts';
import { rolesCommands } from './commands/roles/index.ts';
import { runsCommands } from './commands/runs/index.ts';
import { sandboxCommands } from './commands/sandbox/index.ts';
import { schemaCommands } from './commands/schema/index.ts';
import { usersCommands } from './commands/users/index.ts';
import type { Context } from './context.ts';
import { usageError } from './errors.ts';
import { createRoot } from './global-options.ts';
import { argumentOf } from './reference/surface.ts';

/**
 * The whole command tree: the only declaration of the command line. Building it touches nothing.
 *
 * @param say takes help and version texts; they are written when parsing is over.
 */
export function buildProgram(context: Context, say: (text: string) => void) {
  const program = createRoot()
    .version(context.version, '-V, --version', 'print the version')
    .addCommand(invitationsCommands(context))
    .addCommand(rolesCommands(context))
    .addCommand(usersCommands(context))
    .addCommand(propertiesCommands(context))
    .addCommand(countriesCommands(context))
    .addCommand(planCommand(context))
    .addCommand(applyCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(runsCommands(context))
    .addCommand(schemaCommands(context))
    .addCommand(apiCommand(context))
    .addCommand(profilesCommands(context))
    .addCommand(configCommands(context))
    .addCommand(sandboxCommands(context))
    .addCommand(completionCommand(context))
    .addCommand(commandsCommand(context))
    .addCommand(helpCommand(context, say));
  settle(program as unknown as Command, say, context);
  return program;
}

function usageOf(command: CommandUnknownOpts): string {
  return [...wordsOf(command), command.usage().replace('[options]', '[flags]')].join(' ');
}

/** Children added with addCommand inherit none of this. */
function settle(command: Command, say: (text: string) => void, context: Context): void {
  command
    .exitOverride()
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help', 'show help').helpGroup('Other'))
    .showSuggestionAfterError(false)
    .configureHelp({
      showGlobalOptions: true,
      formatHelp: pageOf,
      // Aliases such as ls and rm work and are not shown.
      commandUsage: usageOf,
      subcommandTerm: (child) => [child.name(), ...child.registeredArguments.map(argumentOf)].join(' '),
    })
    .configureOutput({
      writeOut: say,
      // A group without a verb prints its help here; complaints come back as errors.
      writeErr: say,
      outputError: () => {},
      getOutHelpWidth: () => context.stdout.columns,
      getErrHelpWidth: () => context.stdout.columns,
    });
  for (const child of command.commands) {
    child.options.forEach(refuseSecond);
    settle(child as Command, say, context);
  }
}

/** Of two values commander alone would quietly take the last. A global flag may stand in an alias, and is overridden. */
function refuseSecond(option: Option): void {
  if (option.parseArg !== undefined || !option.required) return;
  option.argParser((text, before: string | undefined) => {
    if (before === undefined) return text;
    throw usageError(
      `${option.long} is given twice, as ${quote(before)} and ${quote(text)}; it takes one value.`,
    );
  });
}

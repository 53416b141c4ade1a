import { type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { wordsOf } from '../commands/help/find.ts';
import { pageOf } from '../commands/help/page.ts';
import { quote } from '../model/text.ts';
import { argumentOf } from '../reference/surface.ts';
import { usageError } from './errors.ts';
import { commandWords, createRoot, type Root } from './flags.ts';
import type { Context } from './ports.ts';

/** Takes help and version texts; they are written when parsing is over. */
type Say = (text: string) => void;

/** A command of the root, by all names that it answers to. It is read and built when a command line names it. */
interface Branch {
  readonly names: readonly string[];
  /** Whether it shows what stands beside it. */
  readonly showsOthers?: true;
  /** @param verb the word behind its name: where it is that of a command below, no other one need be built. */
  build(context: Context, say: Say, verb: string | undefined): Promise<CommandUnknownOpts>;
}

/** In the order of help. */
const branches: readonly Branch[] = [
  {
    names: ['invitations', 'invitation', 'invite'],
    build: async (context, _, verb) =>
      (await import('../commands/invitations/index.ts')).invitationsCommands(context, verb),
  },
  {
    names: ['roles', 'role'],
    build: async (context) => (await import('../commands/roles/index.ts')).rolesCommands(context),
  },
  {
    names: ['users', 'user'],
    build: async (context, _, verb) =>
      (await import('../commands/users/index.ts')).usersCommands(context, verb),
  },
  {
    names: ['properties', 'property'],
    build: async (context, _, verb) =>
      (await import('../commands/properties/index.ts')).propertiesCommands(context, verb),
  },
  {
    names: ['countries', 'country'],
    build: async (context) => (await import('../commands/countries/index.ts')).countriesCommands(context),
  },
  {
    names: ['plan'],
    build: async (context) => (await import('../commands/plan/plan.ts')).planCommand(context),
  },
  {
    names: ['apply'],
    build: async (context) => (await import('../commands/apply/apply.ts')).applyCommand(context),
  },
  {
    names: ['export'],
    build: async (context) => (await import('../commands/export/export.ts')).exportCommand(context),
  },
  {
    names: ['runs', 'run'],
    build: async (context) => (await import('../commands/runs/index.ts')).runsCommands(context),
  },
  {
    names: ['schema'],
    build: async (context) => (await import('../commands/schema/index.ts')).schemaCommands(context),
  },
  { names: ['api'], build: async (context) => (await import('../commands/api/api.ts')).apiCommand(context) },
  {
    names: ['login'],
    build: async (context) => (await import('../commands/login/login.ts')).loginCommand(context),
  },
  {
    names: ['logout'],
    build: async (context) => (await import('../commands/logout/logout.ts')).logoutCommand(context),
  },
  {
    names: ['whoami'],
    build: async (context) => (await import('../commands/whoami/whoami.ts')).whoamiCommand(context),
  },
  {
    names: ['auth'],
    build: async (context, _, verb) =>
      (await import('../commands/auth/index.ts')).authCommands(context, verb),
  },
  {
    names: ['profiles', 'profile'],
    build: async (context, _, verb) =>
      (await import('../commands/profiles/index.ts')).profilesCommands(context, verb),
  },
  {
    names: ['config'],
    build: async (context) => (await import('../commands/config/index.ts')).configCommands(context),
  },
  {
    names: ['doctor'],
    build: async (context) => (await import('../commands/doctor/doctor.ts')).doctorCommand(context),
  },
  {
    names: ['sandbox'],
    build: async (context) => (await import('../commands/sandbox/index.ts')).sandboxCommands(context),
  },
  {
    names: ['completion'],
    showsOthers: true,
    build: async (context) =>
      (await import('../commands/completion/completion.ts')).completionCommand(context),
  },
  {
    names: ['commands'],
    showsOthers: true,
    build: async (context) => (await import('../commands/commands/commands.ts')).commandsCommand(context),
  },
  {
    names: ['help'],
    showsOthers: true,
    build: async (context, say) => (await import('../commands/help/help.ts')).helpCommand(context, say),
  },
];

/** The whole command tree: the only declaration of the command line. Building it touches nothing. */
export async function buildProgram(context: Context, say: Say) {
  return grown(createRoot(), branches, context, say);
}

/**
 * As much of the tree as a command line needs: the root, the one command that it names, and of a large group the one verb.
 *
 * @param root as `createRoot` makes it.
 * @returns `undefined` where it names none, or one that shows all others.
 */
export async function buildBranch(argv: readonly string[], root: Root, context: Context, say: Say) {
  const [word, verb] = commandWords(argv, root);
  const branch = branches.find(({ names }) => word !== undefined && names.includes(word));
  return branch === undefined || branch.showsOthers ? undefined : grown(root, [branch], context, say, verb);
}

async function grown(root: Root, wanted: readonly Branch[], context: Context, say: Say, verb?: string) {
  const program = root.version(context.version, '-V, --version', 'print the version');
  for (const branch of await Promise.all(wanted.map(({ build }) => build(context, say, verb)))) {
    program.addCommand(branch);
  }
  settle(program as unknown as Command, say, context);
  return program;
}

function usageOf(command: CommandUnknownOpts): string {
  return [...wordsOf(command), command.usage().replace('[options]', '[flags]')].join(' ');
}

/** Children added with addCommand inherit none of this. */
function settle(command: Command, say: Say, context: Context): void {
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

import { Command, CommanderError, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { pageOf } from '../commands/help/page.ts';
import { usageError } from '../model/errors.ts';
import type { Context } from '../model/ports.ts';
import { quote } from '../model/text.ts';
import { commandWords, createRoot, type Root, wordsOf } from '../session/command-line.ts';

/** Receives help and version texts; they are written when parsing is over. */
type Say = (text: string) => void;

/**
 * Loads the function that builds a command.
 *
 * @param verb the word after the command: if it names a subcommand, the others need not be built.
 */
type Load = () => Promise<
  (context: Context, verb: string | undefined, say: Say) => CommandUnknownOpts | Promise<CommandUnknownOpts>
>;

/** The commands of the root by job, in the order of help, each with its aliases. One is loaded when the command line names it. */
const jobs: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Manage people': {
    'invitations invitation invite': async () =>
      (await import('../commands/invitations/index.ts')).invitationsCommands,
    'people person': async () => (await import('../commands/people/index.ts')).peopleCommands,
    'roles role': async () => (await import('../commands/short-list.ts')).rolesCommands,
    'users user': async () => (await import('../commands/users/index.ts')).usersCommands,
    access: async () => (await import('../commands/access/index.ts')).accessCommands,
    evidence: async () => (await import('../commands/evidence/index.ts')).evidenceCommands,
  },
  'Manage hotels': {
    'properties property hotels hotel': async () =>
      (await import('../commands/properties/index.ts')).propertiesCommands,
    'unit-groups unit-group room-types room-type': async () =>
      (await import('../commands/unit-groups/index.ts')).unitGroupsCommands,
    'units unit rooms room': async () => (await import('../commands/units/index.ts')).unitsCommands,
    'unit-attributes unit-attribute': async () =>
      (await import('../commands/unit-attributes/index.ts')).unitAttributesCommands,
    'countries country': async () => (await import('../commands/short-list.ts')).countriesCommands,
  },
  'Apply files': {
    plan: async () => (await import('../commands/apply/apply.ts')).planCommand,
    apply: async () => (await import('../commands/apply/apply.ts')).applyCommand,
    drift: async () => (await import('../commands/drift/drift.ts')).driftCommand,
    export: async () => (await import('../commands/export/export.ts')).exportCommand,
    template: async () => (await import('../commands/template/template.ts')).templateCommand,
    history: async () => (await import('../commands/history/index.ts')).historyCommands,
    undo: async () => (await import('../commands/history/index.ts')).undoCommand,
    'runs run': async () => (await import('../commands/runs/index.ts')).runsCommands,
  },
  'Log in': {
    login: async () => (await import('../commands/login/login.ts')).loginCommand,
    logout: async () => (await import('../commands/logout/logout.ts')).logoutCommand,
    whoami: async () => (await import('../commands/whoami/whoami.ts')).whoamiCommand,
    auth: async () => (await import('../commands/auth/index.ts')).authCommands,
  },
  'Set up': {
    'profiles profile': async () => (await import('../commands/profiles/index.ts')).profilesCommands,
    config: async () => (await import('../commands/config/index.ts')).configCommands,
    doctor: async () => (await import('../commands/doctor/doctor.ts')).doctorCommand,
    completion: async () => (await import('../commands/completion/completion.ts')).completionCommand,
  },
  'Try it out': { sandbox: async () => (await import('../commands/sandbox/index.ts')).sandboxCommands },
  'Write scripts': {
    api: async () => (await import('../commands/api/api.ts')).apiCommand,
    commands: async () => (await import('../commands/commands/commands.ts')).commandsCommand,
    schema: async () => (await import('../commands/schema/index.ts')).schemaCommands,
  },
  'Get help': {
    help: async () => (await import('../commands/help/help.ts')).helpCommand,
    version: async () => (await import('../commands/version/version.ts')).versionCommand,
  },
};

/**
 * The command tree, the only declaration of the command line, as far as a line needs it: the root, and the command that the line
 * names. Of the others there are the names, unless there is no line, or it is about all commands. Building it has no side effects.
 */
export async function buildProgram(
  context: Context,
  say: Say,
  argv?: readonly string[],
  root = createRoot(),
): Promise<Root> {
  const words = commandWords(argv ?? [], root);
  const [noun = '', verb] = words[0] === 'help' ? words.slice(1) : words;
  // Commander takes words after -- for a command, too.
  const isWhole = argv === undefined || noun === 'commands' || (noun === '' && argv.includes('--'));
  const program = root.version(context.version, '-V, --version', 'print the version');
  for (const [job, branches] of Object.entries(jobs))
    for (const [names, load] of Object.entries(branches)) {
      const [name = '', ...aliases] = names.split(' ');
      const isNamed = isWhole || names.split(' ').includes(noun) || name === words[0];
      const branch = isNamed ? await (await load())(context, verb, say) : new Command(name).aliases(aliases);
      program.addCommand(branch.helpGroup(job));
    }
  configure(program as unknown as Command, say, context);
  return program;
}

/** Parses the command line and runs the command. @returns commander's error, if any. */
export async function parseErrorOf(
  program: Root,
  argv: readonly string[],
): Promise<CommanderError | undefined> {
  const given = await jsonFieldsError(argv, program);
  if (given !== undefined) return given;
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // `commander.help`: a group without a subcommand prints its help.
    return error.exitCode === 0 || error.code === 'commander.help' ? undefined : error;
  }
}

/** `--json id,name` is of gh; a command that takes references would look for these. A single name must be that of a field. */
async function jsonFieldsError(argv: readonly string[], root: Root): Promise<CommanderError | undefined> {
  const at = argv.findIndex((word, index) => argv[index - 1] === '--json' && /^[a-z_.,]+$/.test(word));
  const word = argv[at];
  if (word === undefined || commandWords(argv.slice(0, at), root).length < 2) return undefined;
  const { isKnownField } = await import('../model/fields.ts');
  if (!word.includes(',') && !isKnownField(word)) return undefined;
  return new CommanderError(2, '', 'too many arguments: --json takes no fields.');
}

/** Commands added with addCommand do not inherit these settings. */
function configure(command: Command, say: Say, context: Context): void {
  command
    .exitOverride()
    .addHelpOption(new Option('-h, --help', 'show help').helpGroup('Other'))
    .configureHelp({
      showGlobalOptions: true,
      formatHelp: pageOf,
      // Without the help command of each group.
      visibleCommands: (each) => [...each.commands],
      // Without aliases such as ls and rm.
      commandUsage: (each) =>
        [
          ...wordsOf(each),
          each.usage().replace('[options]', '').replace('[command]', '<command>').trim(),
          '[flags]',
        ]
          .filter(Boolean)
          .join(' '),
      subcommandTerm: (child) => [child.name(), ...child.registeredArguments.map(argumentOf)].join(' '),
    })
    .configureOutput({
      writeOut: say,
      // A group without a verb prints its help here; errors are thrown.
      writeErr: say,
      outputError: () => {},
      getOutHelpWidth: () => context.stdout.columns,
      getErrHelpWidth: () => context.stdout.columns,
    });
  for (const child of command.commands) {
    child.options.forEach(refuseSecondValue);
    configure(child as Command, say, context);
  }
}

/** `<id>`, or `[id]` for an optional argument. */
function argumentOf(argument: CommandUnknownOpts['registeredArguments'][number]): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

/**
 * Commander silently takes the last of two values. Global flags may be repeated, because one may come from a shell
 * alias.
 */
function refuseSecondValue(option: Option): void {
  if (option.parseArg !== undefined || !option.required) return;
  option.argParser((text, before: string | undefined) => {
    if (before === undefined) return text;
    throw usageError(
      `${option.long} is given twice, as ${quote(before)} and ${quote(text)}; it takes one value.`,
    );
  });
}

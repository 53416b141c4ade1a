import { type Command, CommanderError, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { wordsOf } from '../commands/help/find.ts';
import { pageOf } from '../commands/help/page.ts';
import { quote } from '../model/text.ts';
import { argumentOf } from './described-command.ts';
import { usageError } from './errors.ts';
import { commandWords, createRoot, fieldIn, type Root } from './flags.ts';
import type { Context } from './ports.ts';

/** Receives help and version texts; they are written when parsing is over. */
type Say = (text: string) => void;

/**
 * The names of a command, and what loads the function that builds it.
 *
 * @param verb the word after the command: if it names a subcommand, the others need not be built.
 */
type Branch = readonly [
  names: string,
  load: () => Promise<
    (context: Context, verb: string | undefined, say: Say) => CommandUnknownOpts | Promise<CommandUnknownOpts>
  >,
];

/** The commands of the root by job, in the order of help, each with its aliases. One is loaded when the command line names it. */
const jobs: Readonly<Record<string, readonly Branch[]>> = {
  'Manage people': [
    [
      'invitations invitation invite',
      async () => (await import('../commands/invitations/index.ts')).invitationsCommands,
    ],
    ['people person', async () => (await import('../commands/people/index.ts')).peopleCommands],
    ['roles role', async () => (await import('../commands/short-list.ts')).rolesCommands],
    ['users user', async () => (await import('../commands/users/index.ts')).usersCommands],
    ['access', async () => (await import('../commands/access/index.ts')).accessCommands],
    ['evidence', async () => (await import('../commands/evidence/index.ts')).evidenceCommands],
  ],
  'Manage hotels': [
    [
      'properties property hotels hotel',
      async () => (await import('../commands/properties/index.ts')).propertiesCommands,
    ],
    [
      'unit-groups unit-group room-types room-type',
      async () => (await import('../commands/unit-groups/index.ts')).unitGroupsCommands,
    ],
    ['units unit rooms room', async () => (await import('../commands/units/index.ts')).unitsCommands],
    [
      'unit-attributes unit-attribute',
      async () => (await import('../commands/unit-attributes/index.ts')).unitAttributesCommands,
    ],
    ['countries country', async () => (await import('../commands/short-list.ts')).countriesCommands],
  ],
  'Apply files': [
    ['plan', async () => (await import('../commands/plan/plan.ts')).planCommand],
    ['apply', async () => (await import('../commands/apply/apply.ts')).applyCommand],
    ['export', async () => (await import('../commands/export/export.ts')).exportCommand],
    ['template', async () => (await import('../commands/template/template.ts')).templateCommand],
    ['runs run', async () => (await import('../commands/runs/index.ts')).runsCommands],
    ['schema', async () => (await import('../commands/schema/index.ts')).schemaCommands],
  ],
  'Log in': [
    ['login', async () => (await import('../commands/login/login.ts')).loginCommand],
    ['logout', async () => (await import('../commands/logout/logout.ts')).logoutCommand],
    ['whoami', async () => (await import('../commands/whoami/whoami.ts')).whoamiCommand],
    ['auth', async () => (await import('../commands/auth/index.ts')).authCommands],
  ],
  'Set up': [
    ['profiles profile', async () => (await import('../commands/profiles/index.ts')).profilesCommands],
    ['config', async () => (await import('../commands/config/index.ts')).configCommands],
    ['doctor', async () => (await import('../commands/doctor/doctor.ts')).doctorCommand],
    ['completion', async () => (await import('../commands/completion/completion.ts')).completionCommand],
  ],
  'Try it out': [['sandbox', async () => (await import('../commands/sandbox/index.ts')).sandboxCommands]],
  'Write scripts': [
    ['api', async () => (await import('../commands/api/api.ts')).apiCommand],
    ['commands', async () => (await import('../commands/commands/commands.ts')).commandsCommand],
  ],
  'Get help': [
    ['help', async () => (await import('../commands/help/help.ts')).helpCommand],
    ['version', async () => (await import('../commands/version/version.ts')).versionCommand],
  ],
};

const branches = Object.entries(jobs).flatMap(([job, each]) =>
  each.map(([names, load]) => ({ job, names, load })),
);

/** Commands that walk the whole tree. */
const needTree = new Set(['completion', 'commands', 'help']);

/** The whole command tree: the only declaration of the command line. Building it has no side effects. */
export async function buildProgram(context: Context, say: Say) {
  return grow(createRoot(), branches, context, say);
}

/**
 * The part of the tree that a command line needs: the root and the command that it names.
 *
 * @param root from `createRoot`.
 * @returns `undefined` if the whole tree is needed.
 */
export async function buildBranch(argv: readonly string[], root: Root, context: Context, say: Say) {
  const [word = '', verb] = commandWords(argv, root);
  const branch = branches.find(({ names }) => names.split(' ').includes(word));
  return branch === undefined || needTree.has(word) ? undefined : grow(root, [branch], context, say, verb);
}

async function grow(root: Root, chosen: typeof branches, context: Context, say: Say, verb?: string) {
  const program = root.version(context.version, '-V, --version', 'print the version');
  program.hook('preAction', (_, command) => refuseFields(command));
  const built = await Promise.all(
    chosen.map(async ({ job, load }) => (await (await load())(context, verb, say)).helpGroup(job)),
  );
  for (const branch of built) program.addCommand(branch);
  configure(program as unknown as Command, say, context);
  return program;
}

/** Commands added with addCommand do not inherit these settings. */
function configure(command: Command, say: Say, context: Context): void {
  command
    .exitOverride()
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help', 'show help').helpGroup('Other'))
    .showSuggestionAfterError(false)
    .configureHelp({
      showGlobalOptions: true,
      formatHelp: pageOf,
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

/** References do not look like a field of the record: `update BER city=Berlin`. */
function refuseFields({ args, options }: CommandUnknownOpts): void {
  const names = options.flatMap(({ long }) => long?.slice(2) ?? []);
  const field = args.find((word) => fieldIn(word, names) !== undefined);
  if (field === undefined) return;
  throw new CommanderError(
    2,
    'commander.excessArguments',
    `unexpected argument '${field}': a field is set with its flag`,
  );
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

import { Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { ExitCode, type ExitCodeName } from '../model/errors.ts';
import { formats } from '../print/output.ts';
import { withFlags } from '../print/text.ts';
import { isBeyond } from '../service/operations.ts';

/** What a command does to what it works on: nothing, a change, or one that cannot be undone. */
export type Effect = 'reads' | 'writes' | 'destroys';

/** The topics of `innctl help`, in order. */
export const topicNames = ['environment', 'exit-codes', 'faults', 'flags', 'formatting', 'safety'] as const;

/** What help, completions and the reference show of a command beyond what commander knows. */
export interface About {
  /** Command lines without the program's name; the first is the plainest. */
  readonly examples: readonly string[];
  /** `undefined` for a group of commands. */
  readonly effect?: Effect;
  /** What the effect is on: the service, otherwise this machine. */
  readonly on?: 'service';
  /** Exit codes beyond those of every command with this effect. */
  readonly exits?: readonly ExitCodeName[];
}

/** A command with its examples and its effect. */
export class DescribedCommand extends Command {
  about: About;

  /** @param names its name, then its aliases: `list ls`. */
  constructor(names: string, about: About) {
    const [name, ...aliases] = names.split(' ');
    super(name);
    this.aliases(aliases);
    this.about = about;
  }

  /** Says which exit codes it has beyond those of every command with its effect. */
  exitsWith(...exits: readonly (ExitCodeName | false)[]): this {
    this.about = { ...this.about, exits: exits.filter((exit) => exit !== false) };
    return this;
  }
}

/** A command that uses the service. @param names as of `DescribedCommand`. */
export function serviceCommand(names: string, effect: Effect, examples: readonly string[]): DescribedCommand {
  return new DescribedCommand(names, { effect, on: 'service', examples });
}

/** A command that works on this machine alone. @param names as of `DescribedCommand`. */
export function localCommand(names: string, effect: Effect, examples: readonly string[]): DescribedCommand {
  return new DescribedCommand(names, { effect, examples });
}

const everywhere: readonly ExitCodeName[] = ['done', 'failed', 'usage', 'interrupted', 'terminated'];
/** What a service may answer to any request. */
const atTheService: readonly ExitCodeName[] = [
  'notFound',
  'notLoggedIn',
  'forbidden',
  'refused',
  'unavailable',
];
const whenWriting: readonly ExitCodeName[] = ['unknown', 'blocked'];

/** The exit codes of a command, in their order. */
export function exitCodesOf({ effect, on, exits = [] }: About): readonly ExitCode[] {
  const names = [
    ...everywhere,
    ...(on === 'service' ? atTheService : []),
    ...(on === 'service' && effect !== 'reads' ? whenWriting : []),
    ...exits,
  ];
  return [...new Set(names.map((name) => ExitCode[name]))].sort((a, b) => a - b);
}

const effects = {
  service: {
    reads: 'Read-only.',
    writes: 'Changes data at the service.',
    destroys: 'Destructive: can delete data at the service or lock users out.',
  },
  machine: {
    reads: 'Read-only.',
    writes: 'Changes local data.',
    destroys: 'Deletes local data permanently.',
  },
} as const;

/** The effect of a command as a sentence; `undefined` for a group. */
export function effectSentence({ effect, on }: About): string | undefined {
  return effect && effects[on ?? 'machine'][effect];
}

/** The words of a command, starting with the name of the program. */
export function wordsOf(command: CommandUnknownOpts): readonly string[] {
  return [...(command.parent === null ? [] : wordsOf(command.parent)), command.name()];
}

/** What lists of commands say behind one that needs the dialect apaleo. */
export function markOf(command: CommandUnknownOpts): string {
  return isBeyond(wordsOf(command).slice(1).join(' ')) ? ' (apaleo)' : '';
}

/** The root of the tree of a command. */
export function rootOf(command: CommandUnknownOpts): CommandUnknownOpts {
  return command.parent === null ? command : rootOf(command.parent);
}

/** The subcommand with this name or alias. */
export function childOf(command: CommandUnknownOpts, word: string): CommandUnknownOpts | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

/** Collects a repeatable option whose values may also be separated by commas: `BER, VIE`. */
export function collectList(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), ...text.split(',').map((entry) => entry.trim())];
}

/** Collects the unchanged values of a repeatable option. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** The flag of an option's attribute: `allowLockout` is `--allow-lockout`. */
export function flagOf(attribute: string): string {
  return `--${attribute.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * The root command with every flag that all commands share. They are accepted before and after the
 * subcommand; no leaf may declare one of them again, because commander would give its value to the root.
 * Help shows them in these groups, in this order; flags that are declared later belong to the last.
 * The hidden one is of other programs.
 * Values stay texts here: the registry in config/settings.ts checks them, whatever their source.
 */
export function createRoot() {
  return new DescribedCommand('innctl', {
    examples: [
      '--sandbox properties list',
      'invite ana@example.com --role Housekeeping BER',
      'login --preset apaleo',
    ],
  })
    .description('Manage the users, invitations, roles and properties of a hotel account.')
    .optionsGroup('Output')
    .option('--json', 'print JSON (same as --output json)')
    .option('-o, --output <format>', `output format: ${formats.join(', ')}`)
    .option('--fields <fields>', 'print only these fields: id,location.city (repeatable)', collectList)
    .option('--query <jmespath>', 'filter the JSON output with a JMESPath expression')
    .option('-r, --raw', 'with --query: print strings without quotes, one per line')
    .option('--no-headers', 'omit the header row of tables and csv')
    .option('-q, --quiet', 'print only ids, one per line')
    .option('--color <when>', 'use colors: auto, always, never')
    .option('--no-pager', 'never show long lists in a pager')
    .optionsGroup('Safety')
    .option('-n, --dry-run', 'show what would be sent without sending it')
    .option('-y, --yes', 'confirm without prompting')
    .option('--no-input', 'never prompt; fail if input is missing')
    .option('--expect-account <name>', 'fail unless logged in to this account')
    .optionsGroup('Connection')
    .option('-p, --profile <name>', 'profile to use')
    .option('--profiles <names>', 'read from several profiles: vienna,munich, or all', collectList)
    .option('--sandbox', 'use the built-in sandbox (same as --profile sandbox)')
    .option('--timeout <seconds>', 'time limit of the command, including retries (default: 120 per request)')
    .option('--max-attempts <n>', 'maximum attempts per request')
    .option('--ca-file <path>', 'PEM file of additional certificate authorities to trust')
    .option('--max-body <MiB>', 'maximum size of a response')
    .option('--insecure-http', 'allow unencrypted http to other hosts')
    .optionsGroup('Other')
    .option('-d, --debug', 'log requests and responses to stderr, with credentials masked')
    .addOption(new Option('--no-color').hideHelp());
}

/** The root command without its subcommands. */
export type Root = ReturnType<typeof createRoot>;

/** The flags that all commands share, as typed. */
export type GlobalOptions = ReturnType<Root['opts']>;

/**
 * The global flags of a command line that may be invalid, by attribute name, with their values.
 *
 * @param root from `createRoot`.
 */
export function globalsIn(
  argv: readonly string[],
  root: Root = createRoot(),
): ReadonlyMap<string, string | undefined> {
  return new Map(
    [...partsOf(argv, root)].flatMap(({ flag, value }) => (flag === undefined ? [] : [[flag, value]])),
  );
}

/** The words of a command line that are no global flags, each with its index. */
function wordsIn(argv: readonly string[], root: Root) {
  return [...partsOf(argv, root)].flatMap(({ flag, value = '', at }) =>
    flag === undefined ? [{ value, at }] : [],
  );
}

type Words = ReturnType<typeof wordsIn>;

/** The words of a command line, up to the first flag that is not global. */
export function commandWords(argv: readonly string[], root: Root): readonly string[] {
  const words: string[] = [];
  for (const { flag, value = '' } of partsOf(argv, root)) {
    if (flag !== undefined) continue;
    if (value.startsWith('-')) break;
    words.push(value);
  }
  return words;
}

/**
 * Rewrites `-h users` to `users --help`, `auth login` to `login`, `auth logout` to `logout`, `invite <address>` to
 * `invite create <address>`, `access BER` and `access <address>` to `access report` of that property or person, and `history` to
 * `history list`.
 */
export function inOurWords(argv: readonly string[], root: Root): readonly string[] {
  const words = wordsIn(argv, root);
  const [noun, next] = words;
  if (noun === undefined) return argv;
  if (isHelp(noun.value) && next !== undefined) return withFlags(argv.toSpliced(noun.at, 1), [noun.value]);
  const isVerb = next !== undefined && (!next.value.startsWith('-') || isHelp(next.value));
  if (noun.value === 'history') return isVerb ? argv : argv.toSpliced(noun.at + 1, 0, 'list');
  const [first = '', second = ''] = commandWords(argv, root).filter((word) => word !== 'help');
  if (first === 'access') return withReport(argv, words);
  if (['invite', 'invitation', 'invitations'].includes(first)) return withCreate(argv, words);
  if (first !== 'auth' || !['login', 'logout'].includes(second)) return argv;
  const at = argv.findIndex((word, index) => word === 'auth' && argv[index + 1] === second);
  return at === -1 ? argv : argv.toSpliced(at, 1);
}

function isHelp(word: string): boolean {
  return word === '-h' || word === '--help';
}

/** For an address without a verb, unless a later word may be the verb. Flags may be before it. */
function withCreate(argv: readonly string[], [noun, next, ...rest]: Words): readonly string[] {
  if (noun === undefined || next === undefined) return argv;
  const isFlag = next.value.startsWith('-');
  const hasAddress = rest.some(({ value }) => value.includes('@'));
  const hasVerb = rest.some(({ value }) => otherVerbs.includes(value));
  const isMeant = (next.value.includes('@') || (isFlag && hasAddress)) && !hasVerb;
  return isMeant ? argv.toSpliced(noun.at + 1, 0, 'create') : argv;
}

function withReport(argv: readonly string[], words: Words): readonly string[] {
  const [, next] = words.filter(({ value }) => value !== 'help');
  const flag = next?.value.includes('@') ? '--user' : '--property';
  // Verbs have no capitals.
  const isMeant = next !== undefined && /^[^-].*@|^[A-Z0-9][A-Z0-9_,-]*$/.test(next.value);
  return isMeant ? argv.toSpliced(next.at, 0, 'report', flag) : argv;
}

const otherVerbs: readonly string[] = ['list', 'ls', 'create', 'new', 'import', 'delete', 'rm', 'resend'];

/**
 * The parts of a command line that may be invalid, each with its index: a global flag by its attribute name and its value,
 * or any other word as the value. Split as commander does: the value of a flag is not a flag, nor is a word after `--`.
 */
function* partsOf(argv: readonly string[], { options }: Root) {
  const words = [...argv];
  for (let word = words.shift(); word !== undefined && word !== '--'; word = words.shift()) {
    const at = argv.length - words.length - 1;
    const { name, attached } = flagIn(word);
    const option = options.find(({ short, long }) => name === short || name === long);
    const isFlag =
      option !== undefined && (option.required || attached === undefined || name !== option.long);
    if (!isFlag) {
      yield { flag: undefined, value: word, at };
      continue;
    }
    if (!option.required && attached !== undefined) words.unshift(`-${attached}`);
    yield {
      at,
      flag: option.attributeName(),
      value: option.required ? (attached ?? words.shift()) : undefined,
    };
  }
}

/** `--output=json` is a flag and its value; `-ojson` too, or a cluster of flags. */
function flagIn(word: string): { readonly name: string; readonly attached: string | undefined } {
  const [, long, value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined) return { name: long, attached: value };
  const [, short, rest] = /^(-[^-])(.+)?$/s.exec(word) ?? [];
  return { name: short ?? word, attached: rest };
}

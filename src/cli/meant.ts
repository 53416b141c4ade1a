import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { nearestFlag } from '../model/names.ts';
import { quote } from '../model/text.ts';
import { shellLine } from '../print/text.ts';
import { childOf, DescribedCommand, rootOf, wordsOf } from './described-command.ts';
import { type CliError, usageError } from './errors.ts';
import { createRoot, inOurWords, type Root, wordsIn } from './flags.ts';
import type { Context } from './ports.ts';
import { buildProgram, parseErrorOf } from './program.ts';

/** Regular expressions, and what replaces them. A blank is between two words, `*` is one or more characters of a word. */
type Rows = readonly (readonly [typed: string, ours: string])[];

/** What no command does. */
const elsewhere: Rows = [
  ['^roles assign', "set roles in the service's web app"],
  ['(?:^| )users update(| .+) --(?:add-|remove-|set-)?roles?', "set roles in the service's web app"],
  ['^update$', 'npm install -g innctl, or the page of releases'],
];

const commands: Rows = [
  ['^(?:diff|validate)', 'plan'],
  ['^import', 'apply'],
  ['^docs', 'help'],
  ['^(?:get|ls|list) ([a-z-]+)(?! [^-])', '$1 list'],
  ['^users (?:rm|remove|delete|offboard)', 'people offboard'],
  ['^users (?:add|create|new)', 'invite'],
  ['^users add-property (*) (*)', 'users grant $1 --property $2'],
  ['^users (?:find|search)', 'users list --search'],
  ['^users (*@*)', 'users get $1'],
  ['^properties ([A-Z]*)', 'properties get $1'],
  ['^(?:auth switch|config use-context)', 'profiles use'],
  ['^config get-contexts', 'profiles list'],
];

const flags: Rows = [
  [' --(?:enabled[= ]false|disabled[= ]true)', ' --disable'],
  [' --(?:enabled[= ]true|disabled[= ]false)', ' --enable'],
  [' (?:--jq|-q) \\.([a-z][a-z_.[\\]]+)', ' --query $1 -r'],
  ['^([a-z-]+ [a-z].+) --json ([a-z_.,]+)', '$1 --fields $2 --json'],
  [' (?:--filter|-l) ([a-z_]+)=(*)', ' --$1 $2'],
  ['^(plan|apply)(| .+) (?:-f|--file|--filename) (*)', '$1$2 $3'],
];

/** Verbs of other programs, by ours. */
const verbs: Readonly<Record<string, string>> = {
  get: 'show view describe retrieve',
  create: 'add new',
  add: 'create new',
  update: 'edit set change modify',
  delete: 'rm remove destroy',
  remove: 'rm delete destroy',
  use: 'switch',
};

type Words = readonly string[];

/** Commander's error as a usage error (exit 2), with the line that was meant or the help page of the command as the hint. */
export async function parseFailure(
  { message }: CommanderError,
  argv: Words,
  root: CommandUnknownOpts,
  context: Context,
): Promise<CliError> {
  const sentence = message.replace(/^error: /, '');
  const isShown = !argv.some((word) => secretWord.test(word));
  const line = isShown ? await meant(argv, context) : undefined;
  const hint = typeof line === 'string' ? line : shellLine(['innctl', ...(line ?? pageOf(root))]);
  return usageError(isShown ? readable(sentence, argv) : sentence.replace(/=.*'$/s, "'"), hint);
}

/** Words that may be followed by a secret, or contain one. */
const secretWord =
  /secret|token|passw|pwd|bearer|authorization|api-?key|credential|^--(pass|key|auth)\b|[rs]k_(live|test)|eyJ[\w-]{8}|:\/\/[^/]*@/i;

/** The message with the words of the command line shortened and on one line. */
function readable(sentence: string, argv: Words): string {
  const typed = new Set(argv.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]));
  return [...typed].reduce((text, word) => {
    const shown = quote(word).slice(1, -1);
    return shown === word ? text : text.replaceAll(word, () => shown);
  }, sentence);
}

function pageOf(root: CommandUnknownOpts): Words {
  return [...wordsOf(namedCommand(root)).slice(1), '--help'];
}

/** What to type instead of a refused line: words that the program accepts, or a sentence. Nothing is run. */
async function meant(argv: Words, context: Context): Promise<Words | string | undefined> {
  let line = argv.includes('--') ? undefined : argv;
  for (let mends = 0; mends < 5 && line !== undefined; mends += 1) {
    const known = inOurWords(line, createRoot());
    const root = await buildProgram(context, () => {}, known);
    const error = await refusalOf(root, known);
    const command = namedCommand(root);
    if (error === undefined) return lacksReference(command) ? [...line, '--help'] : line;
    const isFlag = error.code !== 'commander.unknownCommand';
    const words = isFlag ? line : inOrder(line, root);
    const sentence = elsewhere.find(([typed]) => patternOf(typed).test(words.join('\0')));
    if (sentence !== undefined) return sentence[1];
    line =
      replaced(words, isFlag ? flags : commands) ??
      (isFlag ? withFlag(words, error.message, command) : withCommand(words, command));
  }
  return undefined;
}

async function refusalOf(root: Root, argv: Words): Promise<CommanderError | undefined> {
  for (const leaf of leavesOf(root)) leaf.action(() => {});
  try {
    return await parseErrorOf(root, argv);
  } catch (cause) {
    return new CommanderError(2, 'invalid', String(cause));
  }
}

function leavesOf(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

/** Follows the words that commander left in each command: the first may name a subcommand. */
function namedCommand(command: CommandUnknownOpts): CommandUnknownOpts {
  const child = childOf(command, command.args[0] ?? '');
  return child === undefined ? command : namedCommand(child);
}

/** Off a terminal, a command about records of the service needs one. */
function lacksReference(command: CommandUnknownOpts): boolean {
  const isAboutRecords = command instanceof DescribedCommand && command.about.on === 'service';
  return isAboutRecords && command.registeredArguments.length > 0 && command.args.length === 0;
}

/** The name of the noun, then the other words; global flags stand at the end. */
function inOrder(line: Words, root: Root): Words {
  const typed = wordsIn(line, root);
  const [noun = '', ...others] = typed.map(({ value }) => value);
  const globals = line.filter((_, index) => typed.every(({ at }) => at !== index));
  return [childOf(root, noun)?.name() ?? noun, ...others, ...globals];
}

function patternOf(typed: string): RegExp {
  return new RegExp(`${typed.replaceAll(' ', '\0').replaceAll('*', '[^\0]+')}(?=\0|$)`);
}

function replaced(words: Words, rows: Rows): Words | undefined {
  const line = words.join('\0');
  const row = rows.find(([typed]) => patternOf(typed).test(line));
  return row && line.replace(patternOf(row[0]), row[1].replaceAll(' ', '\0')).split('\0');
}

function withCommand(words: Words, command: CommandUnknownOpts): Words | undefined {
  const at = command.parent === null ? 0 : 1;
  const typed = words[at] ?? '';
  const noun = at === 0 ? childOf(command, words[1] ?? '') : undefined;
  if (noun !== undefined) return [noun.name(), typed, ...words.slice(2)];
  const known = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
  const synonym = known.find((verb) => verbs[verb]?.split(' ').includes(typed));
  const name = childOf(command, synonym ?? nearestFlag(typed, known) ?? '')?.name();
  return name === undefined ? undefined : words.with(at, name);
}

function withFlag(words: Words, message: string, command: CommandUnknownOpts): Words | undefined {
  const [, flag = ''] = /unknown option '--([^=']+)/.exec(message) ?? [];
  const known = [...command.options, ...rootOf(command).options].flatMap(({ long }) => long?.slice(2) ?? []);
  const name = nearestFlag(flag, known);
  const at = words.findIndex((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  if (name === undefined) return undefined;
  return words.with(at, `--${name}${words[at]?.slice(flag.length + 2)}`);
}

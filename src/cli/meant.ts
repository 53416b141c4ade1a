import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { type CliError, usageError } from '../model/errors.ts';
import { nearestFlag } from '../model/names.ts';
import type { Context } from '../model/ports.ts';
import { quote } from '../model/text.ts';
import { shellLine } from '../print/text.ts';
import { childOf, DescribedCommand, wordsOf } from '../session/described-command.ts';
import { createRoot, inOurWords } from '../session/flags.ts';
import { buildProgram, parseErrorOf } from './program.ts';

/**
 * What people type by the habit of other programs, and what innctl has for it: regular expressions in which a blank is between two
 * words, and `*` is one or more characters of a word. `--sandbox` may be before them.
 */
const habits: readonly (readonly [typed: string, ours: string])[] = [
  ['^(?:diff|validate)', 'plan'],
  ['^import', 'apply'],
  ['^docs', 'help'],
  ['^(?:get|ls|list) ([a-z-]+)(?! [^-])', '$1 list'],
  ['^([a-z]+) ((?:invitation|user|role|unit|unit-group|unit-attribute|profile)s?|propert(?:y|ies))', '$2 $1'],
  // Its help says where roles are set.
  ['^(?:roles assign|users? update(?:| .+) --(?:add-|remove-|set-)?roles?)(?:| .+)$', 'users grant'],
  ['^users? (?:rm|remove|destroy|delete|offboard)', 'people offboard'],
  ['^users? (?:add|create|new)', 'invite'],
  ['^users? add-property (*) (*)', 'users grant $1 --property $2'],
  ['^users? (?:find|search)', 'users list --search'],
  ['^users? (*@*)', 'users get $1'],
  ['^propert(?:y|ies) ([A-Z]*)', 'properties get $1'],
  ['^(?:auth switch|config use-context|profiles switch)', 'profiles use'],
  ['^config get-contexts', 'profiles list'],
  ['^profiles (?:create|new)', 'profiles add'],
  ['^profiles (?:delete|destroy)', 'profiles remove'],
  ['^(*) (?:view|describe|retrieve)', '$1 get'],
  ['^(*) (?:add|new)', '$1 create'],
  ['^(*) (?:edit|set|change|modify)', '$1 update'],
  ['^(*) (?:remove|destroy)', '$1 delete'],
  [' (?:--jq|-q) \\.([a-z][a-z_.[\\]]+)', ' --query $1 -r'],
  ['^([a-z-]+ [a-z].+) --json ([a-z_.,]+)', '$1 --fields $2 --json'],
  [' (?:--filter|-l) ([a-z_]+)=(*)', ' --$1 $2'],
  ['^(plan|apply)(| .+) (?:-f|--file|--filename) (*)', '$1$2 $3'],
];

type Words = readonly string[];

/** Commander's error as a usage error (exit 2), with the line that was meant or the help page of the command as the hint. */
export async function parseFailure(
  { message }: CommanderError,
  argv: Words,
  root: CommandUnknownOpts,
  context: Context,
): Promise<CliError> {
  const sentence = message.replace(/^error: /, '').replace(/\n\(Did you mean .*$/s, '');
  const isShown = !argv.some((word) => secretWord.test(word));
  const line = isShown ? await meant(argv, context) : undefined;
  const page = [...wordsOf(namedCommand(root)).slice(1), '--help'];
  const hint = shellLine(['innctl', ...(line ?? page)]);
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

/** The words to type instead of a refused line, which the program accepts. Nothing is run. */
async function meant(argv: Words, context: Context): Promise<Words | undefined> {
  let line = argv.includes('--') ? undefined : argv;
  for (let mends = 0; mends < 5 && line !== undefined; mends += 1) {
    const known = inOurWords(line, createRoot());
    const root = await buildProgram(context, () => {}, known);
    for (const leaf of leavesOf(root)) leaf.action(() => {});
    const error = await parseErrorOf(root, known).catch((cause) => new CommanderError(2, '', String(cause)));
    if (error === undefined) return lacksReference(namedCommand(root)) ? [...line, '--help'] : line;
    line = mended(line, error.message);
  }
  return undefined;
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

/** The line of a habit, or with commander's similar name, unless that means something else. */
function mended(words: Words, message: string): Words | undefined {
  const line = words.join('\0');
  for (const [typed, ours] of habits) {
    const start = typed.replace('^', '(?<=^(?:--sandbox )?)');
    const pattern = new RegExp(`${start.replaceAll(' ', '\0').replaceAll('*', '[^\0]+')}(?=\0|$)`);
    if (pattern.test(line)) return line.replace(pattern, ours.replaceAll(' ', '\0')).split('\0');
  }
  const [, dashes = '', typed = '', similar = ''] =
    /unknown \w+ '(-*)([^'=]+).*'\n\(Did you mean (?:one of )?(.+)\?\)/.exec(message) ?? [];
  const name = nearestFlag(typed, similar.replaceAll(/(?<=^| )-*/g, '').split(', '));
  if (name === undefined) return undefined;
  return words.map((word) => (word.split('=')[0] === dashes + typed ? word.replace(typed, name) : word));
}

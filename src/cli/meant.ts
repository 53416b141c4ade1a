import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { type CliError, usageError } from '../model/errors.ts';
import type { Context } from '../model/ports.ts';
import { nearestFlag, quote } from '../model/text.ts';
import { shellLine } from '../print/text.ts';
import {
  childOf,
  createRoot,
  DescribedCommand,
  inOurWords,
  markOf,
  wordsOf,
} from '../session/command-line.ts';
import habits from './habits.json' with { type: 'json' };
import { buildProgram, parseErrorOf } from './program.ts';

const kinds =
  '((?:invitation|user|role|unit|unit-group|unit-attribute|room|room-type|hotel|profile|run)s?|invites|(?:propert|countr)(?:y|ies))';

/** Those that people type first; in the notation of habits.json. */
const globalFlags =
  '-(?:-sandbox|-json|n|-dry-run|y|-yes|-no-input|d|-debug)|-(?:p|-profile|o|-output) *|--[a-z-]+=*';

type Words = readonly string[];

/** Commander's error as a usage error (exit 2), with the line that was meant or the help page of the command as the hint. */
export async function parseFailure(
  { message }: CommanderError,
  argv: Words,
  root: CommandUnknownOpts,
  context: Context,
): Promise<CliError> {
  const sentence = message.replace(/^error: /, '').replace(/\n\(Did you mean .*$/s, '');
  if (argv.some((word) => secretWord.test(word)))
    return usageError(sentence.replace(/=.*'$/s, "'"), shellLine(pageOf(root)));
  const hint = await meant(argv, context);
  const readable = sentence.replace(/(?<=').*(?=')/s, (typed) => quote(typed).slice(1, -1));
  return usageError(readable, hint);
}

/** Words that may be followed by a secret, or contain one. */
const secretWord =
  /secret|token|passw|pwd|bearer|authorization|api-?key|credential|^--(pass|key|auth)\b|[rs]k_(live|test)|eyJ[\w-]{8}|:\/\/[^/]*@/i;

/** The line to type instead of a refused one, which the program accepts; a sentence; or the help page. Nothing is run. */
async function meant(argv: Words, context: Context): Promise<string> {
  let line = argv;
  for (let mends = 0; ; mends += 1) {
    const known = inOurWords(line, createRoot());
    const root = await buildProgram(context, () => {}, known);
    root.hook('preAction', () => Promise.reject(new CommanderError(0, 'parsed', '')));
    const error = await parseErrorOf(root, known).catch((cause) => new CommanderError(2, '', String(cause)));
    line = withNoun(line, root);
    if (error === undefined) {
      const command = namedCommand(root);
      const words = shellLine(['innctl', ...line, ...(lacksReference(command) ? ['--help'] : [])]);
      const isBeyond =
        line.includes('--sandbox') && context.env['INNCTL_DIALECT'] !== 'apaleo' && markOf(command);
      return isBeyond ? `INNCTL_DIALECT=apaleo ${words}` : words;
    }
    const next = mends === 5 || argv.includes('--') ? undefined : mended(line, error.message);
    if (next === undefined) return shellLine(pageOf(root));
    if (typeof next === 'string') return next;
    line = next;
  }
}

function pageOf(root: CommandUnknownOpts): Words {
  return [...wordsOf(namedCommand(root)), '--help'];
}

/** Follows the words that commander left in each command: the first may name a subcommand. */
function namedCommand(command: CommandUnknownOpts): CommandUnknownOpts {
  const child = childOf(command, command.args[0] ?? '');
  return child === undefined ? command : namedCommand(child);
}

/** The line with the name of its noun in place of an alias: `hotel list` is `properties list`. */
function withNoun(line: Words, root: CommandUnknownOpts): Words {
  const [typed] = root.args;
  const [, noun] = wordsOf(namedCommand(root));
  return line.map((word) => (word === typed && word !== 'invite' ? (noun ?? word) : word));
}

/** Off a terminal, a command about records of the service needs one. */
function lacksReference(command: CommandUnknownOpts): boolean {
  const isAboutRecords = command instanceof DescribedCommand && command.about.on === 'service';
  const { email, file } = command.opts();
  const isNamed = command.args.length > 0 || email !== undefined || file !== undefined;
  return isAboutRecords && command.registeredArguments.length > 0 && !isNamed;
}

/**
 * The line by a row of habits.json, what people type by the habit of other programs and what innctl has for it: regular expressions in
 * which a blank is between two words, `*` is one or more characters of a word, and NOUN is a kind of record; before `^` there may be
 * global flags. The match contains the refused word. What begins with a capital is a sentence. Otherwise the line with
 * commander's similar name, unless that means something else.
 */
function mended(words: Words, message: string): Words | string | undefined {
  const [, what, dashes = '', typed = ''] =
    /(unknown \w+|too many arguments)(?: '(-*)([^'=]*))?/.exec(message) ?? [];
  if (what === undefined) return undefined;
  const line = words.join('\0');
  for (const [habit = '', ours = ''] of habits) {
    if (what === 'unknown command' && !habit.startsWith('^')) continue;
    const source = habit.replaceAll('^', `(?<=^(?:(?:${globalFlags}) ){0,})`).replaceAll('NOUN', kinds);
    const pattern = new RegExp(`(?:${source.replaceAll(' ', '\0').replaceAll('*', '[^\0]+')})(?=\0|=|$)`);
    const [match] = pattern.exec(line) ?? [];
    if (match === undefined || !match.includes(dashes + typed)) continue;
    return /^[A-Z]/.test(ours) ? ours : line.replace(pattern, ours.replaceAll(' ', '\0')).split('\0');
  }
  const [, similar = ''] = /\(Did you mean (?:one of )?(.+)\?\)/.exec(message) ?? [];
  const name = nearestFlag(typed, similar.replaceAll(/(?<=^| )-*/g, '').split(', '));
  if (name === undefined) return undefined;
  return words.map((word) => (word.split('=')[0] === dashes + typed ? word.replace(typed, name) : word));
}

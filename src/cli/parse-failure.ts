import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings';
import { childOf, meantChildren, meantPaths, meantWords, wordsOf } from '../commands/help/page.ts';
import { type ServiceChoice, serviceLine } from '../commands/lines.ts';
import { didYouMean, nearest, nearestFlag } from '../model/names.ts';
import { quote } from '../model/text.ts';
import { type CliError, usageError } from './errors.ts';

/** The root, after it was given a command line. */
type Root = CommandUnknownOpts & { opts(): ServiceChoice };

/** What was typed, as far as commander read it. */
interface Typed {
  readonly root: Root;
  /** The innermost command that was named. */
  readonly command: CommandUnknownOpts;
  /** Commander's complaint. */
  readonly sentence: string;
}

const ROLES_ELSEWHERE =
  "Roles of users are given in the service's own pages; those of an invitation with innctl invitations create --role.";

/** Verbs that users do not have, and the words that do the same for whoever was named. */
const forUsers: Readonly<Record<string, (names: readonly string[]) => readonly string[]>> = {
  create: (names) => ['invitations', 'create', ...names],
  add: (names) => ['invitations', 'create', ...names],
  invite: (names) => ['invitations', 'create', ...names],
  enable: (names) => ['users', 'update', ...names, '--enable'],
  disable: (names) => ['users', 'update', ...names, '--disable'],
  delete: (names) => ['users', 'update', ...names, '--disable'],
  remove: (names) => ['users', 'update', ...names, '--disable'],
};

/** Flags of commands for users that no operation stands behind. */
const missingForUsers: Readonly<Record<string, string>> = {
  role: ROLES_ELSEWHERE,
  roles: ROLES_ELSEWHERE,
  'add-roles': ROLES_ELSEWHERE,
  'set-roles': ROLES_ELSEWHERE,
  'remove-roles': ROLES_ELSEWHERE,
};

/** What was probably meant, as a hint; by the code of commander's complaint. */
const hints: Readonly<Record<string, (typed: Typed) => string | undefined>> = {
  'commander.unknownCommand': meantCommand,
  'commander.unknownOption': meantFlag,
  'commander.excessArguments': meantArgument,
  'commander.invalidArgument': meantChoice,
};

/** Commander's own complaint as a usage error (exit 2), with a suggestion or the right help page as the hint. */
export function parseFailure(error: CommanderError, argv: readonly string[], root: Root): CliError {
  const sentence = error.message.replace(/^error: /, '');
  const command = namedCommand(root);
  const suggest = Object.hasOwn(hints, error.code) ? hints[error.code] : undefined;
  const hint = suggest?.({ root, command, sentence }) ?? [...wordsOf(command), '--help'].join(' ');
  return usageError(readable(sentence, argv), hint);
}

/** Commander leaves in each command what it took as its arguments: the first names the next command, if any does. */
function namedCommand(command: CommandUnknownOpts): CommandUnknownOpts {
  const child = childOf(command, command.args[0] ?? '');
  return child === undefined ? command : namedCommand(child);
}

/** The sentence with what was typed shortened, and on one line. */
function readable(sentence: string, argv: readonly string[]): string {
  const typed = new Set(argv.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]));
  return [...typed].reduce((text, word) => {
    const shown = quote(word).slice(1, -1);
    return shown === word ? text : text.replaceAll(word, () => shown);
  }, sentence);
}

function meantCommand({ command, root }: Typed): string | undefined {
  if (command.parent === null) {
    const lines = meantPaths(command.args, root).map((path) => serviceLine(root.opts(), ...path));
    if (lines.length > 0) return lines.length === 1 ? lines[0] : didYouMean(lines);
  }
  const [verb = '', ...names] = command.args;
  const same = command.name() === 'users' && Object.hasOwn(forUsers, verb) ? forUsers[verb] : undefined;
  if (same !== undefined)
    return serviceLine(root.opts(), ...same(names.filter((name) => !name.startsWith('-'))));
  return didYouMean(meantChildren(command, verb));
}

/** A flag that exists, but for a command nearby, is not misspelt. */
function meantFlag({ command, root, sentence }: Typed): string | undefined {
  const [, typed] = /^unknown option '--([^=']+)/.exec(sentence) ?? [];
  if (typed === undefined) return undefined;
  const isForUsers = command.parent?.name() === 'users' && Object.hasOwn(missingForUsers, typed);
  if (isForUsers) return missingForUsers[typed];
  const holders = leavesOf(root).filter(
    (each) =>
      each.options.some(({ long }) => long === `--${typed}`) &&
      (each.parent === command || each.parent === command.parent || each.name() === command.name()),
  );
  if (holders.length > 0)
    return `--${typed} belongs to ${holders.map((each) => wordsOf(each).join(' ')).join(', ')}.`;
  return didYouMean(meantWords(typed, flagNames(command, root), nearestFlag).map((name) => `--${name}`));
}

/** A word too many may be a flag without its dashes, or the id of one record where a list was asked for. */
function meantArgument({ command, root }: Typed): string | undefined {
  const [word = '', ...others] = command.args.slice(command.registeredArguments.length);
  if (flagNames(command, root).includes(word)) return didYouMean(`--${word}`);
  const get = command.name() === 'list' && command.parent ? childOf(command.parent, 'get') : undefined;
  if (get === undefined || others.length > 0) return undefined;
  return serviceLine(root.opts(), ...wordsOf(get).slice(1), word);
}

function meantChoice({ sentence }: Typed): string | undefined {
  const [, typed, choices] =
    / argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(sentence) ?? [];
  if (typed === undefined || choices === undefined) return undefined;
  return didYouMean(nearest(typed, choices.split(', ')));
}

/** The names of all flags that the command takes. */
function flagNames(command: CommandUnknownOpts, root: CommandUnknownOpts): readonly string[] {
  const flags = [...command.options, ...root.options].filter(({ hidden }) => !hidden);
  return [...flags.flatMap(({ long }) => long?.slice(2) ?? []), 'help'];
}

function leavesOf(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

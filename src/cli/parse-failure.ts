import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings';
import { childOf, similarChildren, similarPaths, similarWords, wordsOf } from '../commands/help/find.ts';
import { type ServiceChoice, serviceLine } from '../commands/lines.ts';
import { didYouMean, nearest, nearestFlag } from '../model/names.ts';
import { quote } from '../model/text.ts';
import { type CliError, usageError } from './errors.ts';

/** The root command after parsing. */
type Root = CommandUnknownOpts & { opts(): ServiceChoice };

/** The command line as far as commander parsed it. */
interface Typed {
  readonly root: Root;
  /** The innermost command of the line. */
  readonly command: CommandUnknownOpts;
  /** Commander's message. */
  readonly sentence: string;
}

const ROLES_ELSEWHERE =
  'Roles of users are set in the pages of the service, those of an invitation with innctl invitations create --role.';

/** Verbs that `users` does not have, and the commands that do the same. */
const userVerbs: Readonly<Record<string, (names: readonly string[]) => readonly string[]>> = {
  create: (names) => ['invitations', 'create', ...names],
  add: (names) => ['invitations', 'create', ...names],
  invite: (names) => ['invitations', 'create', ...names],
  delete: (names) => ['users', 'disable', ...names],
  remove: (names) => ['users', 'disable', ...names],
};

/** Flags that commands for users cannot have, because no operation supports them. */
const roleFlags: readonly string[] = ['role', 'roles', 'add-roles', 'set-roles', 'remove-roles'];

/** Builds the hint, by the code of commander's error. */
const hints: Readonly<Record<string, (typed: Typed) => string | undefined>> = {
  'commander.unknownCommand': commandHint,
  'commander.unknownOption': flagHint,
  'commander.excessArguments': argumentHint,
  'commander.invalidArgument': choiceHint,
};

/** Commander's error as a usage error (exit 2), with a suggestion or the help page of the command as the hint. */
export function parseFailure(error: CommanderError, argv: readonly string[], root: Root): CliError {
  const sentence = error.message.replace(/^error: /, '');
  const command = namedCommand(root);
  const suggest = Object.hasOwn(hints, error.code) ? hints[error.code] : undefined;
  const hint = suggest?.({ root, command, sentence }) ?? [...wordsOf(command), '--help'].join(' ');
  return usageError(readable(sentence, argv), hint);
}

/** Follows the arguments that commander left in each command: the first may name a subcommand. */
function namedCommand(command: CommandUnknownOpts): CommandUnknownOpts {
  const child = childOf(command, command.args[0] ?? '');
  return child === undefined ? command : namedCommand(child);
}

/** The message with the words of the command line shortened and on one line. */
function readable(sentence: string, argv: readonly string[]): string {
  const typed = new Set(argv.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]));
  return [...typed].reduce((text, word) => {
    const shown = quote(word).slice(1, -1);
    return shown === word ? text : text.replaceAll(word, () => shown);
  }, sentence);
}

function commandHint({ command, root }: Typed): string | undefined {
  if (command.parent === null) {
    const lines = similarPaths(command.args, root).map((path) => serviceLine(root.opts(), ...path));
    if (lines.length > 0) return lines.length === 1 ? lines[0] : didYouMean(lines);
  }
  const [verb = '', ...names] = command.args;
  const same = command.name() === 'users' && Object.hasOwn(userVerbs, verb) ? userVerbs[verb] : undefined;
  if (same !== undefined)
    return serviceLine(root.opts(), ...same(names.filter((name) => !name.startsWith('-'))));
  return didYouMean(similarChildren(command, verb));
}

/** Suggests the command that has the flag, otherwise a similar flag. */
function flagHint({ command, root, sentence }: Typed): string | undefined {
  const [, typed] = /^unknown option '--([^=']+)/.exec(sentence) ?? [];
  if (typed === undefined) return undefined;
  if (command.parent?.name() === 'users' && roleFlags.includes(typed)) return ROLES_ELSEWHERE;
  const holders = leavesOf(root).filter(
    (each) =>
      each.options.some(({ long }) => long === `--${typed}`) &&
      (each.parent === command || each.parent === command.parent || each.name() === command.name()),
  );
  if (holders.length > 0)
    return `--${typed} belongs to ${holders.map((each) => wordsOf(each).join(' ')).join(', ')}.`;
  return didYouMean(similarWords(typed, flagNames(command, root), nearestFlag).map((name) => `--${name}`));
}

/** Suggests a flag if its dashes are missing, or `get` for an id after `list`. */
function argumentHint({ command, root }: Typed): string | undefined {
  const [word = '', ...others] = command.args.slice(command.registeredArguments.length);
  if (flagNames(command, root).includes(word)) return didYouMean(`--${word}`);
  const get = command.name() === 'list' && command.parent ? childOf(command.parent, 'get') : undefined;
  if (get === undefined || others.length > 0) return undefined;
  return serviceLine(root.opts(), ...wordsOf(get).slice(1), word);
}

function choiceHint({ sentence }: Typed): string | undefined {
  const [, typed, choices] =
    / argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(sentence) ?? [];
  if (typed === undefined || choices === undefined) return undefined;
  return didYouMean(nearest(typed, choices.split(', ')));
}

/** The names of all flags of the command, global ones included. */
function flagNames(command: CommandUnknownOpts, root: CommandUnknownOpts): readonly string[] {
  const flags = [...command.options, ...root.options].filter(({ hidden }) => !hidden);
  return [...flags.flatMap(({ long }) => long?.slice(2) ?? []), 'help'];
}

function leavesOf(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

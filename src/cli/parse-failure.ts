import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings';
import { wordsOf } from '../commands/help/find.ts';
import { didYouMean } from '../model/names.ts';
import { quote } from '../model/text.ts';
import { shellLine } from '../print/text.ts';
import { type CliError, usageError } from './errors.ts';
import type { Root } from './flags.ts';
import { flagIn, flagsMeant, linesMeant, namedCommand } from './meant.ts';

const ROLES_ELSEWHERE =
  'Roles of users are set in the pages of the service, those of an invitation with innctl invitations create --role.';

/** Flags that commands for users cannot have, because no operation supports them. */
const roleFlags: readonly string[] = ['--role', '--roles', '--add-roles', '--set-roles', '--remove-roles'];

/** Commander's error as a usage error (exit 2), with the line that was meant or the help page of the command as the hint. */
export function parseFailure(error: CommanderError, argv: readonly string[], root: Root): CliError {
  const sentence = withoutSecret(error.message.replace(/^error: /, ''));
  const command = namedCommand(root);
  const hint = hintFor(sentence, command, argv, root) ?? shellLine([...wordsOf(command), '--help']);
  return usageError(readable(sentence, argv), hint);
}

/** `unknown option '--token=...'` without the value. */
function withoutSecret(sentence: string): string {
  return secretWord.test(flagIn(sentence)) ? sentence.replace(/=.*'$/s, "'") : sentence;
}

/** The message with the words of the command line shortened and on one line. */
function readable(sentence: string, argv: readonly string[]): string {
  const typed = new Set(argv.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]));
  return [...typed].reduce((text, word) => {
    const shown = quote(word).slice(1, -1);
    return shown === word ? text : text.replaceAll(word, () => shown);
  }, sentence);
}

function hintFor(
  sentence: string,
  command: CommandUnknownOpts,
  argv: readonly string[],
  root: Root,
): string | undefined {
  const flag = flagIn(sentence);
  const lines = mayShow(argv, root) ? linesMeant(argv, root) : [];
  if (command.parent?.name() === 'users' && command.name() !== 'list' && roleFlags.includes(flag))
    return ROLES_ELSEWHERE;
  if (lines.length > 0 && lines.length <= MOST_LINES)
    return lines.length === 1 ? lines[0] : didYouMean(lines);
  if (flag === '') return undefined;
  return belongs(flag, command, root) ?? didYouMean(flagsMeant(flag, command, root));
}

/** More lines are no hint. */
const MOST_LINES = 3;

/** Words that may be followed by a secret, or contain one. */
const secretWord =
  /secret|token|passw|pwd|bearer|authorization|api-?key|credential|^--(pass|key|auth)\b|[rs]k_(live|test)|eyJ[\w-]{8}|:\/\/[^/]*@/i;

/** Whether a line may be shown again: flags that exist take no secrets. */
function mayShow(argv: readonly string[], root: Root): boolean {
  const known = new Set(leavesOf(root).flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])));
  return argv.every((word) => !secretWord.test(word) || known.has(word.replace(/=.*/s, '')));
}

/** Names the related commands that have the flag. */
function belongs(flag: string, command: CommandUnknownOpts, root: CommandUnknownOpts): string | undefined {
  const holders = leavesOf(root).filter(
    (each) =>
      each.options.some(({ long }) => long === flag) &&
      (each.parent === command || each.parent === command.parent || each.name() === command.name()),
  );
  if (holders.length === 0) return undefined;
  return `${flag} belongs to ${holders.map((each) => wordsOf(each).join(' ')).join(', ')}.`;
}

function leavesOf(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

import { allOf, type CommandModel, type FlagModel } from '../model.ts';
import type { Taken } from '../values.ts';

/** A completion word and its description. */
interface DescribedWord {
  readonly word: string;
  readonly description: string;
}

/** The notation for values of flags and arguments; a comment in each script. */
export const notation = `\
#   --limit=               any text
#   --output=table|json    one of these words
#   --role=@roles          what a list command left in this file
#   --file=%file           a file, or %folder
#   --property=,@x         several with commas between, or by repeating it
#   --fault=+a|b           several by repeating it
#   --enabled=.true|false  one of these words, or the flag alone`;

/**
 * Every command as data of the scripts, in the order of the tree.
 *
 * @throws {Error} if a name or a choice would need quoting in a shell.
 */
export function rowsOf(root: CommandModel) {
  return allOf(root).map((command) => ({
    /** Its words without the program's name; empty for the root with the global flags. */
    command: command.path.join(' '),
    children: command.commands.map(({ path, summary }) => ({
      word: bare(path.at(-1) ?? ''),
      description: summary,
    })),
    /** Aliases of its subcommands: accepted, not offered. */
    synonyms: command.commands.flatMap(({ path, aliases }) =>
      aliases.map((alias) => ({ word: bare(alias), child: path.at(-1) ?? '' })),
    ),
    /** Written `-o/--output=table|json`: the names, and what they take; see `notation`. */
    flags: command.flags.map((flag) => ({ word: flagWord(flag), description: flag.description })),
    /** The values of each argument, written as for a flag. */
    arguments: command.arguments.map((argument) => `${argument.isVariadic ? '+' : ''}${takes(argument)}`),
  }));
}

/** How a shell writes the rows of its script. */
interface ShellWriting {
  readonly described: (word: DescribedWord) => string;
  /** An alias and its command. */
  readonly synonym: (pair: string) => string;
  readonly argument: (takes: string) => string;
  /** An assignment on one line, or with each word on its own. */
  readonly assign: (list: string, words: readonly string[], isLong: boolean) => string;
  readonly branch: (command: string, assignments: string) => string;
}

/** The branches of a script: for each command that has any, what it assigns to its lists of words. */
export function branchesOf(root: CommandModel, shell: ShellWriting): string {
  return rowsOf(root)
    .map((row) => {
      const lists = {
        children: row.children.map(shell.described),
        synonyms: row.synonyms.map(({ word, child }) => shell.synonym(`${word}:${child}`)),
        flags: row.flags.map(shell.described),
        arguments: row.arguments.map(shell.argument),
      };
      const assignments = Object.entries(lists).map(([list, words]) =>
        words.length === 0 ? '' : shell.assign(list, words, words.join(' ').length >= 90),
      );
      return assignments.some((each) => each !== '') ? shell.branch(row.command, assignments.join('')) : '';
    })
    .join('');
}

/** A script as a template literal: backslashes are the shell's, and `$\{` becomes a dollar and a brace of the shell. */
export function script(text: TemplateStringsArray): string {
  return (text.raw[0] ?? '').replaceAll('$\\{', '$' + '{');
}

function flagWord({ short, long, value }: FlagModel): string {
  const names = short === undefined ? bare(long) : `${bare(short)}/${bare(long)}`;
  return value === undefined ? names : `${names}=${value.isOptional === true ? '.' : ''}${takes(value)}`;
}

function takes({ values, several }: Taken): string {
  const mark = { commas: ',', repeated: '+' };
  return `${several === undefined ? '' : mark[several]}${valuesWord(values)}`;
}

function valuesWord(values: Taken['values']): string {
  if (values.kind === 'choices') return values.choices.map(bare).join('|');
  if (values.kind === 'cached') return `@${bare(values.from)}`;
  return values.kind === 'file' || values.kind === 'folder' ? `%${values.kind}` : '';
}

function bare(word: string): string {
  if (/^[\w.-]+$/.test(word)) return word;
  throw new Error(`"${word}" cannot be used in a completion script: a shell would need it quoted.`);
}

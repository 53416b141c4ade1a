import { allOf, type CommandModel, type FlagModel } from '../model.ts';
import type { Taken } from '../values.ts';

/** A word that a script offers, and what it means. */
export interface DescribedWord {
  readonly word: string;
  readonly description: string;
}

/** A command as the scripts carry it. */
export interface Row {
  /** Its words without the program's name; empty for the root, whose flags all commands share. */
  readonly command: string;
  readonly children: readonly DescribedWord[];
  /** Other words for its children: they work and are not offered. */
  readonly synonyms: readonly { readonly word: string; readonly child: string }[];
  /** Written `-o/--output=table|json`: the names, and what they take; see `notation`. */
  readonly flags: readonly DescribedWord[];
  /** What each argument takes, written as for a flag. */
  readonly arguments: readonly string[];
}

/** How the scripts write what a flag or an argument takes; a comment in each of them. */
export const notation = `\
#   --limit=               any text
#   --output=table|json    one of these words
#   --role=@roles          what a list command left in this file
#   --file=%file           a file, or %folder
#   --property=,@x         several with commas between, or by repeating it
#   --fault=+a|b           several by repeating it
#   --enabled=.true|false  one of these words, or the flag alone`;

/**
 * Every command in the order of the tree.
 *
 * @throws {Error} when a name or a choice needs quoting in a shell.
 */
export function rowsOf(root: CommandModel): readonly Row[] {
  return allOf(root).map((command) => ({
    command: command.path.join(' '),
    children: command.commands.map(({ path, summary }) => ({
      word: bare(path.at(-1) ?? ''),
      description: summary,
    })),
    synonyms: command.commands.flatMap(({ path, aliases }) =>
      aliases.map((alias) => ({ word: bare(alias), child: path.at(-1) ?? '' })),
    ),
    flags: command.flags.map((flag) => ({ word: flagWord(flag), description: flag.description })),
    arguments: command.arguments.map((argument) => `${argument.isVariadic ? '+' : ''}${takes(argument)}`),
  }));
}

/**
 * The text of a script as it stands in TypeScript: backslashes are the shell's own, and `$\{` is what the
 * shell reads as a dollar and a brace.
 */
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
  throw new Error(`"${word}" cannot stand in a completion script: a shell would want it quoted.`);
}

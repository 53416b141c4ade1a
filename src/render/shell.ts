import { hasHidden } from './text.ts';

/** An interactive bash expands `!` within double quotes, whatever stands in them. */
const PRINTED_BY_NUMBER = /[^ "-~]|^-/gu;

/**
 * Words as one line that a POSIX shell reads back as the same words. What a terminal would obey or hide, tabs and newlines are
 * written for `printf`, so that the line can be shown and still says the same; but a newline at the end of a word stays.
 */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // A shell takes newlines away from the end of what a command prints.
  const isPrinted = (/[\n\t]/.test(word) || hasHidden(word)) && !word.endsWith('\n');
  return isPrinted ? `"$(printf ${quoted(printable(word))})"` : quoted(word);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** As the format of `printf`, whose options begin with a dash: what is not plain stands as the octal numbers of its bytes. */
function printable(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll(PRINTED_BY_NUMBER, octal);
}

function octal(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/**
 * The command line that was typed, as one line for the shell, with more flags at the end of it.
 *
 * @param argv the words after the program's name.
 */
export function sameCommand(argv: readonly string[], ...more: readonly string[]): string {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const rest = end === -1 ? [] : argv.slice(end);
  return shellLine(['innctl', ...flags, ...more, ...rest]);
}

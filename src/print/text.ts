import { CliError } from '../model/errors.ts';
import { entitiesIn } from '../model/redaction.ts';

/**
 * Most texts have only Latin letters and punctuation, which are safe on a terminal, and this test is many times cheaper than
 * a search by Unicode property.
 */
const PLAIN = /^[\n\t -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027\u20ac]*$/;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/** Replaces control and invisible characters by a visible escape such as `\u{1b}`; newline and tab stay. */
export function neutralise(text: string): string {
  return escaped(text, visible);
}

function escaped(text: string, written: (character: string) => string): string {
  // Not a literal: V8 checks each when it reads the file, which takes milliseconds for this one, and few runs need it.
  return PLAIN.test(text) ? text : text.replace(new RegExp(HIDDEN, 'gu'), written);
}

/** Like `neutralise`, for a text that must stay on one line: newline and tab become `\n` and `\t`. */
export function neutraliseLine(text: string): string {
  return neutralise(text).replace(/[\n\t]/g, visible);
}

/**
 * Like `neutralise`, for messages: tabs become `\t`, and further lines are indented, so that no text within a message looks
 * like a message of its own.
 */
export function neutraliseMessage(text: string): string {
  return neutralise(text)
    .replaceAll('\t', '\\t')
    .replace(/\n(?=\S)/g, '\n  ');
}

/**
 * Escapes what the runner of GitHub Actions takes as a command, wherever the text is from: `::` at the beginning of a line, behind
 * blanks too, and `##[`. JSON stays the same data.
 */
export function escapeCommands(text: string): string {
  return text.replaceAll(/(^|[\r\n])([^\S\r\n]*):(?=:)/g, '$1$2\\u003a').replaceAll('##[', '\\u0023#[');
}

/** A text on one line of Markdown: what would mark it up, or end a cell, is escaped. */
export function escapeMarkdown(line: string): string {
  return line.replaceAll(/[\\`*_~|<&$[\]]/g, '\\$&');
}

/** A text for an element of HTML or an attribute in quotes; what is not shown becomes visible. */
export function escapeHtml(text: string): string {
  return entitiesIn(neutralise(text));
}

/** A text as lists are searched: in lower case, without accents; the parts of `America/New_York` are words. */
export function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(/[/_]/g, ' ').toLowerCase();
}

/** Whether the text has any of what `neutralise` replaces. */
export function hasHidden(text: string): boolean {
  return neutralise(text) !== text;
}

/** The line if it has at most `length` code units, else its beginning and an ellipsis; no surrogate pair is split. */
export function clip(line: string, length: number): string {
  return line.length <= length ? line : `${line.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** `1,000`, as `toLocaleString('en')` writes whole numbers, whose first use takes as long as to start Node. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/**
 * JSON text with the same characters written as `\uXXXX`; it parses to the same data.
 *
 * @param json well-formed, so that they occur inside strings only.
 */
export function neutraliseJson(json: string): string {
  const unit = (each: string) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return escaped(json, (character) => character.split('').map(unit).join(''));
}

/**
 * YAML text with the same characters written as `\uXXXX` or `\UXXXXXXXX`; it parses to the same data.
 *
 * @param yaml where they occur inside double quotes only.
 */
export function neutraliseYaml(yaml: string): string {
  return escaped(yaml, codePointEscape);
}

/**
 * Characters that a terminal interprets or does not show: controls, lone surrogates, bidi controls, line and paragraph separators, Egyptian
 * joiners, and all that Unicode calls ignorable (zero width, soft hyphen, tags). One variation selector stays where it picks
 * the look of a character, which emoji and Japanese names need: behind one beyond ASCII, or in a keycap.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}\u{13430}-\u{1343f}](?<![\n\t]|(?=[^\0-\x7f])(?!\p{Variation_Selector})[\p{L}\p{M}\p{N}\p{P}\p{S}]\p{Variation_Selector}|\ufe0f(?=\u20e3))`;

function visible(character: string): string {
  return shortEscapes[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

function codePointEscape(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

/** An interactive bash expands `!` within double quotes, even inside `$(...)`. */
const PRINTED_BY_NUMBER = /[^ "-~]|^-/gu;

/**
 * Quotes words as one line for a POSIX shell. Control and invisible characters, tabs and newlines are written for `printf`, so
 * that the line is safe to show and still means the same; but a newline at the end of a word stays.
 */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The words of a command about one record: `--` before a name that begins with a dash. */
export function aboutRecord(command: string, name: string, ...flags: readonly string[]): readonly string[] {
  const words = command.split(' ');
  return name.startsWith('-') ? [...words, ...flags, '--', name] : [...words, name, ...flags];
}

function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // A shell strips newlines from the end of a command's output.
  const isPrinted = (/[\n\t]/.test(word) || hasHidden(word)) && !word.endsWith('\n');
  return isPrinted ? `"$(printf ${quoted(printable(word))})"` : quoted(word);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A format for `printf`, whose options begin with a dash: other characters are written as octal bytes. */
function printable(text: string): string {
  const octal = (byte: number) => `\\${byte.toString(8).padStart(3, '0')}`;
  const format = text.replaceAll('\\', '\\\\').replaceAll('%', '%%');
  return format.replaceAll(PRINTED_BY_NUMBER, (each) => [...Buffer.from(each)].map(octal).join(''));
}

/**
 * The command line that was typed, as one line for a shell, with more flags appended.
 *
 * @param argv the words after the program's name.
 */
export function sameCommand(argv: readonly string[], ...more: readonly string[]): string {
  return shellLine(['innctl', ...withFlags(argv, more)]);
}

/** A command line with more flags, before `--`. */
export function withFlags(argv: readonly string[], flags: readonly string[]): readonly string[] {
  return argv.toSpliced(flagsEnd(argv), 0, ...flags);
}

/** The index of `--`, after which no word is a flag; the length without one. */
export function flagsEnd(argv: readonly string[]): number {
  const end = argv.indexOf('--');
  return end === -1 ? argv.length : end;
}

/**
 * The value as JSON that is safe on a terminal: what `neutralise` would replace is written as `\uXXXX`.
 *
 * @param indent spaces for each level; without it everything is on one line.
 * @throws {CliError} `unprintable` when the value is nested deeper, or its text longer, than the engine can print.
 */
export function toJson(value: unknown, indent?: number): string {
  return printed('JSON', () => neutraliseJson(JSON.stringify(value, undefined, indent)));
}

/** JSON for people and programs, ended by a newline. */
export function prettyJson(value: unknown): string {
  return `${toJson(value, 2)}\n`;
}

/** Records. */
const PIECE = 100;

/** `prettyJson` of facts with a list as the last of them, in pieces: a long list has a text that is longer still. */
export function* prettyList({ items, ...facts }: { readonly items: readonly unknown[] }): Generator<string> {
  if (items.length <= PIECE) return yield prettyJson({ ...facts, items });
  yield prettyJson({ ...facts, items: [] }).slice(0, -']\n}\n'.length);
  for (let at = 0; at < items.length; at += PIECE) {
    const entries = toJson(items.slice(at, at + PIECE), 2).slice(1, -2);
    yield `${at === 0 ? '' : ','}${entries.replaceAll('\n', '\n  ')}`;
  }
  yield '\n  ]\n}\n';
}

/** The values as JSON like `toJson`, each on a line of its own. @throws {CliError} like `toJson`. */
export function toJsonLines(values: readonly unknown[]): string {
  // One search for hidden characters in all lines: most pages of a list have none.
  return printed('JSON', () =>
    neutraliseJson(values.reduce<string>((lines, value) => `${lines}${JSON.stringify(value)}\n`, '')),
  );
}

/** The text that `print` gives. @throws {CliError} `unprintable` when it runs out of stack or of length. */
export function printed(format: 'JSON' | 'YAML', print: () => string): string {
  try {
    return print();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const message = `Could not print the result as ${format}: it is nested too deeply or too long.`;
    const hint = 'With `--output ndjson` each record of a list is printed on its own.';
    throw new CliError('unprintable', message, { hint, cause });
  }
}

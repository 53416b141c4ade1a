import { domainToUnicode } from 'node:url';
import type { Check } from './ports.ts';

/**
 * Latin letters and punctuation. Expressions with Unicode properties are in functions that such texts do not reach: V8 takes
 * milliseconds to compile one.
 */
const PLAIN = /^[ -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027\u20ac]*$/;

/** Code units of a value in a message. */
const LONGEST_SHOWN = 60;

/** What is wrong with a text of one line, or `undefined`. */
export function textProblem(text: string, longest = 1_000): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  if (text.length > longest) return `is longer than ${longest} characters`;
  if (!PLAIN.test(text) && hasInvisible(text)) return 'has control or invisible characters';
  return undefined;
}

/** Like `textProblem`, for names of hotels and files: joiners within emoji and words are accepted. */
export function nameProblem(text: string, longest = 1_000): string | undefined {
  return textProblem(text.length > longest || PLAIN.test(text) ? text : withoutJoining(text), longest);
}

/** What is wrong with a value, or with the entries of a list. */
export function entryReasons(value: string | readonly string[] = [], problem: Check): readonly string[] {
  const entries = [value].flat();
  const reasonOf = (entry: string) =>
    entry === '' && entries.length > 1 ? 'has an empty entry' : problem(entry);
  return entries.flatMap((entry) => reasonOf(entry) ?? []);
}

/** Quotes a value for a message: as JSON, shortened. */
export function quote(text: string): string {
  return JSON.stringify(shortened(text));
}

/** Shortens a text for a message. */
export function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}

/** Control characters, lone surrogates, and ignorable characters. Not literals: V8 takes milliseconds to check them on reading. */
const INVISIBLE = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]`;
/** Variation selectors after a visible character, and joiners between two. */
const JOINING = String.raw`(?<=[\p{L}\p{M}\p{N}\p{P}\p{S}])(?:(?<!\p{Variation_Selector})\p{Variation_Selector}|[\u200c\u200d](?=[\p{L}\p{M}\p{N}\p{P}\p{S}]))`;

function hasInvisible(text: string): boolean {
  return new RegExp(INVISIBLE, 'u').test(text);
}

/** Without what emoji, Persian and Japanese names need. */
function withoutJoining(text: string): string {
  return text.replaceAll(new RegExp(JOINING, 'gu'), '');
}

/** What a spreadsheet takes for a formula, and the quote before such a cell. */
const FORMULA = /^[=+\-@\t\r']/;

const QUOTED = new RegExp(`^'${FORMULA.source.slice(1)}`);

/** A cell for a spreadsheet: a formula, or a text that begins with ', gets a ' in front. */
export function quotedCell(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** The text of a cell without the ' of `quotedCell`. */
export function unquotedCell(cell: string): string {
  return QUOTED.test(cell) ? cell.slice(1) : cell;
}

/** The text of a formula that is only a text, `="01067"`, which keeps zeros in a spreadsheet; `undefined` for other cells. */
export function textOfFormula(cell: string): string | undefined {
  if (!/^="/.test(cell) || cell.length < 3 || !cell.endsWith('"')) return undefined;
  const inside = cell.slice(2, -1);
  return inside.replaceAll('""', '').includes('"') ? undefined : inside.replaceAll('""', '"');
}

/** Error values of spreadsheets: `#REF!`, `#N/A`, `#BEZUG!`, `Err:502`. */
const ERROR = /^(#[¡¿]?[A-ZÀ-Þ][A-ZÀ-Þ\d_]*(\/[A-Z\d])?[!?]|#N\/[ABD]|#NV|#GETTING_DATA|#{3,}|Err:\d{3})$/;

/** How spreadsheets rewrite a text of many digits, or of digits around an E. */
const SCIENTIFIC = /^[+-]?\d+([.,]\d+)?E[+-]\d+$/i;

/**
 * What is wrong with a cell whose value was replaced by a spreadsheet, or `undefined`.
 *
 * @param isText whether a number makes no sense there.
 */
export function spreadsheetProblem(cell: string, isText: boolean): string | undefined {
  const word = cell.trim();
  if (ERROR.test(word)) return `${quote(word)} looks like a spreadsheet error: write the value itself`;
  if (!isText || !SCIENTIFIC.test(word)) return undefined;
  return `${quote(word)} was rewritten by a spreadsheet: format its column as text, and enter the value again`;
}

/** Words at the start of a sentence. */
export function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `1 change`, `3 changes`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** `one`, `one and two`, `one, two and three`. */
export function andList(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** The first lines, and the number of further ones. */
export function firstOf(lines: readonly string[], most: number, rest = (more: number) => `and ${more} more`) {
  return lines.length > most ? [...lines.slice(0, most), rest(lines.length - most)] : lines;
}

/** The form of a name for comparisons: case-insensitive, normalized to NFC, the domain of an address in letters (not `xn--`). */
export function sameName(name: string): string {
  const same = name.trim().normalize('NFC').toLowerCase();
  const at = same.includes('xn--') ? same.lastIndexOf('@') + 1 : 0;
  return at === 0 ? same : same.slice(0, at) + (domainToUnicode(same.slice(at)) || same.slice(at));
}

/** Compares two texts by their code units: the same order on every machine. */
export function inCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

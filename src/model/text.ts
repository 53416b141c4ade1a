/**
 * Most texts are of Latin letters and their punctuation. What goes by Unicode property stands in functions, and is not
 * reached for them: V8 takes milliseconds to make one such expression.
 */
const PLAIN = /^[ -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027\u20ac]*$/;

/** Code units of a value that a sentence shows. */
const LONGEST_SHOWN = 60;

/** What is wrong with a text of one line, or `undefined`. */
export function textProblem(text: string, longest = 1_000): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  if (text.length > longest) return `is longer than ${longest} characters`;
  if (!PLAIN.test(text) && hasInvisible(text)) return 'has control or invisible characters';
  return undefined;
}

/** Like `textProblem`, for names of hotels and files: emoji and words may be joined as their scripts ask. */
export function nameProblem(text: string, longest = 1_000): string | undefined {
  return textProblem(text.length > longest || PLAIN.test(text) ? text : withoutJoining(text), longest);
}

/** Quotes a value for a message: as JSON, shortened. */
export function quote(text: string): string {
  return JSON.stringify(shortened(text));
}

/** Shortens a text for a message. */
export function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}

/** Control characters, lone surrogates, and the ignorable characters of Unicode. */
function hasInvisible(text: string): boolean {
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/u.test(text);
}

/** Without the variation selector after a visible character and the joiner between two: emoji, Persian and Japanese names need them. */
function withoutJoining(text: string): string {
  return text.replaceAll(
    /(?<=[\p{L}\p{M}\p{N}\p{P}\p{S}])(?:(?<!\p{Variation_Selector})\p{Variation_Selector}|[\u200c\u200d](?=[\p{L}\p{M}\p{N}\p{P}\p{S}]))/gu,
    '',
  );
}

/** What a spreadsheet would take for a formula, and the quote that stands in front of such a cell. */
const FORMULA = /^[=+\-@\t\r']/;

const QUOTED = new RegExp(`^'${FORMULA.source.slice(1)}`);

/** A cell for a spreadsheet: what it would take for a formula, or begins with ', gets one ' in front. */
export function quotedCell(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** The text of a cell without the one ' that `quotedCell` put there. */
export function unquotedCell(cell: string): string {
  return QUOTED.test(cell) ? cell.slice(1) : cell;
}

/** The text of a formula that is nothing but one, `="01067"`: a spreadsheet keeps its zeros so. `undefined` for any other cell. */
export function textOfFormula(cell: string): string | undefined {
  if (!/^="/.test(cell) || cell.length < 3 || !cell.endsWith('"')) return undefined;
  const inside = cell.slice(2, -1);
  return inside.replaceAll('""', '').includes('"') ? undefined : inside.replaceAll('""', '"');
}

/** What programs write into a cell whose formula has no value: `#REF!`, `#N/A`, `#BEZUG!`, `Err:502`. */
const ERROR = /^(#[¡¿]?[A-ZÀ-Þ][A-ZÀ-Þ\d_]*(\/[A-Z\d])?[!?]|#N\/[ABD]|#NV|#GETTING_DATA|#{3,}|Err:\d{3})$/;

/** What they make of a text of many digits, or of digits around an E. */
const SCIENTIFIC = /^[+-]?\d+([.,]\d+)?E[+-]\d+$/i;

/**
 * What a spreadsheet has put in the place of a value, as what is wrong with the cell; `undefined` where it has not.
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

/** The first lines, and how many more there are. */
export function firstOf(
  lines: readonly string[],
  most: number,
  rest = (more: number) => `and ${more} more`,
): readonly string[] {
  return lines.length > most ? [...lines.slice(0, most), rest(lines.length - most)] : lines;
}

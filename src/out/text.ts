/**
 * Most texts are of Latin letters and their punctuation, none of which a terminal obeys or hides, and this test is many times
 * cheaper than a search by Unicode property.
 */
const PLAIN = /^[\n\t -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027\u20ac]*$/;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/** The text with everything a terminal would obey or hide replaced by a visible escape such as `\u{1b}`; newline and tab stay. */
export function neutralise(text: string): string {
  return PLAIN.test(text) ? text : text.replace(hidden(), visible);
}

/** Like `neutralise`, for a text that must stay on one line: newline and tab become `\n` and `\t`. */
export function neutraliseLine(text: string): string {
  return neutralise(text).replace(/[\n\t]/g, visible);
}

/**
 * Like `neutralise`, for what is said in a sentence or more: tabs become `\t`, and further lines stand indented, so that
 * nothing within it passes for a message of its own.
 */
export function neutraliseSaid(text: string): string {
  return neutralise(text)
    .replaceAll('\t', '\\t')
    .replace(/\n(?=\S)/g, '\n  ');
}

/** Whether the text has any of what `neutralise` replaces. */
export function hasHidden(text: string): boolean {
  return !PLAIN.test(text) && text.search(hidden()) !== -1;
}

/** The line if it has at most `length` code units, else its beginning and an ellipsis; no surrogate pair is split. */
export function clip(line: string, length: number): string {
  return line.length <= length ? line : `${line.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * JSON text in which the same characters stand as `\uXXXX`: it parses to the same data.
 *
 * @param json well-formed JSON, where they occur inside strings only.
 */
export function neutraliseJson(json: string): string {
  return PLAIN.test(json) ? json : json.replace(hidden(), utf16Escapes);
}

/**
 * YAML text in which the same characters stand as `\uXXXX` or `\UXXXXXXXX`: it parses to the same data.
 *
 * @param yaml where they occur inside double quotes only.
 */
export function neutraliseYaml(yaml: string): string {
  return PLAIN.test(yaml) ? yaml : yaml.replace(hidden(), codePointEscape);
}

/**
 * What a terminal obeys or does not show: controls, lone surrogates, bidi controls, line and paragraph separators, Egyptian
 * joiners, and all that Unicode calls ignorable (zero width, soft hyphen, tags). One variation selector stays where it picks
 * the look of a character, which emoji and Japanese names need: behind one beyond ASCII, or in a keycap. Not at module level:
 * V8 takes milliseconds to make it, and few runs meet a text that is not plain.
 */
function hidden(): RegExp {
  return /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}\u{13430}-\u{1343f}](?<![\n\t]|(?=[^\0-\x7f])(?!\p{Variation_Selector})[\p{L}\p{M}\p{N}\p{P}\p{S}]\p{Variation_Selector}|\ufe0f(?=\u20e3))/gu;
}

function visible(character: string): string {
  return shortEscapes[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

function codePointEscape(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

function utf16Escapes(character: string): string {
  return character.length === 1 ? unitEscape(character) : character.split('').map(unitEscape).join('');
}

function unitEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

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

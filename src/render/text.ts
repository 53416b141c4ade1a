/**
 * What a terminal obeys or does not show: controls, lone surrogates, bidi controls, line and paragraph
 * separators, and all that Unicode calls ignorable (zero width, soft hyphen, tags) but variation selectors,
 * which emoji and Japanese names need.
 */
const HIDDEN =
  /(?![\n\t]|\p{Variation_Selector})[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/gu;

/** Most texts are plain ASCII, and this test is many times cheaper than a search by Unicode property. */
const PLAIN = /^[\n\t -~]*$/;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/** The text with everything a terminal would obey or hide replaced by a visible escape such as `\u{1b}`; newline and tab stay. */
export function neutralise(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN, visible);
}

/** Like `neutralise`, for a text that must stay on one line: newline and tab become `\n` and `\t`. */
export function neutraliseLine(text: string): string {
  return neutralise(text).replace(/[\n\t]/g, visible);
}

/** Whether the text has any of what `neutralise` replaces. */
export function hasHidden(text: string): boolean {
  return !PLAIN.test(text) && text.search(HIDDEN) !== -1;
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
  return PLAIN.test(json) ? json : json.replace(HIDDEN, utf16Escapes);
}

/**
 * YAML text in which the same characters stand as `\uXXXX` or `\UXXXXXXXX`: it parses to the same data.
 *
 * @param yaml where they occur inside double quotes only.
 */
export function neutraliseYaml(yaml: string): string {
  return PLAIN.test(yaml) ? yaml : yaml.replace(HIDDEN, codePointEscape);
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

import { domainToUnicode } from 'node:url';
import { distance } from 'fastest-levenshtein';
import { invalidInput } from './errors.ts';
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
  if (!PLAIN.test(text) && new RegExp(INVISIBLE, 'u').test(text))
    return 'has control or invisible characters';
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

/** Whether a text is like a pattern, in which `*` stands for any characters. A regular expression could backtrack without end. */
export function isLike(text: string, pattern: string): boolean {
  const [start = '', ...parts] = pattern.split('*');
  const end = parts.pop();
  if (end === undefined) return text === start;
  const last = text.length - end.length;
  if (last < start.length || !text.startsWith(start) || !text.endsWith(end)) return false;
  let from = start.length;
  return parts.every((part) => {
    const at = text.slice(0, last).indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}

/**
 * The candidate that was probably meant, or `undefined` if none is close: at most a third of the letters may be wrong. Two
 * swapped letters are one mistake.
 */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const typed = text.slice(0, 100).toLowerCase();
  const most = Math.max(1, Math.floor(typed.length / 3));
  const [best] = candidates
    .map((candidate) => ({ candidate, meant: candidate.toLowerCase() }))
    // The difference in length is a lower bound, and much cheaper than the distance.
    .filter(({ meant }) => Math.abs(meant.length - typed.length) <= most)
    .map(({ candidate, meant }) => ({ candidate, wrong: mistakes(typed, meant) }))
    .sort((a, b) => a.wrong - b.wrong);
  return best !== undefined && best.wrong <= most ? best.candidate : undefined;
}

/**
 * The flag that was probably meant, or `undefined`. A flag that differs in a whole word, or in its beginning, means
 * something else, however similar: `--remove-properties` is not `--set-properties`, nor `get-live` `set-live`.
 *
 * @param typed without leading dashes, like the candidates.
 */
export function nearestFlag(typed: string, candidates: readonly string[]): string | undefined {
  const alike = candidates.filter((candidate) => isOneStem(typed.toLowerCase(), candidate));
  return nearest(typed, alike);
}

function isOneStem(typed: string, meant: string): boolean {
  const wrong = mistakes(typed, meant);
  if (wrong <= 1) return typed[0] === meant[0] || typed.slice(1) !== meant.slice(1);
  if (typed[0] !== meant[0]) return false;
  const [words, others] = [typed.split('-'), meant.split('-')];
  if (words.length !== others.length) return wrong <= 2;
  return words.every((word, index) => isOneWord(word, others[index] ?? ''));
}

/** `property` and `properties` are forms of one word. */
function isOneWord(word: string, other: string): boolean {
  return word.slice(0, 4) === other.slice(0, 4) || nearest(word, [other]) !== undefined;
}

/** The hint about an unknown name: `Did you mean json?`. */
export function didYouMean(meant: string | readonly string[] | undefined): string | undefined {
  const names = [meant ?? []].flat();
  if (names.length === 0) return undefined;
  return `Did you mean ${names.length === 1 ? '' : 'one of '}${names.join(', ')}?`;
}

/** The same at the end of a reason: `; did you mean json?`, `; ${otherwise}`, or nothing. */
export function suggestion(meant: string | readonly string[] | undefined, otherwise = ''): string {
  const hint = didYouMean(meant);
  if (hint !== undefined) return `; d${hint.slice(1)}`;
  return otherwise === '' ? '' : `; ${otherwise}`;
}

/** The suggestion for an unknown name. */
export function guess(name: string, known: readonly string[], otherwise?: string): string {
  return suggestion(nearest(name, known), otherwise);
}

/** What is wrong with a word that must be one of a few, or `undefined`. */
export function choiceProblem(word: string, choices: readonly string[]): string | undefined {
  if (choices.includes(word)) return undefined;
  const among = choices.length > 1 ? 'one of ' : '';
  return `${quote(word)} is not ${among}${choices.join(', ')}${guess(word, choices)}`;
}

/**
 * The e-mail address that was probably meant, or `undefined`. Addresses of one domain are similar: the part before the @
 * must be similar, too.
 */
export function nearestAddress(email: string, listed: readonly string[]): string | undefined {
  const alike = listed.filter((other) => nearest(beforeAt(email), [beforeAt(other)]) !== undefined);
  return nearest(email, alike);
}

function beforeAt(email: string): string {
  return email.slice(0, Math.max(email.lastIndexOf('@'), 0));
}

function mistakes(typed: string, meant: string): number {
  const wrong = distance(typed, meant);
  if (wrong !== 2 || typed.length !== meant.length) return wrong;
  const at = typed.split('').findIndex((letter, index) => letter !== meant[index]);
  const isSwapped = typed[at] === meant[at + 1] && typed[at + 1] === meant[at];
  return isSwapped ? 1 : wrong;
}

/**
 * Decodes percent-encodings until none is left, `%u002f` included: nested encodings hide nothing. Invalid UTF-8 becomes
 * U+FFFD.
 */
export function decodeFully(text: string): string {
  let before = text;
  for (;;) {
    const after = before.replace(/%u[\da-f]{4}|(?:%[\da-f]{2})+/gi, decoded);
    if (after === before) return after;
    before = after;
  }
}

/**
 * Whether a value would leave its path segment: it has a slash, a backslash or a control character, or is a dot segment,
 * plain, percent-encoded at any depth, or in full-width characters. A proxy that decodes a path before routing would see
 * another path.
 */
export function leavesSegment(value: string): boolean {
  const seen = decodeFully(decodeFully(value).normalize('NFKC'));
  // Some servers end a segment at a semicolon.
  return hasSeparator(seen) || /^\.{1,2}(?:;|$)/.test(seen);
}

/** What is wrong with an e-mail address that would go into a path, or `undefined`. */
function addressSegmentProblem(email: string): string | undefined {
  if (!leavesSegment(email)) return undefined;
  return `${quote(email)} has a slash, backslash or control character, plain or encoded`;
}

function hasSeparator(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return /[/\\\u0000-\u001f\u007f\ufffd]/.test(text);
}

function decoded(encoded: string): string {
  if (/^%u/i.test(encoded)) return String.fromCharCode(Number.parseInt(encoded.slice(2), 16));
  return Buffer.from(encoded.replaceAll('%', ''), 'hex').toString();
}

const LONGEST = 254;
const LONGEST_LOCAL_PART = 64;

/**
 * What is wrong with an e-mail address, or `undefined`. Quoted local parts, address literals and what fits into no path are
 * refused: such an invitation could not be withdrawn.
 */
export function emailProblem(text: string): string | undefined {
  const problem = textProblem(text, LONGEST);
  if (problem !== undefined) return problem;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const isLocalPart =
    local !== '' &&
    local.length <= LONGEST_LOCAL_PART &&
    !/[\s@"(),:;<>[\]\\]/.test(local) &&
    !/^\.|\.\.|\.$/.test(local);
  if (!isLocalPart || !isDomain(text.slice(at + 1))) return noAddress(text);
  return addressSegmentProblem(text);
}

/**
 * Like `emailProblem`, for an address that a service may have already: quoted local parts, dots anywhere before the @, and
 * domains of one label are accepted, too.
 */
export function heldEmailProblem(text: string): string | undefined {
  const problem = textProblem(text, LONGEST);
  if (problem !== undefined) return problem;
  const isHeld = /^(?:"[^"]+"|[^\s@"(),:;<>[\]\\]+)@[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)*$/.test(
    text,
  );
  // The reason about a slash is more precise.
  const segment = text.includes('@') ? addressSegmentProblem(text) : undefined;
  return segment ?? (isHeld ? undefined : noAddress(text));
}

function noAddress(text: string): string {
  return `${quote(text)} is not an e-mail address`;
}

/** Labels between dots; the last one is not a number, unlike in an IP address. */
function isDomain(text: string): boolean {
  // In the function, because V8 takes milliseconds for the expression.
  return /^(?!.*\.\p{N}+$)(?!-)[\p{L}\p{N}-]{1,63}(?<!-)(\.(?!-)[\p{L}\p{N}-]{1,63}(?<!-))+$/u.test(text);
}

/** What is wrong with the id of a run, or `undefined`. */
export function runIdProblem(text: string): string | undefined {
  if (/^[\x21-\x7e]{1,128}$/.test(text)) return undefined;
  return `${quote(text)} must be 1 to 128 visible ASCII characters without blanks`;
}

/** What is wrong with an idempotency key, or `undefined`; none is right. */
export function keyProblem(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return undefined;
  return 'must be 1 to 255 visible ASCII characters';
}

/** What is wrong with the code of a property, at a service that makes ids of it, or `undefined`. */
export function shortCodeProblem(code: string): string | undefined {
  if (/^[A-Za-z0-9_]{3,10}$/.test(code)) return undefined;
  return (
    textProblem(code) ?? `${quote(code)} is not a code of 3 to 10 letters A to Z, digits and underscores`
  );
}

/**
 * What is wrong with a JSON Pointer (RFC 6901) to a field, or `undefined`. Segments escape ~ as ~0 and / as ~1.
 */
export function pointerProblem(path: string): string | undefined {
  if (!/^(\/([^~/]|~[01])*)+$/.test(path)) {
    const meant = /^[\w/-]+$/.test(path) ? `: write /${path}` : '';
    return `is not a JSON Pointer such as /name/de (~ is written ~0, / in a name ~1)${meant}`;
  }
  return path.split('/').includes('__proto__') ? 'names what no record has' : textProblem(path);
}

/** Whether a text is percent-encoded UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** What an editor can check of the id of a record, or of what stands for it. */
export const idPattern = '^[^/\\\\?#%\\[\\]{}"\\s]{1,256}$';

/** Longer ids are refused. */
const LONGEST_ID = 256;

/**
 * A path with its placeholders filled in; each value is checked and encoded as one segment.
 *
 * @param template as in the operations table: `/api/v1/invitations/{email}`.
 * @throws {CliError} exit 2, naming the placeholder, if a value cannot be a segment.
 */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  if (!template.includes('{')) return template;
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, values[name] ?? ''));
}

/** What is wrong with an id that would go into a path, or `undefined`. */
export function idProblem(id: string): string | undefined {
  if (id.trim() === '') return 'must not be empty';
  if (id === '.' || id === '..' || id === '$count') return `${JSON.stringify(id)} is not an id`;
  if (id.length > LONGEST_ID) return `is longer than ${LONGEST_ID} characters`;
  if (isStrayInId(id) || leavesSegment(id)) return `${JSON.stringify(id)} has characters that no id has`;
  return undefined;
}

/** Characters that would change the path, or be invisible. In a function, because V8 takes milliseconds for the expression. */
function isStrayInId(id: string): boolean {
  return /[/\\?#%[\]{}"\s\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(id);
}

function segment(name: string, value: string): string {
  const problem = name === 'email' ? heldEmailProblem(value) : idProblem(value);
  if (problem !== undefined) throw invalidInput([{ field: name, reason: problem }]);
  return encodeURIComponent(value);
}

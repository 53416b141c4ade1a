import type { Span } from './runs.ts';

/** Rounds of decoding: `%255Cu0061` needs three. */
const DEEPEST = 6;

/** Characters that break a word up, beyond ASCII: white space, and what is not shown. */
const HIDDEN =
  '\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f' +
  '\\u2028-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0';

/** Characters that break a word up: white space, controls, and what is not shown. */
const BREAK = `\\0- ${HIDDEN}`;

/** Tag characters, which are beyond the first plane. */
const TAG = '\\udb40[\\udc00-\\udfff]';

const HEX = '[\\da-fA-F]';

/** Named entities, each followed by its character. */
const named =
  'amp& lt< gt> quot" apos\' plus+ sol/ bsol\\ equals= period. comma, colon: semi; lowbar_ percnt% num# excl! ' +
  'quest? dollar$ ast* commat@ lpar( rpar)';
const entities: ReadonlyMap<string, string> = new Map([
  ...named.split(' ').map((each) => [each.slice(0, -1), each.slice(-1)] as const),
  // These break a word up, as a blank does.
  ...['nbsp', 'shy', 'Tab', 'NewLine', 'ZeroWidthSpace'].map((name) => [name, ' '] as const),
]);

/** One escaped character: with a backslash, in percent encoding or as an entity. */
const ESCAPE =
  `%[0-7]${HEX}|%[c-fC-F]${HEX}(?:%[89abAB]${HEX}){1,3}|%u${HEX}{4}` +
  `|\\\\(?:u\\{${HEX}{1,8}\\}|u${HEX}{4}|U${HEX}{8}|x${HEX}{2}|[bfnrtv]|[^\\da-zA-Z])` +
  `|&(?:#0*\\d{1,8};?|#[xX]0*${HEX}{1,8};?|(?:${[...entities.keys()].join('|')});)`;

const breaks = new RegExp(`[${BREAK}]+|${TAG}`, 'g');
const escapes = new RegExp(ESCAPE, 'g');
const anyEscape = new RegExp(`%${HEX}{2}|%u${HEX}|\\\\[uUx]|&(?:#|[a-zA-Z]{2,14};)`);

interface Round {
  readonly before: string;
  readonly undone: RegExp;
}

/** Decodes percent encoding, entities, escapes of JSON and YAML, and breaks, also nested. Linear. */
export function readingOf(text: string) {
  const rounds: Round[] = [];
  let last = text;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const unbroken = last.replace(breaks, '');
    const plain = unbroken.replace(escapes, decoded);
    rounds.push({ before: last, undone: breaks }, { before: unbroken, undone: escapes });
    last = plain;
    if (plain === unbroken) break;
  }
  return {
    /** Without escapes, white space and invisible characters, in lower case. */
    text: inLowerCase(last),
    /** Maps spans of `text`, which are sorted and do not overlap, to the original text. */
    written: (spans: readonly Span[]) =>
      rounds.reduceRight((places, round) => spansBefore(places, round), spans),
  };
}

/**
 * Prepares a test of whether a text may contain one of these words in some spelling. It has no false negatives, and costs a
 * fraction of a reading.
 *
 * @param words as `readingOf` returns them.
 */
export function hintOf(words: readonly string[]): (text: string) => boolean {
  const breaks = `[${BREAK}\\udb40\\udc00-\\udfff]*`;
  const between = `${breaks}(?:\\\\[bfnrtv]${breaks}){0,9}\\\\{0,9}`;
  const heads = words.map((word) => [...word.slice(0, HEAD)].map(eitherCase).join(between));
  const head = new RegExp(heads.join('|'));
  return (text) => hasEscape(text) || head.test(text);
}

/** Searches for the three characters first, which most texts do not have. */
function hasEscape(text: string): boolean {
  return (text.includes('%') || text.includes('\\') || text.includes('&')) && anyEscape.test(text);
}

/** Characters of a word that the test looks for. */
const HEAD = 5;

function eitherCase(letter: string): string {
  const cases = [...new Set([letter, letter.toUpperCase()])].filter((each) => each.length === 1);
  return `[${cases.map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}]`;
}

function decoded(spelled: string): string {
  const [lead, next = ''] = spelled;
  if (lead === '%') {
    const isBytes = spelled.length > 3 && next !== 'u';
    if (isBytes) return Buffer.from(spelled.replaceAll('%', ''), 'hex').toString();
    return characterOf(spelled.slice(next === 'u' ? 2 : 1), 16);
  }
  if (lead === '\\') {
    if (/[uUx]/.test(next)) return characterOf(spelled.slice(2).replace('{', ''), 16);
    return /[bfnrtv]/.test(next) ? '' : spelled.slice(1);
  }
  if (next !== '#') return entities.get(spelled.slice(1, -1)) ?? spelled;
  return /^&#x/i.test(spelled) ? characterOf(spelled.slice(3), 16) : characterOf(spelled.slice(2), 10);
}

/** @param digits may be followed by other characters. */
function characterOf(digits: string, radix: number): string {
  const code = Number.parseInt(digits, radix);
  return String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd);
}

/** Keeps the length, so that positions stay: U+0130 alone would become two characters. */
function inLowerCase(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase();
}

/** Maps spans to the text before a round of decoding. */
function spansBefore(spans: readonly Span[], { before, undone }: Round): readonly Span[] {
  const places = spans.flatMap(({ start, end }) => [start, end - 1]);
  const found: number[] = [];
  let removed = 0;
  const pass = (before: number, placeOf: (place: number, isEnd: boolean) => number) => {
    while ((places[found.length] ?? Number.POSITIVE_INFINITY) < before)
      found.push(placeOf(places[found.length] ?? 0, found.length % 2 === 1));
  };
  const asItIs = (place: number, isEnd: boolean) => place + removed + (isEnd ? 1 : 0);
  for (const { 0: spelled, index } of places.length === 0 ? [] : before.matchAll(undone)) {
    const plain = undone === breaks ? '' : decoded(spelled);
    pass(index - removed, asItIs);
    pass(index - removed + plain.length, (_, isEnd) => (isEnd ? index + spelled.length : index));
    removed += spelled.length - plain.length;
  }
  pass(Number.POSITIVE_INFINITY, asItIs);
  return spans.map((_, at) => ({ start: found[2 * at] ?? 0, end: found[2 * at + 1] ?? 0 }));
}

/** Forms of a whole secret in URLs, forms, JSON, tables and headers. */
export function formsOf(secret: string): readonly string[] {
  return [
    // The host of a URL is in lower case.
    ...[secret, secret.toLowerCase(), secret.toUpperCase()].flatMap(escapedForms),
    ...encodedForms(secret),
  ];
}

/** A secret in Base64, also within a longer text, and in hexadecimal. */
export function encodedForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  return [
    bytes.toString('base64'),
    bytes.toString('base64url'),
    ...[0, 1, 2].flatMap((before) => [within(bytes, before, 'base64'), within(bytes, before, 'base64url')]),
    hex,
    hex.toUpperCase(),
  ];
}

/** The characters of a longer Base64 text that depend on the secret alone, after `before` other bytes. */
function within(secret: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const bits = 8 * (before + secret.length);
  const text = Buffer.concat([Buffer.alloc(before), secret]).toString(encoding);
  return text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
}

function escapedForms(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  const urls = [encodeURIComponent(text), formEncoded(text), formEncoded(text).replaceAll('+', '%20')];
  const json = jsonEscaped(secret);
  return [
    secret,
    ...urls.flatMap((url) => [url, url.replaceAll(/%../g, (code) => code.toLowerCase())]),
    json,
    json.replaceAll('/', '\\/'),
    jsonEscaped(json),
    // In a cell of CSV and of TSV.
    secret.replaceAll('"', '""'),
    secret.replaceAll('\\', '\\\\'),
  ];
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Form encoding: other characters are escaped than in a URL, and a space is a plus. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

import { hash } from 'node:crypto';
import { isRecord } from './records.ts';

/** A token of a JSON text: a text with its quotes, a number, a bracket. */
export interface JsonToken {
  /** `name`: a text before a colon. */
  readonly kind: 'name' | 'text' | 'number' | 'open' | 'close';
  readonly start: number;
  readonly end: number;
}

/**
 * The tokens of a JSON text, in order. One regular expression for whole texts would overflow the stack on very many
 * escapes.
 *
 * @param json may be malformed; then the tokens are, too.
 */
export function* jsonTokens(json: string): Generator<JsonToken> {
  const beginning = /["[\]{}]|-?\d[\d.eE+-]*/g;
  for (let found = beginning.exec(json); found !== null; found = beginning.exec(json)) {
    const { index: start, 0: token } = found;
    if (token !== '"') {
      yield { kind: kindOf(token), start, end: start + token.length };
      continue;
    }
    const end = endOfText(json, start);
    yield { kind: isBeforeColon(json, end) ? 'name' : 'text', start, end };
    beginning.lastIndex = end;
  }
}

const [QUOTE, BACKSLASH, LIST, END_OF_LIST, OBJECT, END_OF_OBJECT] = Buffer.from('"\\[]{}');

/** Whether a JSON text is nested deeper than a number of levels. @param bytes in UTF-8; may be malformed, then so is the result. */
export function isDeeper(bytes: Uint8Array, most: number): boolean {
  let [depth, isText] = [0, false];
  for (let at = 0; at < bytes.length && depth <= most; at += 1) {
    const byte = bytes[at];
    if (isText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isText = !isText;
    else if (!isText && (byte === LIST || byte === OBJECT)) depth += 1;
    else if (!isText && (byte === END_OF_LIST || byte === END_OF_OBJECT)) depth -= 1;
  }
  return depth > most;
}

function kindOf(token: string): JsonToken['kind'] {
  if (token === '[' || token === '{') return 'open';
  return token === ']' || token === '}' ? 'close' : 'number';
}

/** The index after the closing quote, which has an even number of backslashes before it. */
function endOfText(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}

const colon = /\s*:/y;

function isBeforeColon(json: string, end: number): boolean {
  colon.lastIndex = end;
  return colon.test(json);
}

/** Whether a text is well-formed JSON. */
export function isJson(text: string): boolean {
  return parsedJson(text) !== undefined;
}

/** The value of a JSON text; `undefined` if it is not well-formed. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The canonical JSON of a value, and its SHA-256 in hex. */
export function canonicalOf(value: unknown) {
  const text = canonical(value);
  return { text, hash: hash('sha256', text, 'hex') };
}

/** SHA-256 of the canonical JSON, in hex. */
export function hashOf(value: unknown): string {
  return canonicalOf(value).hash;
}

/** JSON with sorted names: equal values have the same text. */
export function canonical(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

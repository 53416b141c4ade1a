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

/** Bytes. */
const PIECE = 1_048_576;

const [QUOTE, BACKSLASH, COMMA, LIST, END_OF_LIST, OBJECT, END_OF_OBJECT] = Buffer.from('"\\,[]{}');

/**
 * How a JSON text is nested, and where its long list can be cut: the text itself, or a member of its outermost object.
 *
 * @param bytes in UTF-8; may be malformed, then so is the result.
 * @returns `isDeep`: deeper than `most`; `pieces`: where some entries of the list begin and end, at least a MiB apart; none
 * if it is shorter.
 */
export function outlineOf(bytes: Uint8Array, most: number) {
  const pieces: { readonly start: number; readonly end: number }[] = [];
  let [depth, listDepth, start, isText] = [0, 0, 0, false];
  for (let at = 0; at < bytes.length && depth <= most; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      isText = byte !== QUOTE;
      continue;
    }
    isText = byte === QUOTE;
    const isEnd = byte === END_OF_LIST || byte === END_OF_OBJECT;
    if (depth === listDepth && (isEnd ? pieces.length > 0 : byte === COMMA && at - start > PIECE)) {
      pieces.push({ start, end: at });
      start = at + 1;
    }
    if (isEnd && depth === listDepth) listDepth = pieces.length > 0 ? -1 : 0;
    if (isEnd) depth -= 1;
    if (byte === LIST || byte === OBJECT) depth += 1;
    if (byte === LIST && listDepth === 0 && depth <= 2) [listDepth, start] = [depth, at + 1];
  }
  return { isDeep: depth > most, pieces: listDepth === -1 ? pieces : [] };
}

/**
 * The first repeated name in an object of a JSON text, or `undefined`: JSON.parse would silently take the last.
 *
 * @param json well-formed.
 */
export function repeatedName(json: string): JsonToken | undefined {
  const open: Set<unknown>[] = [];
  for (const token of jsonTokens(json)) {
    if (token.kind === 'open') open.push(new Set());
    if (token.kind === 'close') open.pop();
    if (token.kind !== 'name') continue;
    const name: unknown = JSON.parse(json.slice(token.start, token.end));
    if (open.at(-1)?.has(name) === true) return token;
    open.at(-1)?.add(name);
  }
  return undefined;
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

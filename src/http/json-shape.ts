/** Deeper answers are refused: nothing that the service stores is nested like that. */
const MAX_DEPTH = 100;

/** An empty object is two bytes on the wire and a hundred times as much in memory. A page of 500 properties has 30,000. */
const LEAST_MAX_PARTS = 300_000;

/** Whoever lets longer answers in (--max-body) lets more parts in: as many as there are to the default length, 8 MiB. */
const CHARACTERS_A_PART = 28;

/** Shorter numbers are all held exactly. */
const LEAST_LONG = 16;

/** What a look at a JSON text tells before it is parsed. */
export interface JsonShape {
  /** Why it is not worth reading, as a noun; `undefined` when it is. */
  readonly problem: string | undefined;
  /** Whether a number in it is so long, or has an exponent, that it may not be held exactly. */
  readonly hasLongNumbers: boolean;
}

const [QUOTE, BACKSLASH, COMMA, ZERO, NINE, E] = [0x22, 0x5c, 0x2c, 0x30, 0x39, 0x65];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The bit that tells small letters from capitals. */
const SMALL = 0x20;

/**
 * Looks at a JSON text before it is parsed: the parser would hold hundreds of megabytes for eight. It is one loop over
 * character codes, because every answer passes it.
 *
 * @param json whatever it is otherwise, well-formed or not.
 */
export function shapeOf(json: string): JsonShape {
  const maxParts = Math.max(LEAST_MAX_PARTS, Math.floor(json.length / CHARACTERS_A_PART));
  let depth = 0;
  let parts = 0;
  let digits = 0;
  let hasLongNumbers = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code >= ZERO && code <= NINE) {
      digits += 1;
      if (digits === LEAST_LONG) hasLongNumbers = true;
      continue;
    }
    // Of the words outside texts, `true` and `false` end in this letter and no number begins so.
    if (digits > 0 && (code | SMALL) === E) hasLongNumbers = true;
    digits = 0;
    if (code === QUOTE) at = endOfText(json, at);
    else if (code === COMMA) parts += 1;
    else if (code === LIST || code === OBJECT) {
      parts += 1;
      depth += 1;
    } else if (code === LIST_END || code === OBJECT_END) depth -= 1;
    if (depth > MAX_DEPTH) return { problem: `JSON nested deeper than ${MAX_DEPTH}`, hasLongNumbers };
    if (parts > maxParts) return { problem: `JSON of more than ${maxParts} parts`, hasLongNumbers };
  }
  return { problem: undefined, hasLongNumbers };
}

/** Where the quote stands that ends a text; the end of all where there is none. */
function endOfText(json: string, start: number): number {
  const quote = json.indexOf('"', start + 1);
  if (quote === -1) return json.length;
  return json.charCodeAt(quote - 1) === BACKSLASH ? endOfEscapedText(json, start) : quote;
}

/** Not a search from quote to quote: of a text of backslashes and quotes it would look at each backslash many times. */
function endOfEscapedText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return json.length;
}

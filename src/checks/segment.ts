import { quote } from './text.ts';

/**
 * A text with its percent-encodings undone until none is left, `%u002f` too: what is encoded twice hides nothing. Bytes
 * that are no UTF-8 become U+FFFD.
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
 * Whether a value would leave the path segment that it is put into: it holds a slash, a backslash or a control
 * character, or is a dot segment, written plainly, in percent-encoding of any depth, or in wide letters. A proxy that
 * decodes a path before it routes would see another path.
 */
export function leavesSegment(value: string): boolean {
  const seen = decodeFully(decodeFully(value).normalize('NFKC'));
  // Some servers take a semicolon for the end of a segment.
  return hasSeparator(seen) || /^\.{1,2}(?:;|$)/.test(seen);
}

/** What is wrong with an e-mail address that would go into a path, or `undefined`. */
export function addressSegmentProblem(email: string): string | undefined {
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

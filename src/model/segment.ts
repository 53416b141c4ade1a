import { quote, textProblem } from './text.ts';

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

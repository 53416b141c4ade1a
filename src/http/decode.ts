import { CliError } from '../errors.ts';
import { problemOf, shapeOf } from './json-shape.ts';

/**
 * The JSON value of an answer's body; `undefined` when it is empty.
 * An integer that a number cannot hold exactly comes as a text with all its digits: two ids must not become one. So
 * does a number that is too large for any.
 *
 * @throws {CliError} `malformed_answer` when it is not UTF-8, not JSON, nested deeper than 100, or of too many
 * parts for its length.
 */
export function decodeJson(bytes: Uint8Array, headers: Readonly<Record<string, string>>): unknown {
  const text = decodeText(bytes, headers);
  if (text.trim() === '') return undefined;
  if (isMarkup(text)) {
    throw malformed(
      'an HTML or XML page',
      'Check the URL, and whether a proxy or a log-in page stands in between.',
    );
  }
  const value = parse(text, headers['content-type']);
  const { problem, hasLongNumbers } = shapeOf(value);
  if (problem !== undefined) throw malformed(problem);
  return hasLongNumbers ? JSON.parse(withLostNumbersQuoted(text)) : value;
}

/**
 * Like `decodeJson`, and a text that does not claim to be JSON as it is.
 *
 * @throws {CliError} `malformed_answer` when it is not UTF-8, or a page of HTML or XML.
 */
export function decodeJsonOrText(bytes: Uint8Array, headers: Readonly<Record<string, string>>): unknown {
  const text = decodeText(bytes, headers);
  const mustBeJson = /\bjson\b/i.test(headers['content-type'] ?? '');
  return mustBeJson || isMarkup(text) || isJson(text) ? decodeJson(bytes, headers) : text;
}

function isJson(text: string): boolean {
  // Whoever decodes it says so; a long table has many commas as well.
  if (/^\s*[[{]/.test(text) && problemOf(text) !== undefined) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text.trim() === '';
  }
}

/** Whether a text is a page of HTML or XML: nothing that the service says is one. */
export function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

/** Whether a body is said to be a page of HTML or XML: all that is known of one that did not come. */
export function isMarkupType(headers: Readonly<Record<string, string>>): boolean {
  return /^\s*[a-z]+\/(?:[^;,\s]*\+)?(?:html|xml)\b/i.test(headers['content-type'] ?? '');
}

function decodeText(bytes: Uint8Array, headers: Readonly<Record<string, string>>): string {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (bytes.length > 0 && coding !== '' && coding !== 'identity') {
    const name = /^[a-z0-9_-]{1,20}$/.test(coding) ? ` (${coding})` : '';
    throw malformed(`a compressed body${name}, which nobody asked for`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed('text that is not UTF-8', undefined, cause);
  }
}

function parse(text: string, contentType: string | undefined): unknown {
  const problem = problemOf(text);
  if (problem !== undefined) throw malformed(problem);
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message would quote a piece of the text, cut anywhere, through a secret as well.
    const type =
      contentType === undefined || contentType.length > 100 ? '' : ` (content type ${contentType})`;
    throw malformed(`a text that is not JSON${type}`);
  }
}

/** @param json well-formed. */
function withLostNumbersQuoted(json: string): string {
  let inString = false;
  return json.replace(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token === '"') inString = !inString;
    const isLong = !inString && /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token));
    const isEndless = !inString && /^-?\d/.test(token) && !Number.isFinite(Number(token));
    return isLong || isEndless ? `"${token}"` : token;
  });
}

/** An answer that cannot be used, and why. */
export function malformed(what: string, hint?: string, cause?: unknown): CliError {
  return new CliError('malformed_answer', `the service answered with ${what}`, { hint, cause });
}

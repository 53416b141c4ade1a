import { CliError } from '../errors.ts';

/** Deeper answers are refused: nothing that the service stores is nested like that. */
const MAX_DEPTH = 100;

/**
 * The JSON value of an answer's body; `undefined` when it is empty.
 *
 * @throws {CliError} `malformed_answer` when it is not UTF-8, not JSON, or nested deeper than 100.
 */
export function decodeJson(bytes: Uint8Array, headers: Readonly<Record<string, string>>): unknown {
  const text = decodeText(bytes);
  if (text.trim() === '') return undefined;
  if (/^\s*</.test(text)) {
    throw malformed(
      'an HTML or XML page',
      'Check the URL, and whether a proxy or a log-in page stands in between.',
    );
  }
  const value = parse(text, headers['content-type']);
  if (isDeeperThan(value, MAX_DEPTH)) throw malformed(`JSON nested deeper than ${MAX_DEPTH}`);
  return value;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed('text that is not UTF-8', undefined, cause);
  }
}

function parse(text: string, contentType: string | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const type = contentType === undefined ? '' : ` (content type ${contentType.slice(0, 100)})`;
    throw malformed(`a text that is not JSON${type}`, undefined, cause);
  }
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (depth === 0) return true;
  return Object.values(value).some((child) => isDeeperThan(child, depth - 1));
}

function malformed(what: string, hint?: string, cause?: unknown): CliError {
  return new CliError('malformed_answer', `the service answered with ${what}`, { hint, cause });
}

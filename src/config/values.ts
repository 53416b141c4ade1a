import { isAbsolute, resolve } from 'node:path';
import { guess } from '../checks/nearest.ts';
import { nameProblem, quote, textProblem } from '../checks/text.ts';
import { invalid, type Parsed, valid } from './parsed.ts';

/** What the header of a key may be called. Any other name could say another method, host, path or caller. */
const keyHeader = /^(?:Idempotency-Key|X-(?:[a-z\d]{1,30}-){0,4}Key)$/i;

/** Words of headers with a meaning of their own: `X-Api-Key`, `X-Original-...`, `X-HTTP-Method-...`. */
const takenWord =
  /-(?:access|api|auth\w*|content|forwarded|host|https?|method|original|override|path|proxy|rewrite|token|ur[il])-/i;

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** One of the given words, exactly. */
export function parseOneOf<const T extends string>(words: readonly T[]): (text: string) => Parsed<T> {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return valid(found);
    const among = words.length > 1 ? 'one of ' : '';
    return invalid(`${quote(text)} is not ${among}${words.join(', ')}${guess(text, words)}`);
  };
}

/** `true`, `1`, `yes`, `false`, `0` or `no`. */
export function parseBoolean(text: string): Parsed<boolean> {
  const value = booleans.get(text.toLowerCase());
  return value === undefined ? invalid(`${quote(text)} is not true or false`) : valid(value);
}

/** A decimal number above 0 and up to `most`. */
export function parseAmount(unit: string, most: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
    return value > 0 && value <= most
      ? valid(value)
      : invalid(`${quote(text)} is not a number of ${unit} above 0 and up to ${most}`);
  };
}

/** A whole number from `least` to `most`. */
export function parseCount(least: number, most: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most
      ? valid(value)
      : invalid(`${quote(text)} is not a whole number from ${least} to ${most}`);
  };
}

/** The path of a file, made absolute against the current folder. */
export function parsePath(text: string): Parsed<string> {
  const problem = nameProblem(text, 4_096);
  if (problem !== undefined) return invalid(problem);
  try {
    return valid(resolve(text));
  } catch {
    return invalid(`${quote(text)} starts at the current folder, and that is gone`);
  }
}

/** The path of a folder, whatever the current one is: where settings are must not follow from where a command is run. */
export function parseAbsolutePath(text: string): Parsed<string> {
  const parsed = parsePath(text);
  return 'reason' in parsed || isAbsolute(text)
    ? parsed
    : invalid(`${quote(text)} starts at the current folder; give the whole path: ${parsed.value}`);
}

/** The name of a header that can mean nothing but an idempotency key. */
export function parseHeaderName(text: string): Parsed<string> {
  return keyHeader.test(text) && !takenWord.test(text)
    ? valid(text)
    : invalid(
        `${quote(text)} is not a header for a key: Idempotency-Key, or X-...-Key, such as X-Request-Key`,
      );
}

/** A command line of one line; what it is worth the shell says. */
export function parseCommand(text: string): Parsed<string> {
  const problem = nameProblem(text, 4_096);
  return problem === undefined ? valid(text.trim()) : invalid(problem);
}

/** What an account, a user or a client is called; an e-mail address is a name as well. */
export function parseAccount(text: string): Parsed<string> {
  const problem = textProblem(text, 320);
  return problem === undefined ? valid(text.trim()) : invalid(problem);
}

/** An OAuth client id: 1 to 1,000 printable ASCII characters. */
export function parseClientId(text: string): Parsed<string> {
  return /^[\x20-\x7e]{1,1000}$/.test(text) && text.trim() === text
    ? valid(text)
    : invalid('must be 1 to 1,000 printable ASCII characters, with no blank at either end');
}

/** OAuth scopes, one blank between them. */
export function parseScope(text: string): Parsed<string> {
  return /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(text) && text.length <= 4_096
    ? valid(text)
    : invalid(`${quote(text)} is not a list of scopes with one blank between them`);
}

/** A bearer token, without the line end that a file or an echo adds. It is never quoted. */
export function parseToken(text: string): Parsed<string> {
  const token = text.replace(/\r?\n$/, '');
  return /^[\x21-\x7e]{1,8192}$/.test(token)
    ? valid(token)
    : invalid(
        `is not a token: 1 to 8,192 visible ASCII characters without blanks (got ${token.length} characters)`,
      );
}

/** A client secret, without the line end that a file or an echo adds. It is never quoted. */
export function parseClientSecret(text: string): Parsed<string> {
  const secret = text.replace(/\r?\n$/, '');
  return /^[\x20-\x7e]{1,8192}$/.test(secret)
    ? valid(secret)
    : invalid(
        `is not a client secret: 1 to 8,192 printable ASCII characters (got ${secret.length} characters)`,
      );
}

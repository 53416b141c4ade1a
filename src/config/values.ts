import { isIPv4 } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { isCalendarDay } from '../model/dates.ts';
import { choiceProblem } from '../model/names.ts';
import { nameProblem, quote, textProblem } from '../model/text.ts';
import { type SafetyLevel, safetyLevels } from '../service/guard.ts';

/** Allowed headers for an idempotency key. Any other could change the method, host, path or caller. */
const keyHeader = /^(?:Idempotency-Key|X-(?:[a-z\d]{1,30}-){0,4}Key)$/i;

/** Words of headers with another meaning: `X-Api-Key`, `X-Original-...`, `X-HTTP-Method-...`. */
const reservedWord =
  /-(?:access|api|auth\w*|content|forwarded|host|https?|method|original|override|path|proxy|rewrite|token|ur[il])-/i;

const trueWords = ['true', '1', 'yes'];
const falseWords = ['false', '0', 'no'];

/** One of the given words, exactly. */
export function parseOneOf<const T extends string>(words: readonly T[]): (text: string) => Parsed<T> {
  return (text) => {
    const found = words.find((word) => word === text);
    return found === undefined ? invalid(choiceProblem(text, words) ?? '') : valid(found);
  };
}

/** `true`, `1`, `yes`, `false`, `0` or `no`. */
export function parseBoolean(text: string): Parsed<boolean> {
  const word = text.toLowerCase();
  const isKnown = trueWords.includes(word) || falseWords.includes(word);
  return isKnown ? valid(trueWords.includes(word)) : invalid(`${quote(text)} is not true or false`);
}

/** A decimal number above 0 and up to `max`. */
export function parseAmount(unit: string, max: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
    return value > 0 && value <= max
      ? valid(value)
      : invalid(`${quote(text)} is not a number of ${unit} above 0 and up to ${max}`);
  };
}

/** A whole number from `min` to `max`. */
export function parseCount(min: number, max: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? valid(value)
      : invalid(`${quote(text)} is not a whole number from ${min} to ${max}`);
  };
}

/** The path of a file, made absolute against the current folder. */
export function parsePath(text: string): Parsed<string> {
  const problem = nameProblem(text, 4_096);
  if (problem !== undefined) return invalid(problem);
  try {
    return valid(resolve(text));
  } catch {
    return invalid(`${quote(text)} is relative to the current folder, which does not exist any more`);
  }
}

/** The absolute path of a folder: the place of settings must not depend on the current folder. */
export function parseAbsolutePath(text: string): Parsed<string> {
  const parsed = parsePath(text);
  return parsed.value === undefined || isAbsolute(text)
    ? parsed
    : invalid(`${quote(text)} is a relative path; give the absolute one: ${parsed.value}`);
}

/** The name of a header that can only be an idempotency key. */
export function parseHeaderName(text: string): Parsed<string> {
  return keyHeader.test(text) && !reservedWord.test(text)
    ? valid(text)
    : invalid(
        `${quote(text)} is not a header for a key: Idempotency-Key, or X-...-Key, such as X-Request-Key`,
      );
}

/** The name of an account, a user or a client. */
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

/** A bearer token; a trailing newline is removed. It is never quoted. */
export function parseToken(text: string): Parsed<string> {
  const what = 'a token: 1 to 8,192 visible ASCII characters without blanks';
  return parseSecret(text, /^[\x21-\x7e]{1,8192}$/, what);
}

/** A client secret; a trailing newline is removed. It is never quoted. */
export function parseClientSecret(text: string): Parsed<string> {
  return parseSecret(text, /^[\x20-\x7e]{1,8192}$/, 'a client secret: 1 to 8,192 printable ASCII characters');
}

function parseSecret(text: string, pattern: RegExp, what: string): Parsed<string> {
  const secret = text.replace(/\r?\n$/, '');
  return pattern.test(secret) ? valid(secret) : invalid(`is not ${what} (got ${secret.length} characters)`);
}

const MAX_ENTRIES = 10_000;
const MAX_PATTERN_LENGTH = 256;

/** Invalid entries of one list that are reported. */
const MAX_REASONS = 5;

/** Characters of a quoted list or a regular expression: such a pattern would match nothing. */
const invalidInAddress = /[|"[\]{}^$<>\\]/;
const invalidInId = /[|"'[\]{}^$<>\\/#?%]/;

const days = /^(\d{4}-\d{2}-\d{2})(?:(?:\.\.|\/)(\d{4}-\d{2}-\d{2}))?$/;

/** Parses a list from a text with commas, or from an array. Duplicates are removed. */
export function listOf(parseEntry: (text: string) => Parsed<string>) {
  const parseList = (entries: readonly unknown[]): Parsed<readonly string[]> => {
    if (entries.length > MAX_ENTRIES) return invalid(`has more than ${MAX_ENTRIES} entries`);
    const parsed = entries.map((entry) =>
      typeof entry === 'string' ? parseEntry(entry.trim()) : invalid('has an entry that is not text'),
    );
    const reasons = parsed.flatMap((each) => each.reason ?? []);
    if (reasons.length > 0) return invalid([...new Set(reasons)].slice(0, MAX_REASONS).join('; '));
    return valid([...new Set(parsed.flatMap((each) => each.value ?? []))]);
  };
  return { parse: (text: string) => parseList(text.split(',')), parseList };
}

/** A pattern of ids: `BER`, `LIVE-*`. One that cannot match any id is rejected. */
export function parsePattern(text: string): Parsed<string> {
  if (text === '') return invalid('has an empty entry');
  const problem = textProblem(text, MAX_PATTERN_LENGTH);
  if (problem !== undefined) return invalid(`${quote(text)} ${problem}`);
  if (text.includes(';')) return invalid(`${quote(text)} has a semicolon; entries are separated by commas`);
  const [character] = (text.includes('@') ? invalidInAddress : invalidInId).exec(text) ?? [];
  if (character !== undefined)
    return invalid(`${quote(text)} has ${character}, which no id has; only * is a wildcard`);
  return /\s/.test(text) ? invalid(`${quote(text)} has a blank, and no id has one`) : valid(text);
}

/** A day or a range of days, both ends included: `2026-12-20`, `2026-12-20..2027-01-06`, or with a slash. */
export function parseDays(text: string): Parsed<string> {
  if (text === '') return invalid('has an empty entry');
  const [, from, to = from] = days.exec(text) ?? [];
  if (from === undefined || to === undefined)
    return invalid(`${quote(text)} is not a date or a range such as 2026-12-20..2027-01-06`);
  const nonexistent = [from, to].find((day) => !isCalendarDay(day));
  if (nonexistent !== undefined) return invalid(`${quote(nonexistent)} is not a day of the calendar`);
  if (from > to) return invalid(`${quote(text)} ends before it begins`);
  return valid(from === to ? from : `${from}..${to}`);
}

/** The level that blocks most. */
export function strictest(levels: readonly SafetyLevel[]): SafetyLevel {
  return safetyLevels.findLast((level) => levels.includes(level)) ?? 'none';
}

/** All names, which must all match. */
export function everyOne(names: readonly string[]): string {
  return [...new Set(names)].join(' and ');
}

/** The distinct entries of all lists. */
export function union(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** A parsed value, or why the text is invalid. Reasons continue a sentence that starts with the field's name. */
export type Parsed<T> =
  | { readonly value: T; readonly reason?: undefined }
  | { readonly reason: string; readonly value?: undefined };

export function valid<T>(value: T): Parsed<T> {
  return { value };
}

export function invalid(reason: string): Parsed<never> {
  return { reason };
}

/** The built-in profile, which needs no service. */
export const SANDBOX = 'sandbox';

/** Names of inherited properties, which would be lost as keys of a file. */
const unstorable = ['constructor', 'prototype'];

/** Checks the name of a profile: `chain`, `hotel-7`. */
export function parseProfileName(text: string): Parsed<string> {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(text))
    return invalid(
      `${quote(text)} is not the name of a profile: 1 to 64 of a-z 0-9 _ -, the first one of a-z 0-9`,
    );
  return unstorable.includes(text) ? invalid(`${quote(text)} cannot be the name of a profile`) : valid(text);
}

/** Code units. */
const MAX_URL_LENGTH = 2_048;

/** Characters of a DNS name, with its dots. */
const MAX_HOST_LENGTH = 254;

/** The rules for URLs in this run. */
export interface UrlRules {
  /** Whether http to other hosts is allowed. */
  readonly insecureHttp: boolean;
}

/**
 * The URL of a service: https, or http to this machine; a path is kept, trailing slashes are not.
 * A URL that may contain a secret is not quoted.
 */
export function parseServiceUrl(text: string, { insecureHttp }: UrlRules): Parsed<string> {
  if (text.length > MAX_URL_LENGTH) return invalid('is longer than 2,048 characters');
  const characters = invalidCharacters(text);
  if (characters !== undefined) return invalid(`is not a URL: it has ${characters}`);
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    const shown = text.includes('@') ? 'it' : quote(text);
    return invalid(`${shown} is not a URL of the form https://host/path`);
  }
  const url = new URL(text);
  const part = forbiddenPart(text, url);
  if (part !== undefined) return invalid(`has ${part}, which the URL of a service cannot have`);
  const wrong = hostProblem(text, url) ?? pathProblem(text);
  if (wrong !== undefined) return invalid(wrong);
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url.hostname))
    return invalid(
      `http to ${url.host} would send credentials unencrypted; use https, or allow it with --insecure-http`,
    );
  return valid(url.href.replace(/\/+$/, ''));
}

/**
 * What is wrong with the URL of an OAuth endpoint that a server gave, or `undefined`. It must be https, or http to this machine;
 * it may have a query.
 */
export function endpointProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'is not a text';
  if (value.length > MAX_URL_LENGTH) return `is longer than ${MAX_URL_LENGTH} characters`;
  if (!/^[!-~]+$/.test(value) || !/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value))
    return 'is not a URL of the form https://host/path';
  const { username, password } = new URL(value);
  if (username !== '' || password !== '') return 'has a user name or password';
  if (value.includes('#')) return 'has a fragment';
  return isInsecure(value)
    ? 'is not encrypted: https is needed, and http is for this machine alone'
    : undefined;
}

/** Whether a URL is http to another machine. */
export function isInsecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Most URLs are visible ASCII and skip the Unicode properties, which cost V8 milliseconds. */
function invalidCharacters(text: string): string | undefined {
  if (/^[!-[\]-~]*$/.test(text)) return undefined;
  if (/[\s\p{Cc}\\]/u.test(text)) return 'blanks, control characters or backslashes';
  return /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(text) ? 'invisible characters' : undefined;
}

function forbiddenPart(text: string, { username, password }: URL): string | undefined {
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'a user name or password';
  if (text.includes('?')) return 'a query';
  return text.includes('#') ? 'a fragment' : undefined;
}

/** The parsed host must equal the typed one: 2130706433 is 127.0.0.1, and some letters look alike. */
function hostProblem(text: string, { hostname, port }: URL): string | undefined {
  const [, typed = ''] = /^[^/]*\/\/(\[[^\]]*\]|[^/:?#]*)/.exec(text) ?? [];
  if (typed.toLowerCase() !== hostname)
    return `${quote(typed)} is read as the host ${quote(hostname)}; if that is intended, write it that way`;
  if (port === '0') return 'has the port 0, which cannot be used';
  if (hostname.startsWith('[')) return undefined;
  const isName = hostname.length <= MAX_HOST_LENGTH && hostname.replace(/\.$/, '').split('.').every(isLabel);
  return isName ? undefined : `${quote(hostname)} is not the name of a host`;
}

function isLabel(text: string): boolean {
  return /^(?!-)[a-z\d_-]{1,63}(?<!-)$/.test(text);
}

/** Rejects the segments . and .., which the parser would resolve. */
function pathProblem(text: string): string | undefined {
  const path = text.replace(/^[^/]*\/\/[^/]*/, '');
  if (/%(?![\da-fA-F]{2})/.test(path)) return 'has a broken percent encoding; write %25 for a literal %';
  const parts = path.replaceAll(/%2[eE]/g, '.').split('/');
  return parts.includes('.') || parts.includes('..')
    ? 'has the part . or .. in its path; leave it out'
    : undefined;
}

/** Whether a host is this machine. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (hostname.startsWith('127.') && isIPv4(hostname))
  );
}

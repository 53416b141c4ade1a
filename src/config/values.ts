import { isIPv4 } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { isCalendarDay } from '../model/dates.ts';
import { choiceProblem } from '../model/names.ts';
import { nameProblem, quote, textProblem } from '../model/text.ts';
import { type SafetyLevel, safetyLevels } from '../service/guard.ts';

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
    return invalid(choiceProblem(text, words) ?? '');
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

/** The path of a folder, independent of the current one: where settings are must not depend on where a command runs. */
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

const MOST_ENTRIES = 10_000;
const LONGEST_PATTERN = 256;

/** So many wrong entries of one list are told. */
const MOST_REASONS = 5;

/** Signs of a quoted list or of a regular expression: such a pattern would protect nothing. */
const strayInAddress = /[|"[\]{}^$<>\\]/;
const strayInId = /[|"'[\]{}^$<>\\/#?%]/;

const days = /^(\d{4}-\d{2}-\d{2})(?:(?:\.\.|\/)(\d{4}-\d{2}-\d{2}))?$/;

/** How a list is read: from a text with commas, or from the entries of an array. Each entry is kept once. */
export function listOf(parseEntry: (text: string) => Parsed<string>) {
  const parseList = (entries: readonly unknown[]): Parsed<readonly string[]> => {
    if (entries.length > MOST_ENTRIES) return invalid(`has more than ${MOST_ENTRIES} entries`);
    const parsed = entries.map((entry) =>
      typeof entry === 'string' ? parseEntry(entry.trim()) : invalid('has an entry that is not text'),
    );
    const reasons = parsed.flatMap((each) => ('reason' in each ? [each.reason] : []));
    if (reasons.length > 0) return invalid([...new Set(reasons)].slice(0, MOST_REASONS).join('; '));
    return valid([...new Set(parsed.flatMap((each) => ('value' in each ? [each.value] : [])))]);
  };
  return { parse: (text: string) => parseList(text.split(',')), parseList };
}

/** A pattern of ids: `BER`, `LIVE-*`. One that could match no id is a mistake. */
export function parsePattern(text: string): Parsed<string> {
  if (text === '') return invalid('has an empty entry');
  const problem = textProblem(text, LONGEST_PATTERN);
  if (problem !== undefined) return invalid(`${quote(text)} ${problem}`);
  if (text.includes(';')) return invalid(`${quote(text)} has a semicolon; entries are separated by commas`);
  const [stray] = (text.includes('@') ? strayInAddress : strayInId).exec(text) ?? [];
  if (stray !== undefined) {
    return invalid(`${quote(text)} has ${stray}, which no id has; only * is a wildcard`);
  }
  return /\s/.test(text) ? invalid(`${quote(text)} has a blank, and no id has one`) : valid(text);
}

/** A day or a range of days, both ends included: `2026-12-20`, `2026-12-20..2027-01-06`, or with a slash. */
export function parseDays(text: string): Parsed<string> {
  if (text === '') return invalid('has an empty entry');
  const [, from, to = from] = days.exec(text) ?? [];
  if (from === undefined || to === undefined)
    return invalid(`${quote(text)} is not a date or a range such as 2026-12-20..2027-01-06`);
  const unreal = [from, to].find((day) => !isCalendarDay(day));
  if (unreal !== undefined) return invalid(`${quote(unreal)} is not a day of the calendar`);
  if (from > to) return invalid(`${quote(text)} ends before it begins`);
  return valid(from === to ? from : `${from}..${to}`);
}

/** The level that forbids most. */
export function strictest(levels: readonly SafetyLevel[]): SafetyLevel {
  return safetyLevels.findLast((level) => levels.includes(level)) ?? 'none';
}

/** All names, which must all be right. */
export function everyOne(names: readonly string[]): string {
  return [...new Set(names)].join(' and ');
}

/** All entries of all lists, each once. */
export function union(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** A value read from a text, or why the text is none. Reasons continue a sentence that began with the field's name. */
export type Parsed<T> = { readonly value: T } | { readonly reason: string };

/** A text that was understood. */
export function valid<T>(value: T): Parsed<T> {
  return { value };
}

/** A text that was not. */
export function invalid(reason: string): Parsed<never> {
  return { reason };
}

/** The profile that is always there and needs no service. */
export const SANDBOX = 'sandbox';

/** Names that every object of JavaScript answers to; as keys of a file they would be lost. */
const unstorable = ['constructor', 'prototype'];

/** Checks the name of a profile: `chain`, `hotel-7`. */
export function parseProfileName(text: string): Parsed<string> {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(text)) {
    return invalid(
      `${quote(text)} is not the name of a profile: 1 to 64 of a-z 0-9 _ -, the first one of a-z 0-9`,
    );
  }
  return unstorable.includes(text) ? invalid(`${quote(text)} cannot be the name of a profile`) : valid(text);
}

/** Letters of a name in DNS, with its dots. */
const LONGEST_HOST = 254;

/** What a URL may be in this run. */
export interface UrlRules {
  /** Whether http may go to other hosts than this machine. */
  readonly insecureHttp: boolean;
}

/**
 * The URL of a service: https, or http to this machine; a path is kept, trailing slashes are not.
 * What could hold a secret is not quoted.
 */
export function parseServiceUrl(text: string, { insecureHttp }: UrlRules): Parsed<string> {
  if (text.length > 2_048) return invalid('is longer than 2,048 characters');
  const stray = strayCharacters(text);
  if (stray !== undefined) return invalid(`is not a URL: it has ${stray}`);
  if (!hasScheme(text) || !URL.canParse(text)) {
    const shown = text.includes('@') ? 'it' : quote(text);
    return invalid(`${shown} is not a URL of the form https://host/path`);
  }
  const url = new URL(text);
  const part = forbiddenPart(text, url);
  if (part !== undefined) return invalid(`has ${part}, which the URL of a service cannot have`);
  const wrong = hostProblem(text, url) ?? pathProblem(text);
  if (wrong !== undefined) return invalid(wrong);
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url.hostname)) {
    return invalid(
      `http to ${url.host} would send credentials unencrypted; use https, or allow it with --insecure-http`,
    );
  }
  return valid(url.href.replace(/\/+$/, ''));
}

/** Whether a URL sends what it carries unencrypted to another machine. */
export function isInsecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Most URLs are visible ASCII: then nothing is searched for by Unicode property, for which V8 takes milliseconds. */
function strayCharacters(text: string): string | undefined {
  if (/^[!-[\]-~]*$/.test(text)) return undefined;
  if (/[\s\p{Cc}\\]/u.test(text)) return 'blanks, control characters or backslashes';
  return /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(text) ? 'invisible characters' : undefined;
}

/** In small and capital letters, but without the flag for both: V8 takes milliseconds for that one. */
function hasScheme(text: string): boolean {
  return /^https?:\/\/[^/]/.test(text.slice(0, 'https://x'.length).toLowerCase());
}

function forbiddenPart(text: string, { username, password }: URL): string | undefined {
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'a user name or password';
  if (text.includes('?')) return 'a query';
  return text.includes('#') ? 'a fragment' : undefined;
}

/** A host must be the one that it looks like: 2130706433 is 127.0.0.1, and some letters look like others. */
function hostProblem(text: string, { hostname, port }: URL): string | undefined {
  const [, typed = ''] = /^[^/]*\/\/(\[[^\]]*\]|[^/:?#]*)/.exec(text) ?? [];
  if (typed.toLowerCase() !== hostname)
    return `${quote(typed)} is read as the host ${quote(hostname)}; if that is intended, write it that way`;
  if (port === '0') return 'has the port 0, which cannot be used';
  if (hostname.startsWith('[')) return undefined;
  const isName = hostname.length <= LONGEST_HOST && hostname.replace(/\.$/, '').split('.').every(isLabel);
  return isName ? undefined : `${quote(hostname)} is not the name of a host`;
}

function isLabel(text: string): boolean {
  return /^(?!-)[a-z\d_-]{1,63}(?<!-)$/.test(text);
}

/** The parts . and .. would be taken for folders, and be gone from what is sent. */
function pathProblem(text: string): string | undefined {
  const path = text.replace(/^[^/]*\/\/[^/]*/, '');
  if (/%(?![\da-fA-F]{2})/.test(path)) return 'has a broken percent encoding; write %25 for a literal %';
  const parts = path.replaceAll(/%2[eE]/g, '.').split('/');
  return parts.includes('.') || parts.includes('..')
    ? 'has the part . or .. in its path; leave it out'
    : undefined;
}

/** Whether a host, as a URL names it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (hostname.startsWith('127.') && isIPv4(hostname))
  );
}

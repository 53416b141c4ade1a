import { isAbsolute, resolve } from 'node:path';
import { isCalendarDay } from '../model/dates.ts';
import { choiceProblem, nameProblem, quote, textProblem } from '../model/text.ts';
import { wholeProblem } from '../model/values.ts';
import { formats } from '../print/output.ts';
import { type SafetyLevel, safetyLevels } from '../service/guard.ts';
import { dialectNames } from '../service/operations.ts';
import { invalid, type Parsed, parseProfileName, parseServiceUrl, type UrlRules, valid } from './urls.ts';

/** The definition of a setting. */
interface Spec<T> {
  readonly flag?: `--${string}`;
  /** Where a profile stores it: at its top level, below `defaults`, in credentials.json, or not at all. */
  readonly place: 'top' | 'defaults' | 'credentials' | 'none';
  /** It selects the service or the account: ignored in variables when a flag selects the profile. */
  readonly target?: true;
  readonly parse: (text: string, rules: UrlRules) => Parsed<T>;
  /** All values, or the usual spelling of each. */
  readonly words?: readonly string[];
  /** Parses an array of a file; only for lists. */
  readonly parseList?: (entries: readonly unknown[]) => Parsed<T>;
  /**
   * Combines the values of all sources (a guard); without it the first source wins.
   * A method, so that settings of all types fit into one registry.
   */
  combine?(values: readonly T[]): T;
  /** The default, unparsed. */
  readonly fallback?: string;
  /** One line, without a full stop. */
  readonly summary: string;
}

/** A setting with its key in profiles and `config`, and its variable. */
export type Setting<T = unknown> = Spec<T> & { readonly key: SettingKey; readonly env: string };

/** Where settings are stored, and whether they select the service or the account. */
const ofService = { place: 'top', target: true } as const;
const ofCredential = { place: 'credentials', target: true } as const;
const ofDefaults = { place: 'defaults' } as const;

/** `true`, `1`, `yes`, `false`, `0` or `no`. */
const truth = {
  words: ['true', 'false'],
  parse: (text: string): Parsed<boolean> => {
    const [word] = /^(?:true|1|yes|false|0|no)$/i.exec(text) ?? [];
    return word === undefined ? invalid(`${quote(text)} is not true or false`) : valid(/^[t1y]/i.test(word));
  },
} as const;

/** Of `max_body`. */
const MOST_MIB = 1_024;

const specs = {
  profile: { flag: '--profile', place: 'none', parse: parseProfileName, summary: 'profile to use' },
  config_dir: {
    place: 'none',
    parse: parseAbsolutePath,
    summary: 'folder for settings, credentials, journals and the sandbox; overrides XDG folders',
  },
  identity_url: { ...ofService, parse: parseServiceUrl, summary: 'URL of the identity API' },
  base_url: { ...ofService, parse: parseServiceUrl, summary: 'URL of the inventory API' },
  dialect: {
    ...ofService,
    ...oneOf(dialectNames),
    fallback: 'contract',
    summary: 'API dialect of the service: contract or apaleo',
  },
  auth: {
    ...ofService,
    ...oneOf(['token', 'client-credentials', 'user']),
    summary: 'kind of credentials: token, client-credentials or user (set by login)',
  },
  issuer: {
    ...ofService,
    parse: parseServiceUrl,
    summary: 'URL of the OAuth server (default: the identity URL)',
  },
  token: {
    ...ofCredential,
    parse: parseSecret(
      /^[\x21-\x7e]{1,8192}$/,
      'a token: 1 to 8,192 visible ASCII characters without blanks',
    ),
    summary: 'bearer token',
  },
  token_url: {
    ...ofService,
    parse: parseServiceUrl,
    summary: 'URL of the token endpoint (default: /connect/token below the identity URL)',
  },
  client_id: { ...ofService, parse: parseClientId, summary: 'OAuth client id' },
  client_secret: {
    ...ofCredential,
    parse: parseSecret(/^[\x20-\x7e]{1,8192}$/, 'a client secret: 1 to 8,192 printable ASCII characters'),
    summary: 'OAuth client secret',
  },
  scope: { ...ofService, parse: parseScope, summary: 'OAuth scopes to request' },
  expect_account: {
    flag: '--expect-account',
    place: 'top',
    parse: parseAccount,
    combine: (names: readonly string[]) => [...new Set(names)].join(' and '),
    summary: 'fail unless logged in to this account; all sources must match',
  },
  idempotency_header: {
    ...ofService,
    parse: parseHeaderName,
    fallback: 'Idempotency-Key',
    summary: 'header for the idempotency key of a create request',
  },
  safety: {
    place: 'top',
    ...oneOf(safetyLevels),
    combine: (levels: readonly SafetyLevel[]): SafetyLevel =>
      safetyLevels.findLast((level) => levels.includes(level)) ?? 'none',
    fallback: 'none',
    summary: 'writes to block: none, no-delete, no-update or read-only; the strictest source applies',
  },
  protect: {
    place: 'top',
    ...listOf(parsePattern),
    summary: 'ids to protect from writes, separated by commas; * matches anything; all sources apply',
  },
  freeze: {
    place: 'top',
    ...listOf(parseDays),
    summary: 'days to block writes: 2026-12-24,2026-12-31..2027-01-06; all sources apply',
  },
  output: {
    ...ofDefaults,
    flag: '--output',
    ...oneOf(formats),
    summary: `output format: ${formats.join(', ')}`,
  },
  timeout: {
    ...ofDefaults,
    flag: '--timeout',
    parse: parseAmount('seconds', 86_400),
    summary: 'time limit of a command in seconds, including retries',
  },
  max_attempts: {
    ...ofDefaults,
    flag: '--max-attempts',
    parse: parseCount(1, 20),
    fallback: '5',
    summary: 'maximum attempts per request',
  },
  color: {
    ...ofDefaults,
    flag: '--color',
    ...oneOf(['auto', 'always', 'never']),
    summary: 'use colors: auto, always, never',
  },
  ca_file: {
    flag: '--ca-file',
    place: 'top',
    parse: parsePath,
    summary: 'PEM file of additional certificate authorities to trust',
  },
  max_body: {
    ...ofDefaults,
    flag: '--max-body',
    parse: parseAmount('MiB', MOST_MIB),
    fallback: '8',
    summary: 'maximum size of a response in MiB',
  },
  insecure_http: {
    flag: '--insecure-http',
    place: 'top',
    ...truth,
    fallback: 'false',
    summary: 'allow unencrypted http to other hosts',
  },
  no_input: {
    ...ofDefaults,
    flag: '--no-input',
    ...truth,
    fallback: 'false',
    summary: 'never prompt; fail if input is missing',
  },
  pager: {
    ...ofDefaults,
    parse: (text: string): Parsed<string> => valid(text.trim()),
    summary: 'command that shows long lists at a terminal; cat for none (default: PAGER, or less)',
  },
  complete_emails: {
    place: 'none',
    ...truth,
    fallback: 'false',
    summary: 'keep listed e-mail addresses for shell completion',
  },
  browser: {
    place: 'none',
    // The shell validates it.
    parse: (text: string): Parsed<string> => valid(text.trim()),
    summary: 'browser command for login, with %s for the URL; none opens no browser',
  },
} as const satisfies Record<string, Spec<unknown>>;

/** The name of a setting in profiles and in `config`. */
export type SettingKey = keyof typeof specs;

type Table = { readonly [K in SettingKey]: (typeof specs)[K] & { readonly key: K; readonly env: string } };

/** The parsed value of a setting. */
export type ValueOf<Key extends SettingKey> = Extract<
  ReturnType<Table[Key]['parse']>,
  { readonly value: unknown }
>['value'];

/** All settings, by key. */
// Each key of the specs is kept, with its own spec and the two names that follow from the key.
export const settingTable = Object.fromEntries(
  Object.entries(specs).map(([key, spec]) => [key, { ...spec, key, env: `INNCTL_${key.toUpperCase()}` }]),
) as Table;

/** All settings, in the order of the help. */
export const settings: readonly Setting[] = Object.values(settingTable);

/** The names of variables that begin like ours and are of no setting: a misspelt guard would guard nothing. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = new Set(settings.map((setting) => setting.env));
  return Object.keys(env).filter((name) => name.startsWith('INNCTL_') && !known.has(name));
}

/** Whether the value must never be displayed, or stored in config.json. */
export function isSecret({ place }: Setting): boolean {
  return place === 'credentials';
}

/** An environment without our secrets, for child processes. */
export function withoutSecrets(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const secret = new Set(settings.filter(isSecret).map((setting) => setting.env));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.has(name.toUpperCase())));
}

/** Whether the values of all sources apply together, for every service and the sandbox. */
export function isGuard({ combine }: Setting): boolean {
  return combine !== undefined;
}

/** Allowed headers for an idempotency key. Any other could change the method, host, path or caller. */
const keyHeader = /^(?:Idempotency-Key|X-(?:[a-z\d]{1,30}-){0,4}Key)$/i;

/** Words of headers with another meaning: `X-Api-Key`, `X-Original-...`, `X-HTTP-Method-...`. */
const reservedWord =
  /-(?:access|api|auth\w*|content|forwarded|host|https?|method|original|override|path|proxy|rewrite|token|ur[il])-/i;

/** One of the given words, exactly. */
function oneOf<const T extends string>(words: readonly T[]) {
  const parse = (text: string): Parsed<T> => {
    const found = words.find((word) => word === text);
    return found === undefined ? invalid(choiceProblem(text, words) ?? '') : valid(found);
  };
  return { parse, words };
}

/** A decimal number above 0 and up to `max`. */
function parseAmount(unit: string, max: number): (text: string) => Parsed<number> {
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
    const problem = wholeProblem(text, min, max);
    return problem === undefined ? valid(Number(text)) : invalid(problem);
  };
}

/** The path of a file, made absolute against the current folder. */
function parsePath(text: string): Parsed<string> {
  const problem = nameProblem(text, 4_096);
  return problem === undefined ? valid(resolve(text)) : invalid(problem);
}

/** The absolute path of a folder: the place of settings must not depend on the current folder. */
function parseAbsolutePath(text: string): Parsed<string> {
  const parsed = parsePath(text);
  return parsed.value === undefined || isAbsolute(text)
    ? parsed
    : invalid(`${quote(text)} is a relative path; give the absolute one: ${parsed.value}`);
}

/** The name of a header that can only be an idempotency key. */
function parseHeaderName(text: string): Parsed<string> {
  return keyHeader.test(text) && !reservedWord.test(text)
    ? valid(text)
    : invalid(
        `${quote(text)} is not a header for a key: Idempotency-Key, or X-...-Key, such as X-Request-Key`,
      );
}

/** The name of an account, a user or a client. */
function parseAccount(text: string): Parsed<string> {
  const problem = textProblem(text, 320);
  return problem === undefined ? valid(text.trim()) : invalid(problem);
}

/** An OAuth client id: 1 to 1,000 printable ASCII characters. */
function parseClientId(text: string): Parsed<string> {
  return /^[\x20-\x7e]{1,1000}$/.test(text) && text.trim() === text
    ? valid(text)
    : invalid('must be 1 to 1,000 printable ASCII characters, with no blank at either end');
}

/** OAuth scopes, one blank between them. */
function parseScope(text: string): Parsed<string> {
  return /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(text) && text.length <= 4_096
    ? valid(text)
    : invalid(`${quote(text)} is not a list of scopes with one blank between them`);
}

/** A secret of this form, which is never quoted; a trailing newline is removed. */
function parseSecret(form: RegExp, what: string): (text: string) => Parsed<string> {
  return (text) => {
    const secret = text.replace(/\r?\n$/, '');
    return form.test(secret) ? valid(secret) : invalid(`is not ${what} (got ${secret.length} characters)`);
  };
}

const MAX_PATTERN_LENGTH = 256;

/** Characters that no id has, such as those of a quoted list or a regular expression: the pattern would match nothing. */
const invalidInAddress = /[\s;|"[\]{}^$<>\\]/;
const invalidInId = /[\s;|"'[\]{}^$<>\\/#?%]/;

const days = /^(\d{4}-\d{2}-\d{2})(?:(?:\.\.|\/)(\d{4}-\d{2}-\d{2}))?$/;

/** A guard of entries, from a text with commas or from an array; the entries of all sources apply, each once. */
function listOf(parseEntry: (text: string) => Parsed<string>) {
  const parseList = (entries: readonly unknown[]): Parsed<readonly string[]> => {
    const parsed = entries.map((entry) =>
      typeof entry === 'string' ? parseEntry(entry.trim()) : invalid('has an entry that is not text'),
    );
    const reasons = parsed.flatMap((each) => each.reason ?? []);
    if (reasons.length > 0) return invalid([...new Set(reasons)].join('; '));
    return valid([...new Set(parsed.flatMap((each) => each.value ?? []))]);
  };
  return {
    parse: (text: string) => parseList(text.split(',')),
    parseList,
    combine: (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())],
  };
}

/** A pattern of ids: `BER`, `LIVE-*`. One that cannot match any id is rejected. */
function parsePattern(text: string): Parsed<string> {
  if (text === '') return invalid('has an empty entry');
  const problem = textProblem(text, MAX_PATTERN_LENGTH);
  if (problem !== undefined) return invalid(`${quote(text)} ${problem}`);
  return (text.includes('@') ? invalidInAddress : invalidInId).test(text)
    ? invalid(
        `${quote(text)} has a character that no id has; commas separate entries, and only * is a wildcard`,
      )
    : valid(text);
}

/** A day or a range of days, both ends included: `2026-12-20`, `2026-12-20..2027-01-06`, or with a slash. */
function parseDays(text: string): Parsed<string> {
  if (text === '') return invalid('has an empty entry');
  const [, from, to = from] = days.exec(text) ?? [];
  if (from === undefined || to === undefined)
    return invalid(`${quote(text)} is not a date or a range such as 2026-12-20..2027-01-06`);
  if (![from, to].every(isCalendarDay)) return invalid(`${quote(text)} has a day that does not exist`);
  if (from > to) return invalid(`${quote(text)} ends before it begins`);
  return valid(from === to ? from : `${from}..${to}`);
}

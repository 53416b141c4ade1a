import { formats } from '../print/output.ts';
import { safetyLevels } from '../service/guard.ts';
import { dialectNames } from '../service/operations.ts';
import {
  everyOne,
  listOf,
  type Parsed,
  parseAbsolutePath,
  parseAccount,
  parseAmount,
  parseBoolean,
  parseClientId,
  parseClientSecret,
  parseCount,
  parseDays,
  parseHeaderName,
  parseOneOf,
  parsePath,
  parsePattern,
  parseProfileName,
  parseScope,
  parseServiceUrl,
  parseToken,
  strictest,
  type UrlRules,
  union,
  valid,
} from './values.ts';

/** The definition of a setting. */
interface Spec<T> {
  readonly flag?: `--${string}`;
  /** Where a profile stores it: at its top level, below `defaults`, in credentials.json, or not at all. */
  readonly place: 'top' | 'defaults' | 'credentials' | 'none';
  /** It selects the service or the account: ignored in variables when a flag selects the profile. */
  readonly target?: true;
  readonly parse: (text: string, rules: UrlRules) => Parsed<T>;
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

/** Of `max_body`. */
export const MOST_MIB = 1_024;

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
    parse: parseOneOf(dialectNames),
    fallback: 'contract',
    summary: 'API dialect of the service: contract or apaleo',
  },
  auth: {
    ...ofService,
    parse: parseOneOf(['token', 'client-credentials', 'user']),
    summary: 'kind of credentials: token, client-credentials or user (set by login)',
  },
  issuer: {
    ...ofService,
    parse: parseServiceUrl,
    summary: 'URL of the OAuth server (default: the identity URL)',
  },
  token: { ...ofCredential, parse: parseToken, summary: 'bearer token' },
  token_url: {
    ...ofService,
    parse: parseServiceUrl,
    summary: 'URL of the token endpoint (default: /connect/token below the identity URL)',
  },
  client_id: { ...ofService, parse: parseClientId, summary: 'OAuth client id' },
  client_secret: { ...ofCredential, parse: parseClientSecret, summary: 'OAuth client secret' },
  scope: { ...ofService, parse: parseScope, summary: 'OAuth scopes to request' },
  expect_account: {
    flag: '--expect-account',
    place: 'top',
    parse: parseAccount,
    combine: everyOne,
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
    parse: parseOneOf(safetyLevels),
    combine: strictest,
    fallback: 'none',
    summary: 'writes to block: none, no-delete, no-update or read-only; the strictest source applies',
  },
  protect: {
    place: 'top',
    ...listOf(parsePattern),
    combine: union,
    summary: 'ids to protect from writes, separated by commas; * matches anything; all sources apply',
  },
  freeze: {
    place: 'top',
    ...listOf(parseDays),
    combine: union,
    summary: 'days to block writes: 2026-12-24,2026-12-31..2027-01-06; all sources apply',
  },
  output: {
    ...ofDefaults,
    flag: '--output',
    parse: parseOneOf(formats),
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
    parse: parseOneOf(['auto', 'always', 'never']),
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
    parse: parseBoolean,
    fallback: 'false',
    summary: 'allow unencrypted http to other hosts',
  },
  no_input: {
    ...ofDefaults,
    flag: '--no-input',
    parse: parseBoolean,
    fallback: 'false',
    summary: 'never prompt; fail if input is missing',
  },
  complete_emails: {
    place: 'none',
    parse: parseBoolean,
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

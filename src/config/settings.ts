import { formats } from '../out/output.ts';
import { dialectNames } from '../service/dialect-names.ts';
import { safetyLevels } from '../service/guard.ts';
import { parseServiceUrl, type UrlRules } from './urls.ts';
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
  parseCommand,
  parseCount,
  parseDays,
  parseHeaderName,
  parseOneOf,
  parsePath,
  parsePattern,
  parseProfileName,
  parseScope,
  parseToken,
  strictest,
  union,
  valid,
} from './values.ts';

/** What is known about a setting, whatever its value. */
interface Spec<T> {
  /** The global flag that gives it. */
  readonly flag?: `--${string}`;
  /** Where a profile keeps it: at its top, below `defaults`, in the file of credentials, or not at all. */
  readonly place: 'top' | 'defaults' | 'credentials' | 'none';
  /** It says which service is meant or who is asking: a profile that a flag names takes it from no variable. */
  readonly target?: true;
  readonly parse: (text: string, rules: UrlRules) => Parsed<T>;
  /** Reads what a file gives as an array; only settings that are lists have it. */
  readonly parseList?: (entries: readonly unknown[]) => Parsed<T>;
  /**
   * What all places together say, where no place may weaken another; without it the strongest place wins.
   * Written as a method, so that settings of all types fit into one registry.
   */
  combine?(values: readonly T[]): T;
  /** The value where nothing gives one, as a text. */
  readonly fallback?: string;
  /** One line, without a full stop. */
  readonly summary: string;
}

/** A setting, the key that profiles and `config` know it by, and the variable that gives it. */
export type Setting<T = unknown> = Spec<T> & { readonly key: SettingKey; readonly env: string };

const specs = {
  profile: { flag: '--profile', place: 'none', parse: parseProfileName, summary: 'profile to use' },
  config_dir: {
    place: 'none',
    parse: parseAbsolutePath,
    summary: 'folder of settings, credentials, journals and the sandbox, over all others',
  },
  identity_url: { place: 'top', target: true, parse: parseServiceUrl, summary: 'URL of the identity area' },
  base_url: { place: 'top', target: true, parse: parseServiceUrl, summary: 'URL of the inventory area' },
  dialect: {
    place: 'top',
    target: true,
    parse: parseOneOf(dialectNames),
    fallback: 'contract',
    summary: 'how the service spells its operations: contract or apaleo',
  },
  auth: {
    place: 'top',
    target: true,
    parse: parseOneOf(['token', 'client-credentials', 'user']),
    summary: 'how innctl proves who asks: token, client-credentials or user (after a login)',
  },
  issuer: {
    place: 'top',
    target: true,
    parse: parseServiceUrl,
    summary: 'URL of the OAuth server, which says where its endpoints are (default: the identity URL)',
  },
  token: { place: 'credentials', target: true, parse: parseToken, summary: 'bearer token' },
  token_url: {
    place: 'top',
    target: true,
    parse: parseServiceUrl,
    summary: 'URL that issues tokens (default: /connect/token below the identity URL)',
  },
  client_id: { place: 'top', target: true, parse: parseClientId, summary: 'OAuth client id' },
  client_secret: {
    place: 'credentials',
    target: true,
    parse: parseClientSecret,
    summary: 'OAuth client secret',
  },
  scope: { place: 'top', target: true, parse: parseScope, summary: 'OAuth scopes to ask for' },
  credential_command: {
    place: 'top',
    target: true,
    parse: parseCommand,
    summary: 'command line for the shell that prints a token; it wins over what is stored',
  },
  expect_account: {
    flag: '--expect-account',
    place: 'top',
    parse: parseAccount,
    combine: everyOne,
    summary: 'account, user, e-mail or client that must be asking, or nothing is done; every place counts',
  },
  idempotency_header: {
    place: 'top',
    target: true,
    parse: parseHeaderName,
    fallback: 'Idempotency-Key',
    summary: 'header that carries the idempotency key of a create',
  },
  safety: {
    place: 'top',
    parse: parseOneOf(safetyLevels),
    combine: strictest,
    fallback: 'none',
    summary:
      'writes that are never sent: none, no-delete, no-update or read-only; the strictest place counts',
  },
  protect: {
    place: 'top',
    ...listOf(parsePattern),
    combine: union,
    summary: 'ids that nothing is written to, commas between, * for any characters; every place counts',
  },
  freeze: {
    place: 'top',
    ...listOf(parseDays),
    combine: union,
    summary: 'days without writes: 2026-12-24,2026-12-31..2027-01-06; every place counts',
  },
  output: {
    flag: '--output',
    place: 'defaults',
    parse: parseOneOf(formats),
    summary: `how results are printed: ${formats.join(', ')}`,
  },
  timeout: {
    flag: '--timeout',
    place: 'defaults',
    parse: parseAmount('seconds', 86_400),
    summary: 'seconds for the whole command, retries included',
  },
  max_attempts: {
    flag: '--max-attempts',
    place: 'defaults',
    parse: parseCount(1, 20),
    fallback: '5',
    summary: 'tries for each request',
  },
  color: {
    flag: '--color',
    place: 'defaults',
    parse: parseOneOf(['auto', 'always', 'never']),
    summary: 'auto, always or never',
  },
  ca_file: {
    flag: '--ca-file',
    place: 'top',
    parse: parsePath,
    summary: 'PEM file of certificate authorities to trust as well',
  },
  max_body: {
    flag: '--max-body',
    place: 'defaults',
    parse: parseAmount('MiB', 1_024),
    fallback: '8',
    summary: 'largest answer that is read, in MiB',
  },
  insecure_http: {
    flag: '--insecure-http',
    place: 'top',
    parse: parseBoolean,
    fallback: 'false',
    summary: 'allow http to other hosts than this machine',
  },
  no_input: {
    flag: '--no-input',
    place: 'defaults',
    parse: parseBoolean,
    fallback: 'false',
    summary: 'never ask; fail where something is missing',
  },
  complete_emails: {
    place: 'none',
    parse: parseBoolean,
    fallback: 'false',
    summary: 'keep the e-mail addresses that lists show, for completions to offer them',
  },
  browser: {
    place: 'none',
    // The shell says what a command line is worth.
    parse: (text: string): Parsed<string> => valid(text.trim()),
    summary: 'command line of the browser that login opens, %s for the page; none opens none',
  },
} as const satisfies Record<string, Spec<unknown>>;

/** The name of a setting in profiles and in `config`. */
export type SettingKey = keyof typeof specs;

type Table = { readonly [K in SettingKey]: (typeof specs)[K] & { readonly key: K; readonly env: string } };

/** Every setting there is, by key: the only place that says where a value may come from. */
// Each key of the specs is kept, with its own spec and the two names that follow from the key.
export const settingTable = Object.fromEntries(
  Object.entries(specs).map(([key, spec]) => [key, { ...spec, key, env: `INNCTL_${key.toUpperCase()}` }]),
) as Table;

/** Every setting there is, in the order in which help shows them. */
export const settings: readonly Setting[] = Object.values(settingTable);

/** Whether the value must never be shown or kept among the settings. */
export function isSecret({ place }: Setting): boolean {
  return place === 'credentials';
}

/** An environment without our secrets, for programs that have no need of them. */
export function withoutSecrets(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const secret = new Set(settings.filter(isSecret).map((setting) => setting.env));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.has(name.toUpperCase())));
}

/** Whether it forbids something: every place that gives it counts, for every service and for the sandbox. */
export function isGuard({ combine }: Setting): boolean {
  return combine !== undefined;
}

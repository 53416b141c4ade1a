import { type Detail, invalidInput } from '../../cli/errors.ts';
import type { GlobalOptions } from '../../cli/flags.ts';
import type { LocalSession } from '../../cli/session.ts';
import { type ConfigDocument, type StoredProfile, storedValue } from '../../config/file.ts';
import { parseGiven, profileCandidates, readCandidate } from '../../config/resolve.ts';
import {
  isGuard,
  isSecret,
  type Setting,
  type SettingKey,
  settings,
  settingTable,
} from '../../config/settings.ts';
import { isInsecure, type UrlRules } from '../../config/values.ts';

/** A complete profile, and its secret unless a command prints one. */
export interface Draft {
  readonly profile: StoredProfile;
  readonly credential: { readonly token: string } | { readonly client_secret: string } | undefined;
  /** All URLs that may receive the secret. */
  readonly urls: readonly (string | undefined)[];
}

const questions: Readonly<Partial<Record<SettingKey, string>>> = {
  identity_url: 'URL of the identity API',
  base_url: 'URL of the inventory API',
  client_id: 'Client id',
  client_secret: 'Client secret',
  token: 'Token',
};

/** Prompts for missing values and builds the profile. The given values are valid. */
export async function complete(given: Entries, session: LocalSession): Promise<Draft> {
  return draftOf(await askFor(missingKeys(given), given, session));
}

/** Prompts for these settings in order, and adds the answers. */
export async function askFor(
  keys: readonly SettingKey[],
  given: Entries,
  session: LocalSession,
): Promise<Entries> {
  let entries = given;
  for (const key of keys) {
    const answer = await ask(settingTable[key], session);
    entries = new Map([...entries, [key, { given: answer, field: flagFor(key) }]]);
  }
  return entries;
}

async function ask(setting: Setting, { context }: LocalSession): Promise<string> {
  const question = questions[setting.key] ?? setting.summary;
  const check = (answer: string) => {
    const parsed = setting.parse(answer, anyHttp);
    return 'reason' in parsed ? parsed.reason : (problemOfKept(setting.key, parsed.value) ?? true);
  };
  if (!isSecret(setting)) return context.prompter.text(question, { check });
  const secret = await context.prompter.secret(question, { check });
  context.redactor.add(secret);
  return secret;
}

function draftOf(entries: Entries): Draft {
  const auth = authOf(entries);
  const identityUrl = needed(entries, settingTable.identity_url);
  const tokenUrl =
    readEntry(entries, settingTable.token_url) ??
    (auth === 'token' ? undefined : `${identityUrl}/connect/token`);
  const defaults = valuesAt(entries, 'defaults');
  return {
    profile: {
      ...valuesAt(entries, 'top'),
      dialect: readEntry(entries, settingTable.dialect) ?? 'contract',
      auth,
      ...(tokenUrl === undefined ? {} : { token_url: tokenUrl }),
      ...(Object.keys(defaults).length === 0 ? {} : { defaults }),
    },
    credential: credentialIn(entries, auth),
    urls: [identityUrl, needed(entries, settingTable.base_url), tokenUrl],
  };
}

function credentialIn(entries: Entries, auth: Auth): Draft['credential'] {
  if (entries.has('credential_command')) return undefined;
  return auth === 'token'
    ? { token: needed(entries, settingTable.token) }
    : { client_secret: needed(entries, settingTable.client_secret) };
}

function needed<T>(entries: Entries, setting: Setting<T>): T {
  const value = readEntry(entries, setting);
  if (value === undefined) throw new Error(`The profile has no ${setting.key}.`);
  return value;
}

/** The values of all settings stored in this place. */
export function valuesAt(entries: Entries, place: Setting['place']): Record<string, unknown> {
  const given = settings.filter((setting) => setting.place === place && entries.has(setting.key));
  return Object.fromEntries(given.map((setting) => [setting.key, readEntry(entries, setting)]));
}

/** The value of a setting, and its source: a flag, or a field of a file. */
export interface Entry {
  readonly given: unknown;
  readonly field: string;
}

/** The values known for a new profile. */
export type Entries = ReadonlyMap<SettingKey, Entry>;

/** The value of a setting; `undefined` without a valid one. */
export function readEntry<T>(entries: Entries, setting: Setting<T>): T | undefined {
  const parsed = parseGiven(setting, entries.get(setting.key)?.given, anyHttp);
  return 'value' in parsed ? parsed.value : undefined;
}

/** URL settings that receive stored secrets. */
const urlKeys: readonly SettingKey[] = ['identity_url', 'base_url', 'issuer', 'token_url'];

/** Allows http to other hosts here: `openLineProblem` reports it. */
export const anyHttp: UrlRules = { insecureHttp: true };

/** The problem with a valid value in a profile with a stored credential, or `undefined`. */
export function problemOfKept(key: SettingKey, value: unknown): string | undefined {
  return urlKeys.includes(key) && typeof value === 'string' ? openLineProblem(value) : undefined;
}

/** Stored credentials must not be sent unencrypted. */
export function openLineProblem(url: string): string | undefined {
  return isInsecure(url)
    ? `http to ${new URL(url).host} would send credentials unencrypted; use https: --insecure-http does not allow it for what is stored`
    : undefined;
}

/** The auth method of a profile. */
type Auth = 'token' | 'client-credentials';

/** The given method; by default client credentials with a client id, otherwise a token. */
export function authOf(entries: Entries): Auth {
  const isFetched = entries.has('client_id') && !entries.has('credential_command');
  const given = entries.get('auth')?.given ?? (isFetched ? 'client-credentials' : 'token');
  return given === 'client-credentials' ? given : 'token';
}

/** Required values that are missing, in the order of the prompts. */
export function missingKeys(entries: Entries): readonly SettingKey[] {
  const auth = authOf(entries);
  const needed: readonly SettingKey[] = [
    'identity_url',
    'base_url',
    ...(entries.has('credential_command') ? [] : secretKeys(auth)),
  ];
  return needed.filter((key) => !entries.has(key));
}

/** Secrets from flags that would not be used. Those in a file may be for other programs. */
export function unusedSecrets(entries: Entries): readonly Detail[] {
  const auth = authOf(entries);
  const isPrinted = entries.has('credential_command');
  const unused = isPrinted
    ? (['token', 'client_secret'] as const)
    : [secretOf(auth === 'token' ? 'client-credentials' : 'token')];
  const instead = isPrinted ? '--credential-command' : `--auth ${auth}`;
  return unused.flatMap((key) => {
    const field = entries.get(key)?.field;
    return field === flagFor(key) ? [{ field, reason: `is not used with ${instead}` }] : [];
  });
}

type Given = readonly (readonly [SettingKey, Entry])[];

/** The settings given by flags of `login` and `profiles add`, each named after its setting. */
export function flagEntries(
  keys: readonly SettingKey[],
  flags: object,
  { caFile, insecureHttp }: GlobalOptions,
): Given {
  // Both are flags by attribute name: `clientId`.
  const given: Readonly<Record<string, unknown>> = { ...flags, caFile, insecureHttp };
  const attribute = (key: string) => key.replaceAll(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase());
  return [...keys, 'ca_file' as const, 'insecure_http' as const].flatMap((key) => {
    const value = given[attribute(key)];
    return value === undefined ? [] : [[key, { given: value, field: flagFor(key) }] as const];
  });
}

/** The flag of `profiles add` for a setting. */
export function flagFor(key: SettingKey): string {
  const isSecret = key === 'token' || key === 'client_secret';
  return `--${key.replaceAll('_', '-')}${isSecret ? '-file' : ''}`;
}

/** Client credentials need an id as well. */
function secretKeys(auth: Auth): readonly SettingKey[] {
  return auth === 'token' ? ['token'] : ['client_id', 'client_secret'];
}

function secretOf(auth: Auth): 'token' | 'client_secret' {
  return auth === 'token' ? 'token' : 'client_secret';
}

/** Guards by key: `{ safety: 'read-only' }`. */
export type Guards = Readonly<Partial<Record<SettingKey, unknown>>>;

/**
 * The guards in effect of the profile, which must survive its replacement.
 *
 * @throws {CliError} exit 2 if one is invalid, because its intent is unknown.
 */
export function guardsOf(document: ConfigDocument, name: string): Guards {
  const found = settings
    .filter(isGuard)
    .flatMap((setting) => profileCandidates(setting, document, name).map((each) => ({ setting, ...each })))
    .filter(({ given }) => given !== undefined)
    .map((each) => ({ ...each, parsed: readCandidate(each.setting, each, { insecureHttp: false }) }));
  const problems = found.flatMap(({ field, parsed }) =>
    'reason' in parsed ? [{ field, reason: parsed.reason }] : [],
  );
  if (problems.length > 0) throw invalidInput(problems);
  return Object.fromEntries(
    found.flatMap(({ setting, parsed }) =>
      'value' in parsed && forbids(setting, parsed.value) ? [[setting.key, parsed.value]] : [],
    ),
  );
}

/** Adds guards to a profile with valid guards; the stricter one applies, and the new expected account. */
export function withGuards(profile: StoredProfile, guards: Guards): StoredProfile {
  const kept = settings
    .filter(({ key }) => guards[key] !== undefined)
    .map((setting) => {
      const own = storedValue(profile, setting);
      if (own !== undefined && setting.key === settingTable.expect_account.key) return [setting.key, own];
      const all = own === undefined ? [guards[setting.key]] : [guards[setting.key], own];
      return [setting.key, setting.combine?.(all)];
    });
  return { ...profile, ...Object.fromEntries(kept) };
}

/** Guards for the end of a sentence: `safety read-only, protect BER`; empty if there are none. */
export function guardsInWords(guards: Guards): string {
  return Object.entries(guards)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
}

function forbids({ fallback }: Setting, value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== fallback;
}

import { renewAtOf } from '../../auth/credentials.ts';
import type { Granted } from '../../auth/granted.ts';
import { cacheKey } from '../../auth/open-credentials.ts';
import type { Provider } from '../../auth/provider.ts';
import { openVault } from '../../auth/vault.ts';
import { CliError } from '../../cli/errors.ts';
import { type LocalSession, settingsWith } from '../../cli/session.ts';
import { originsOf } from '../../config/binding.ts';
import type { Facts, Secrets } from '../../config/credentials.ts';
import { type StoredProfile, storedValue } from '../../config/file.ts';
import { type SettingKey, settingTable } from '../../config/settings.ts';
import { withoutHoles } from '../../model/records.ts';
import { type Entries, type Entry, readEntry, valuesAt } from '../profiles/draft.ts';
import { hasService, type StoredCredential, type Storing, withStored } from '../profiles/store.ts';
import type { Method } from './flags.ts';
import type { Given } from './given.ts';
import { clientOf } from './obtain.ts';

/** The server, client and storage of a login. */
export interface Way {
  readonly given: Given;
  /** `undefined` without a server. */
  readonly provider: Provider | undefined;
  readonly scope: string | undefined;
  /** The keyring account for the secrets, `undefined` for the file. */
  readonly account: string | undefined;
}

/** Whether the profile was for another service; then only its guards are kept. */
export function isReplaced({ before, entries }: Given): boolean {
  const differs = (['identity_url', 'base_url'] as const).some(
    (key) => readEntry(entries, settingTable[key]) !== storedValue(before.profile, settingTable[key]),
  );
  return hasService(before.profile) && differs;
}

/** The profile to store, as far as it is known before the login. */
export function draftOf({ given, provider, scope }: Omit<Way, 'account'>): Storing {
  const { name, entries, method, before } = given;
  const profile: StoredProfile = {
    // Remove settings of other login methods.
    issuer: undefined,
    client_id: undefined,
    credential_command: undefined,
    ...valuesAt(entries, 'top'),
    dialect: readEntry(entries, settingTable.dialect) ?? 'contract',
    auth: authOf(method),
    token_url: provider?.tokenUrl,
    scope,
  };
  const completes = hasService(before.profile) && !isReplaced(given);
  return { name, profile, completes };
}

/** The profile with the result of the login. */
export function storingOf(
  way: Way,
  granted: Granted,
  who: Granted['who'],
  session: LocalSession,
): Storing & { readonly credential: StoredCredential } {
  const draft = draftOf(way);
  const facts = factsOf(way);
  const { method } = way.given;
  const { expiresAt, scope, clientAuth } = granted;
  const isClient = method === 'client-credentials';
  const login = {
    method,
    ...facts.login,
    scope,
    who: withoutHoles(who),
    // The server may change the client authentication, and each token has its own expiry.
    ...(isClient ? {} : { expires_at: expiresAt }),
    ...(authOf(method) === 'user' && expiresAt !== undefined
      ? { renew_at: renewAtOf(expiresAt, session.context.clock.now()) }
      : {}),
    ...(isClient || method === 'token' ? {} : { client_id: clientIdIn(way.given), client_auth: clientAuth }),
  };
  const secrets = secretsOf(way, granted, draft, session);
  return { ...draft, credential: { facts: { ...facts, login }, secrets } };
}

/** Tokens belong to the client that requested them, not to one set by a variable later. */
function clientIdIn({ entries }: Given): string | undefined {
  return readEntry(entries, settingTable.client_id);
}

function factsOf({ given, provider, account }: Way): Facts {
  const { entries, endpoints, method } = given;
  const { identity_url, base_url, issuer } = settingTable;
  return {
    origins: originsOf([
      readEntry(entries, identity_url),
      readEntry(entries, base_url),
      readEntry(entries, issuer),
      provider?.issuer,
      provider?.tokenUrl,
      provider?.revocationUrl,
    ]),
    keyring: account,
    login: {
      method,
      issuer: provider?.issuer,
      token_url: provider?.tokenUrl,
      revocation_url: provider?.revocationUrl,
      authorization_url: endpoints.authorizationUrl,
      device_authorization_url: endpoints.deviceAuthorizationUrl,
    },
  };
}

function secretsOf({ given }: Way, granted: Granted, draft: Storing, session: LocalSession): Secrets {
  const { accessToken, refreshToken, expiresAt } = granted;
  const { secret } = clientOf(given);
  if (given.method === 'token') return { token: accessToken };
  if (given.method !== 'client-credentials')
    return withoutHoles({ token: accessToken, refresh_token: refreshToken, client_secret: secret });
  const settings = settingsWith(session, withStored(session.config, draft), given.name);
  const cached_token =
    expiresAt === undefined
      ? undefined
      : { access_token: accessToken, expires_at: expiresAt, key: cacheKey(settings, secret ?? '') };
  return { client_secret: secret, cached_token };
}

/** A profile before the login. */
export interface Before {
  readonly profile: StoredProfile;
  readonly facts: Facts | undefined;
}

const ofService: readonly SettingKey[] = ['identity_url', 'base_url', 'dialect', 'insecure_http'];

/** Whether the servers of the profile remain the same. */
export function isSameServer({ profile }: Before, given: Entries): boolean {
  return (['identity_url', 'issuer'] as const).every((key) => {
    const setting = settingTable[key];
    const stored = storedValue(profile, setting);
    const now = readEntry(given, setting);
    return now === undefined || now === (stored ?? storedValue(profile, settingTable.identity_url));
  });
}

/** Values from the profile: the service; for the same server also client and scopes. */
export function fromProfile(
  { profile, facts }: Before,
  name: string,
  method: Method,
  isSame: boolean,
): Entries {
  const isAlike = authOf(method) === profile['auth'];
  // Discovered endpoints may change; given ones belong together.
  const isGiven =
    method === 'client-credentials' ||
    facts?.login?.authorization_url !== undefined ||
    facts?.login?.device_authorization_url !== undefined;
  const keys: readonly SettingKey[] = [
    ...ofService,
    ...(isSame && method !== 'token' ? (['issuer', 'client_id'] as const) : []),
    ...(isSame && isGiven ? (['token_url'] as const) : []),
    ...(isSame && isAlike && method !== 'token' ? (['scope'] as const) : []),
  ];
  return new Map(
    keys
      .map((key) => [key, storedEntry(profile, name, key)] as const)
      .filter(([, { given }]) => given !== undefined),
  );
}

/** Whether a person logs in again with a client that had a secret. */
export function hadSecret({ profile, facts }: Before, method: Method, entries: Entries): boolean {
  const isSameClient = readEntry(entries, settingTable.client_id) === profile['client_id'];
  return authOf(method) === 'user' && isSameClient && (facts?.login?.client_auth ?? 'none') !== 'none';
}

/** The stored client secret, if it can be read. */
export async function storedSecret(name: string, { folders, context }: LocalSession): Promise<Entries> {
  try {
    const { client_secret: secret } = await openVault(folders.config, name, context).secrets();
    return new Map(
      secret === undefined ? [] : [['client_secret', { given: secret, field: storedField(name) }]],
    );
  } catch (error) {
    // If the keyring cannot be read, prompt for the secret.
    if (error instanceof CliError) return new Map();
    throw error;
  }
}

/** The source of a stored secret, for messages. */
export function storedField(name: string): string {
  return `profile ${name}`;
}

/** The auth method of a profile. */
function authOf(method: Method): 'token' | 'client-credentials' | 'user' {
  return method === 'web' || method === 'device' ? 'user' : method;
}

function storedEntry(profile: StoredProfile, name: string, key: SettingKey): Entry {
  return { given: storedValue(profile, settingTable[key]), field: `config.json: profiles.${name}.${key}` };
}

import { openVault } from '../../auth/vault.ts';
import type { Facts } from '../../config/credentials.ts';
import { type StoredProfile, storedValue } from '../../config/document.ts';
import { type SettingKey, settingTable } from '../../config/settings.ts';
import { CliError } from '../../errors.ts';
import type { LocalSession } from '../../session.ts';
import { type Entries, type Entry, readEntry } from '../profiles/entries.ts';
import type { Method } from './method.ts';

/** A profile before somebody logs in with it. */
export interface Before {
  readonly profile: StoredProfile;
  readonly facts: Facts | undefined;
}

const ofService: readonly SettingKey[] = ['identity_url', 'base_url', 'dialect', 'insecure_http'];

/** Whether what was given leaves the servers of the profile as they are. */
export function isSameServer({ profile }: Before, given: Entries): boolean {
  return (['identity_url', 'issuer'] as const).every((key) => {
    const setting = settingTable[key];
    const stored = storedValue(profile, setting);
    const now = readEntry(given, setting);
    return now === undefined || now === (stored ?? storedValue(profile, settingTable.identity_url));
  });
}

/** What the profile says: where its service is; at the same server also who asks there, and with which rights. */
export function fromProfile(
  { profile, facts }: Before,
  name: string,
  method: Method,
  isSame: boolean,
): Entries {
  const isAlike = authOf(method) === profile['auth'];
  // Endpoints that a server tells may change; those that were given belong together.
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

/** Whether it is a person who logs in again, with a client that had a secret. */
export function hadSecret({ profile, facts }: Before, method: Method, entries: Entries): boolean {
  const isSameClient = readEntry(entries, settingTable.client_id) === profile['client_id'];
  return authOf(method) === 'user' && isSameClient && (facts?.login?.client_auth ?? 'none') !== 'none';
}

/** The client secret that a profile keeps, where it can be read. */
export async function storedSecret(name: string, { folders, context }: LocalSession): Promise<Entries> {
  try {
    const { client_secret: secret } = await openVault(folders.config, name, context).secrets();
    return new Map(
      secret === undefined ? [] : [['client_secret', { given: secret, field: storedField(name) }]],
    );
  } catch (error) {
    // A keyring that says nothing is no reason not to ask for it.
    if (error instanceof CliError) return new Map();
    throw error;
  }
}

/** Where a secret comes from that a profile keeps. */
export function storedField(name: string): string {
  return `profile ${name}`;
}

/** What a profile says of how it asks. */
export function authOf(method: Method): 'token' | 'client-credentials' | 'user' {
  return method === 'web' || method === 'device' ? 'user' : method;
}

function storedEntry(profile: StoredProfile, name: string, key: SettingKey): Entry {
  return { given: storedValue(profile, settingTable[key]), field: `config.json: profiles.${name}.${key}` };
}

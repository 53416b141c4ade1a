import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Facts, Secrets } from '../../src/config/credentials.ts';
import { type Keyring, KeyringFailure } from '../../src/model/ports.ts';
import { memoryKeyring } from '../helpers/cli.ts';

export const IDENTITY = 'https://identity.chain.example';
export const API = 'https://api.chain.example';
export const ACCESS = 'access-token-of-ana-1234567890';
export const REFRESH = 'refresh-token-of-ana-1234567890';
export const SECRET = 'client-secret-of-the-chain-1234567890';

/** A stored profile with its credential. */
export interface StoredLogin {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly facts?: Partial<Facts>;
  readonly secrets?: Secrets;
}

const login = {
  issuer: IDENTITY,
  token_url: `${IDENTITY}/connect/token`,
  revocation_url: `${IDENTITY}/connect/revocation`,
  scope: 'openid offline_access',
};

/** The login of a person with a browser. */
export const anaInBrowser: StoredLogin = {
  settings: { auth: 'user', client_id: 'CHAIN-APP', token_url: login.token_url },
  facts: {
    login: {
      ...login,
      method: 'web',
      client_auth: 'none',
      who: { subject: 'ana-1', email: 'ana@example.com' },
    },
    cached_token: { access_token: ACCESS, expires_at: Date.parse('2026-05-01T13:00:00Z') },
  },
  secrets: { refresh_token: REFRESH },
};

/** A client-credentials login. */
export const machine: StoredLogin = {
  settings: { auth: 'client-credentials', client_id: 'CHAIN-CI', token_url: login.token_url },
  facts: { login: { ...login, method: 'client-credentials', client_auth: 'basic', scope: 'setup.manage' } },
  secrets: { client_secret: SECRET },
};

/** A login with a given token. */
export const pasted: StoredLogin = {
  settings: { auth: 'token' },
  secrets: { token: ACCESS },
};

/** A time at which the tokens of these logins are valid. */
export const NOON = Date.parse('2026-05-01T12:00:00Z');

/** Stores these profiles and activates the first; secrets go to the keyring if there is one. */
export async function storeLogins(
  folder: string,
  logins: Readonly<Record<string, StoredLogin>>,
  keyring?: Keyring,
): Promise<void> {
  const profiles: Record<string, unknown> = {};
  const credentials: Record<string, unknown> = {};
  for (const [name, { settings, facts, secrets }] of Object.entries(logins)) {
    profiles[name] = { identity_url: IDENTITY, base_url: API, dialect: 'contract', ...settings };
    if (secrets === undefined) continue;
    await keyring?.write(name, JSON.stringify(secrets));
    credentials[name] = {
      origins: [IDENTITY, API],
      ...facts,
      ...(keyring === undefined ? secrets : { keyring: name }),
    };
  }
  const [active_profile] = Object.keys(logins);
  write(folder, 'config.json', { version: 1, active_profile, profiles });
  write(folder, 'credentials.json', { version: 1, profiles: credentials });
}

function write(folder: string, name: string, value: object): void {
  writeFileSync(join(folder, name), JSON.stringify(value), { mode: 0o600 });
}

/** A keyring whose operations in `fails` reject as locked. */
export function failingKeyring(fails: Partial<Record<keyof Keyring, true>>) {
  const keyring = memoryKeyring();
  const locked = () => Promise.reject(new KeyringFailure('is locked'));
  const broken = Object.fromEntries(Object.keys(fails).map((name) => [name, locked]));
  return { ...keyring, ...broken };
}

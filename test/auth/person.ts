import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userCredentials } from '../../src/auth/user-credentials.ts';
import { openVault } from '../../src/auth/vault.ts';
import { changeCredential, type Login, type Secrets } from '../../src/config/credentials.ts';
import { resolveSettings } from '../../src/config/resolve.ts';
import type { Keyring } from '../../src/model/ports.ts';
import { createRedactor } from '../../src/model/redaction.ts';
import { memoryKeyring } from '../helpers/cli.ts';
import { neverAborted } from './chain.ts';
import { oauthHttp } from './login-world.ts';

/** The start time of the tests. */
export const noon = Date.parse('2026-05-01T12:00:00Z');

const HOUR = 3_600_000;

/** The stored secrets of Ana's login; her token is valid for an hour from noon. */
export const secrets = { token: 'token-of-ana', refresh_token: 'refresh-of-ana' } as const;

/** How the user logged in, with a clock that only the test advances. */
export interface PersonOptions {
  readonly folder: string;
  readonly tokenUrl: string;
  /** `undefined` keeps the secrets in the file. */
  readonly keyring?: Keyring | undefined;
}

/** Stores Ana's login in the folder; her access token is the `token` of the secrets. */
export async function storeLogin(
  { folder, tokenUrl, keyring }: PersonOptions,
  more: { readonly login?: Partial<Login>; readonly secrets?: Secrets; readonly expiresAt?: number } = {},
): Promise<void> {
  const facts = { origins: [new URL(tokenUrl).origin], ...(keyring && { keyring: 'ana' }) };
  const login = { method: 'web', client_auth: 'none', token_url: tokenUrl } as const;
  const { token, ...others } = more.secrets ?? secrets;
  const cached_token =
    token === undefined ? undefined : { access_token: token, expires_at: more.expiresAt ?? noon + HOUR };
  const stored = { ...facts, login: { ...login, ...more.login }, cached_token };
  await keyring?.write('ana', JSON.stringify(others));
  // Not by the vault, whose lock a refresh may hold.
  const credential = keyring === undefined ? { ...others, ...stored } : stored;
  await changeCredential(folder, 'ana', () => credential, neverAborted());
}

/** One process of Ana's: its credentials, its output and its waits. */
export function openLogin({
  folder,
  tokenUrl,
  keyring,
}: Omit<PersonOptions, 'tokenUrl'> & { readonly tokenUrl: string | undefined }) {
  const world = { now: noon, slept: [] as number[], warnings: [] as string[] };
  const clock = {
    now: () => world.now,
    monotonic: () => world.now,
    sleep: async (ms: number) => {
      world.slept.push(ms);
    },
  };
  const redactor = createRedactor();
  const vault = openVault(folder, 'ana', { keyring: keyring ?? memoryKeyring(), redactor });
  const env = { INNCTL_CLIENT_ID: 'innctl', INNCTL_TOKEN_URL: tokenUrl };
  const settings = resolveSettings({ flags: {}, env, document: { version: 1, profiles: {} } });
  const warn = async (sentence: string) => {
    world.warnings.push(sentence);
  };
  const http = oauthHttp(clock, redactor);
  const credentials = userCredentials(vault, http, { settings, warn });
  return { credentials, redactor, world };
}

/** The stored login of Ana, and her tokens. */
export async function stored(folder: string, keyring?: Keyring) {
  const vault = vaultIn(folder, keyring);
  const { login, cached_token: { access_token: token, ...times } = {} } = vault.facts() ?? {};
  return { login, times, secrets: { ...(await vault.secrets()), token } };
}

/** The refresh mark in credentials.json, read as another program would. */
export function markIn(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')).profiles.ana.login.refresh_begun;
}

/** The hash of a refresh token in the mark. */
export function sha256(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function vaultIn(folder: string, keyring: Keyring = memoryKeyring()) {
  return openVault(folder, 'ana', { keyring, redactor: createRedactor() });
}

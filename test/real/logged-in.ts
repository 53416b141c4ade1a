import { join } from 'node:path';
import { openVault } from '../../src/auth/vault.ts';
import type { Login } from '../../src/config/credentials.ts';
import { updateConfig } from '../../src/config/file.ts';
import type { Keyring } from '../../src/model/ports.ts';
import { createRedactor } from '../../src/model/redaction.ts';
import type { Home } from '../bin/home.ts';
import { memoryKeyring } from '../helpers/cli.ts';
import { ana, clients, type Identity } from './identity.ts';
import { logIn } from './identity-login.ts';

/** Options of a login with the same result as `innctl login`, without its pages. */
export interface LoggedInOptions {
  readonly client?: (typeof clients)['native' | 'basic' | 'post'];
  /** Default: the token endpoint of the server. */
  readonly tokenUrl?: string;
  /** Milliseconds since the epoch; overrides the expiry of the token. */
  readonly expiresAt?: number;
  /** The keyring and the account for the secrets. Default: stored in the file. */
  readonly keyring?: { readonly place: Keyring; readonly account: string };
}

/** Logs Ana in with the profile `hotels` of this home. @returns the variables that select it. */
export async function logAnaIn(home: Home, identity: Identity, options: LoggedInOptions = {}) {
  const { client = clients.native, tokenUrl = identity.tokenUrl, keyring } = options;
  const { signal } = new AbortController();
  const folder = configOf(home);
  const tokens = await logIn(identity, client);
  const vault = vaultOf(home, keyring?.place);
  const login: Login = {
    method: 'web',
    issuer: identity.issuer,
    token_url: tokenUrl,
    revocation_url: identity.revocationUrl,
    client_auth: client.auth,
    scope: tokens.scope,
    who: { subject: ana.subject, email: ana.email, name: ana.name },
  };
  const facts = {
    origins: [...new Set([identity.issuer, new URL(tokenUrl).origin])],
    ...(keyring && { keyring: keyring.account }),
    login,
    cached_token: {
      access_token: tokens.access_token,
      expires_at: options.expiresAt ?? Date.now() + tokens.expires_in * 1000,
    },
  };
  const secrets = {
    refresh_token: tokens.refresh_token,
    ...('secret' in client && { client_secret: client.secret }),
  };
  await vault.replace({ facts, secrets }, async () => {}, signal);
  const profile = {
    identity_url: identity.issuer,
    base_url: identity.issuer,
    auth: 'user',
    issuer: identity.issuer,
    token_url: tokenUrl,
    client_id: client.id,
  };
  await updateConfig(
    folder,
    (before) => ({ ...before, profiles: { ...before.profiles, hotels: profile } }),
    signal,
  );
  return { INNCTL_PROFILE: 'hotels' };
}

/** The stored login of the profile, and its tokens. */
export async function storedOf(home: Home, keyring?: Keyring) {
  const vault = vaultOf(home, keyring);
  const { login, cached_token } = vault.facts() ?? {};
  return { login, secrets: { ...(await vault.secrets()), token: cached_token?.access_token } };
}

/** The settings folder of this home. */
export function configOf({ folder }: Pick<Home, 'folder'>): string {
  return join(folder, '.config/innctl');
}

function vaultOf(home: Home, keyring: Keyring = memoryKeyring()) {
  return openVault(configOf(home), 'hotels', { keyring, redactor: createRedactor() });
}

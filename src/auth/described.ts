import type { Facts } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import type { Context } from '../context.ts';
import type { Credentials, Token } from '../http/authorization.ts';
import { claimsOf, type Who } from './claims.ts';
import { bare } from './credentials.ts';
import { scopesIn, toldBy } from './told.ts';
import { openVault } from './vault.ts';

/** A credential, and nothing secret of it. */
export interface Described {
  readonly method: string;
  readonly stored: 'keyring' | 'file' | 'environment' | 'command' | 'sandbox' | 'nowhere';
  readonly who: Who;
  readonly clientId: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** Milliseconds since the epoch; `undefined` where nobody knows. */
  readonly expiresAt: number | undefined;
}

/**
 * What is known of the credential that these settings mean, without asking anybody: what was noted at the login, and what the
 * token itself says.
 *
 * @param folder where credentials.json is.
 * @param token the one in use, where there is one.
 */
export function describeCredential(
  settings: Settings,
  { folder, context }: { readonly folder: string; readonly context: Context },
  token?: Token,
): Described {
  const { profile } = settings;
  const place = placeOf(settings);
  const facts =
    place !== 'profile' || profile === undefined
      ? undefined
      : openVault(folder, profile.value, context).facts();
  const told = toldBy(claimsOf(token === undefined ? '' : bare(token)));
  const login = facts?.login;
  // What stands beside a command says nothing of the token that it prints.
  const { auth, clientId, scope }: Partial<Settings> = place === 'command' ? {} : settings;
  return {
    method:
      place === 'sandbox' || place === 'command'
        ? place
        : (login?.method ?? auth?.value ?? methodOf(settings)),
    stored: place === 'profile' ? storedIn(facts) : place,
    who: { ...told.who, ...login?.who },
    clientId: clientId?.value ?? told.clientId,
    scopes: told.scopes ?? scopesIn(login?.scope ?? scope?.value),
    expiresAt: token?.expiresAt ?? login?.expires_at ?? told.expiresAt,
  };
}

/** Whether a token belongs to a person, as far as is known: `client` where nothing speaks for one. */
export function typeOf({ method, who, clientId }: Described, grant: Credentials['grant']): 'user' | 'client' {
  if (grant === 'client-credentials') return 'client';
  if (grant === 'user' || method === 'web' || method === 'device') return 'user';
  return who.email !== undefined || (who.subject !== undefined && who.subject !== clientId)
    ? 'user'
    : 'client';
}

function placeOf(settings: Settings): 'sandbox' | 'environment' | 'command' | 'profile' {
  const { sandbox, token, clientSecret, credentialCommand } = settings;
  if (sandbox) return 'sandbox';
  if (token !== undefined || clientSecret !== undefined) return 'environment';
  return credentialCommand === undefined ? 'profile' : 'command';
}

function methodOf({ clientSecret }: Settings): string {
  return clientSecret === undefined ? 'token' : 'client-credentials';
}

function storedIn(facts: Facts | undefined): Described['stored'] {
  if (facts === undefined) return 'nowhere';
  return facts.keyring === undefined ? 'file' : 'keyring';
}

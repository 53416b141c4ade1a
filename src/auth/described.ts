import type { Context } from '../cli/ports.ts';
import type { Facts } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import { type Claims, claimsOf, told, type Who, whoIn } from './claims.ts';
import { bare } from './credentials.ts';
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
  // What stands beside a command, or a token of the environment, says nothing of that token.
  const isAlone = place === 'command' || settings.token !== undefined;
  const { clientId, scope }: Partial<Settings> = isAlone ? {} : settings;
  return {
    method: methodOf(place, settings, login),
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

/** In the order in which credentials are taken: the environment, what a command prints, what the profile keeps. */
function placeOf(settings: Settings): 'sandbox' | 'environment' | 'command' | 'profile' {
  const { sandbox, token, clientSecret, credentialCommand } = settings;
  if (sandbox) return 'sandbox';
  if (token !== undefined || clientSecret !== undefined) return 'environment';
  return credentialCommand === undefined ? 'profile' : 'command';
}

function methodOf(
  place: ReturnType<typeof placeOf>,
  { clientSecret, auth }: Settings,
  login: Facts['login'],
): string {
  if (place === 'profile') return login?.method ?? auth?.value ?? 'token';
  if (place !== 'environment') return place;
  return clientSecret === undefined ? 'token' : 'client-credentials';
}

function storedIn(facts: Facts | undefined): Described['stored'] {
  if (facts === undefined) return 'nowhere';
  return facts.keyring === undefined ? 'file' : 'keyring';
}

/** What can be told of an access token without asking anybody. */
export interface Told {
  readonly who: Who;
  readonly clientId: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}

/** Milliseconds since the epoch; no date is later. */
const LAST_MOMENT = 8.64e15;

const MOST_SCOPES = 100;
const LONGEST_SCOPE = 200;

/** The claims of a token in our words; nothing of one that tells nothing. */
export function toldBy(claims: Claims): Told {
  return {
    who: whoIn(claims),
    clientId: told(claims, 'client'),
    scopes: scopesIn(claims['scope'] ?? claims['scp']),
    expiresAt: momentIn(claims['exp']),
  };
}

/** The scopes of a text with blanks between them, or of a list; `undefined` when there are none that anybody would read. */
function scopesIn(value: unknown): readonly string[] | undefined {
  const parts: readonly unknown[] = typeof value === 'string' ? value.split(' ') : [value].flat();
  const scopes = parts.filter((part) => typeof part === 'string').filter(isReadable);
  return scopes.length === 0 ? undefined : scopes.slice(0, MOST_SCOPES);
}

function isReadable({ length }: string): boolean {
  return length > 0 && length <= LONGEST_SCOPE;
}

/** Seconds since the epoch as milliseconds, where they are a time that a date can hold. */
export function momentIn(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 && seconds * 1000 <= LAST_MOMENT
    ? seconds * 1000
    : undefined;
}

/** Milliseconds since the epoch as all dates are shown; `undefined` where no date can hold them. */
export function momentText(ms: number | undefined): string | undefined {
  return ms !== undefined && Math.abs(ms) <= LAST_MOMENT ? new Date(ms).toISOString() : undefined;
}

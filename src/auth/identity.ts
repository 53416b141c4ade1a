import { readCredential } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import { parsedJson } from '../model/json-text.ts';
import { recordOf } from '../model/records.ts';
import type { Credentials, Token } from '../service/exchange.ts';

/** The token of a header. A secret. */
export function bare({ header }: Pick<Token, 'header'>): string {
  return header.replace(/^Bearer /, '');
}

/** Whether a token is a valid header value. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** The owner of tokens, as far as it is known. */
export interface Who {
  /** The server's own id of the person or client. */
  readonly subject?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly account?: string | undefined;
}

/** The claims of a token, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** Fields in which services and tokens name an account. */
const accountNames = ['account_code', 'account', 'account_id'] as const;

const MAX_CLAIM_LENGTH = 200;

/** The claims of a JSON web token. Its signature is not checked, for it grants no access here. */
export function claimsOf(token: string): Claims {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined) return {};
  return recordOf(parsedJson(Buffer.from(payload, 'base64url').toString()));
}

/** The owner of the token with these claims. */
export function whoIn(claims: Claims): Who {
  const { sub, email, name, preferred_username } = claims;
  const person = { subject: sub, email, name: isName(name) ? name : preferred_username };
  return namedIn({ ...person, account: accountIn(claims) });
}

/** The facts that are names. */
export function namedIn(facts: Claims): Who {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => isName(value)));
}

/** What to call the owner of a token; `undefined` if nothing is known. */
export function personOf({ name, email, subject }: Who): string | undefined {
  return name !== undefined && email !== undefined ? `${name} (${email})` : (name ?? email ?? subject);
}

/** The account in the claims of a token or in a user record. */
export function accountIn(record: Claims): string | undefined {
  const values = accountNames.map((name) => record[name]);
  return values.map((value) => (Number.isSafeInteger(value) ? String(value) : value)).find(isName);
}

/** Whether a claim is a name that can be compared and displayed. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_CLAIM_LENGTH;
}

/** The facts of a credential that are not secret. */
export type Described = ReturnType<typeof describeCredential>;

/**
 * Describes the credential of these settings without a request, from the stored login and the claims of the token.
 *
 * @param folder where credentials.json is.
 * @param token the token in use, if any.
 */
export function describeCredential(settings: Settings, folder: string, token?: Token) {
  const { profile, auth } = settings;
  const place = placeOf(settings);
  const facts = place === 'profile' && profile ? readCredential(folder, profile.value) : undefined;
  const claims = factsIn(claimsOf(token === undefined ? '' : bare(token)));
  const { login, cached_token } = facts ?? {};
  // The other settings do not describe the token of the environment.
  const { clientId, scope }: Partial<Settings> = settings.token === undefined ? settings : {};
  const ofFile = facts === undefined ? 'nowhere' : 'file';
  const methods = {
    profile: login?.method ?? auth?.value ?? 'token',
    environment: settings.token === undefined ? 'client-credentials' : 'token',
    sandbox: place,
  };
  return {
    method: methods[place],
    stored: place === 'profile' ? (facts?.keyring === undefined ? ofFile : 'keyring') : place,
    ...claims.who,
    ...(login?.who as Who),
    client_id: clientId?.value ?? claims.clientId,
    scopes: claims.scopes ?? scopesIn(login?.scope ?? scope?.value),
    expires_at: momentText(token?.expiresAt ?? cached_token?.expires_at ?? claims.expiresAt),
  };
}

/** Where the credential in force comes from. The environment precedes the profile. */
function placeOf({ sandbox, token, clientSecret }: Settings): 'sandbox' | 'environment' | 'profile' {
  if (sandbox) return 'sandbox';
  return token === undefined && clientSecret === undefined ? 'profile' : 'environment';
}

/** The latest date of JavaScript, in milliseconds since the epoch. */
const MAX_DATE = 8.64e15;

/** What the claims of an access token tell; `expiresAt` is in milliseconds since the epoch. */
export function factsIn(claims: Claims) {
  return {
    who: whoIn(claims),
    clientId: [claims['client_id']].find(isName),
    scopes: scopesIn(claims['scope'] ?? claims['scp']),
    expiresAt: momentIn(claims['exp']),
  };
}

/** The scopes in a space-separated text or in a list; `undefined` if none is usable. */
function scopesIn(value: unknown): readonly string[] | undefined {
  const parts: readonly unknown[] = typeof value === 'string' ? value.split(' ') : [value].flat();
  const usable = parts.filter(isName);
  return usable.length === 0 ? undefined : usable;
}

/** Converts seconds since the epoch to milliseconds; `undefined` if they are not a valid date. */
function momentIn(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 && seconds * 1000 <= MAX_DATE
    ? seconds * 1000
    : undefined;
}

/** Formats milliseconds since the epoch in ISO 8601; `undefined` if they are not a valid date. */
export function momentText(ms: number | undefined): string | undefined {
  return ms !== undefined && Math.abs(ms) <= MAX_DATE ? new Date(ms).toISOString() : undefined;
}

/** Who logged in to the profile, if its login is in force. */
export function whoLoggedIn(
  { profile }: Pick<Settings, 'profile'>,
  folder: string,
  { source }: Pick<Credentials, 'source'>,
): Who {
  if (profile === undefined || source !== `profile ${profile.value}`) return {};
  return readCredential(folder, profile.value)?.login?.who ?? {};
}

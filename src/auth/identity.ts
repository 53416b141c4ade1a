import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { readCredential } from '../config/credentials.ts';
import type { Settings, Sourced } from '../config/resolve.ts';
import { parsedJson } from '../model/json-text.ts';
import { isRecord } from '../model/records.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import type { AccountSources } from './account.ts';
import { bare } from './credentials.ts';

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
  const value = parsedJson(Buffer.from(payload, 'base64url').toString());
  return isRecord(value) ? value : {};
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
  const login = facts?.login;
  // The other settings do not describe the token of a command or of the environment.
  const isAlone = place === 'command' || settings.token !== undefined;
  const { clientId, scope }: Partial<Settings> = isAlone ? {} : settings;
  const ofFile = facts === undefined ? 'nowhere' : 'file';
  const methods = {
    profile: login?.method ?? auth?.value ?? 'token',
    environment: settings.token === undefined ? 'client-credentials' : 'token',
    command: place,
    sandbox: place,
  };
  return {
    method: methods[place],
    stored: place === 'profile' ? (facts?.keyring === undefined ? ofFile : 'keyring') : place,
    who: { ...claims.who, ...login?.who },
    clientId: clientId?.value ?? claims.clientId,
    scopes: claims.scopes ?? scopesIn(login?.scope ?? scope?.value),
    expiresAt: token?.expiresAt ?? login?.expires_at ?? claims.expiresAt,
  };
}

/** Whether a token belongs to a person; `client` if unknown. */
export function typeOf({ method, who, clientId }: Described, grant: Credentials['grant']): 'user' | 'client' {
  if (grant === 'client-credentials') return 'client';
  if (grant === 'user' || method === 'web' || method === 'device' || who.email !== undefined) return 'user';
  return who.subject !== undefined && who.subject !== clientId ? 'user' : 'client';
}

/** Where the credential in force comes from. In order of precedence: the environment, a credential command, the profile. */
export function placeOf(settings: Settings): 'sandbox' | 'environment' | 'command' | 'profile' {
  const { sandbox, token, clientSecret, credentialCommand } = settings;
  if (sandbox) return 'sandbox';
  if (token !== undefined || clientSecret !== undefined) return 'environment';
  return credentialCommand === undefined ? 'profile' : 'command';
}

/** The latest date of JavaScript, in milliseconds since the epoch. */
const MAX_DATE = 8.64e15;

const MAX_SCOPES = 100;
const MAX_SCOPE_LENGTH = 200;

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
  const scopes = parts.filter((part) => typeof part === 'string');
  const usable = scopes.filter(({ length }) => length > 0 && length <= MAX_SCOPE_LENGTH);
  return usable.length === 0 ? undefined : usable.slice(0, MAX_SCOPES);
}

/** Converts seconds since the epoch to milliseconds; `undefined` if they are not a valid date. */
export function momentIn(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 && seconds * 1000 <= MAX_DATE
    ? seconds * 1000
    : undefined;
}

/** Formats milliseconds since the epoch in ISO 8601; `undefined` if they are not a valid date. */
export function momentText(ms: number | undefined): string | undefined {
  return ms !== undefined && Math.abs(ms) <= MAX_DATE ? new Date(ms).toISOString() : undefined;
}

/** Claims of a token that name an account, a client or a user. */
const identityClaims = [...accountNames, 'client_id', 'sub', 'email'] as const;

/**
 * Whether one of the names is the expected one. Only e-mail addresses are compared case-insensitively.
 *
 * @param expected an account, a user, an e-mail address or a client.
 */
export function accountMatches(expected: string, identities: readonly string[]): boolean {
  const normalized = (name: string) => (name.includes('@') ? name.toLowerCase() : name);
  return identities.some((identity) => normalized(identity) === normalized(expected));
}

/**
 * All names of the owner of a token: its client, who is known to own it, and those in its claims, if it is a JSON web token.
 *
 * @param client anything but a text counts as unknown.
 */
export function namesOf(
  { account, subject, email }: Who | Readonly<Record<string, string>>,
  client: unknown,
  token: string,
): readonly string[] {
  const claims = claimsOf(token);
  const named = [account, subject, email, accountIn(claims), ...identityClaims.map((name) => claims[name])];
  return [...(typeof client === 'string' ? [client] : []), ...named.filter(isName)];
}

/** Who logged in to the profile, if its login is in force. */
export function whoLoggedIn(
  { profile }: Pick<Settings, 'profile'>,
  folder: string,
  { source }: Pick<Credentials, 'source'>,
): Readonly<Record<string, string>> {
  if (profile === undefined || source !== `profile ${profile.value}`) return {};
  return readCredential(folder, profile.value)?.login?.who ?? {};
}

const otherAccount =
  'Use the profile of that account (innctl profiles list), or log in there. Who is expected: innctl config explain expect_account';

/**
 * Fails unless all expected names match.
 *
 * @param found all names of the token's owner; empty if unknown.
 * @param source of the token: `profile chain`.
 * @throws {CliError} `account_mismatch`, exit 11.
 */
export function refuseOthers(
  expected: readonly Sourced<string>[],
  found: readonly string[],
  source: string,
  hint = otherAccount,
): void {
  const wrong = expected.filter(({ value }) => !accountMatches(value, found));
  if (wrong.length === 0) return;
  const wanted = wrong.map((each) => `${each.value} (${each.source})`).join(' and ');
  const owner =
    found.length === 0 ? 'does not show its account' : `belongs to ${[...new Set(found)].join(', ')}`;
  throw new CliError(
    'account_mismatch',
    `The expected account is ${wanted}, but the token of ${source} ${owner}. Nothing was written.`,
    { exitCode: ExitCode.blocked, hint },
  );
}

/**
 * Fails unless a token belongs to the expected account: by the client whose secret is used, by the stored login, by the claims
 * of the token, otherwise by a request to the service.
 *
 * @throws {CliError} `account_mismatch`, exit 11; the error of that request.
 */
export async function refuseUnexpected({ header }: Token, sources: AccountSources): Promise<void> {
  const { credentials, settings, folder, askWho } = sources;
  const { expectAccount: expected, clientId } = settings;
  const client = credentials.grant === 'client-credentials' ? clientId?.value : undefined;
  const names = namesOf(whoLoggedIn(settings, folder, credentials), client, bare({ header }));
  const isSettled = expected.every(({ value }) => accountMatches(value, names));
  const user = isSettled ? {} : ((await askWho()) ?? {});
  const ofUser = [accountIn(user), user['subject_id'], user['email']].filter(isName);
  refuseOthers(expected, [...names, ...ofUser], credentials.source);
}

import { readCredential } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import { isRecord } from '../records.ts';

/** What a service may call the same thing, and what it is called here. */
const claims = [
  ['account', ['account_code', 'account']],
  ['client', ['client_id']],
  ['user', ['sub']],
] as const;

const LONGEST_CLAIM = 200;

/**
 * Whose account the credentials in force belong to, as far as profile, client id and token tell without being sent:
 * `profile chain, client ABCD-CI, account AURORA`. The same for each token of one client or person; tokens that tell
 * nothing are all alike.
 *
 * @param folder where credentials.json is.
 */
export function accountOf(settings: Settings, folder: string): string {
  const { profile, clientId } = settings;
  const told = isOfPerson(settings)
    ? whoIn(folder, settings.profile?.value)
    : claimsOf(tokenOf(settings, folder) ?? '');
  const parts = [
    ...(profile === undefined ? [] : [`profile ${profile.value}`]),
    ...(clientId === undefined ? [] : [`client ${clientId.value}`]),
    ...claims.flatMap(([word, names]) => {
      const value = names.map((name) => told[name]).find(isTelling);
      return value === undefined ? [] : [`${word} ${value}`];
    }),
  ];
  return [...new Set(parts)].join(', ');
}

/** Whether somebody logged in, whose tokens come and go, in a keyring perhaps; what is in force otherwise says for itself. */
function isOfPerson({ token, clientSecret, auth }: Settings): boolean {
  return token === undefined && clientSecret === undefined && auth?.value === 'user';
}

/** What was known of somebody when they logged in, as claims. */
function whoIn(folder: string, profile: string | undefined): Readonly<Record<string, unknown>> {
  const who = profile === undefined ? undefined : readCredential(folder, profile)?.login?.who;
  return { account: who?.['account'], sub: who?.['subject'] ?? who?.['email'] };
}

/** The token that was given; one that is fetched comes and goes, and the client's id says as much. */
function tokenOf({ token, clientSecret, profile, auth }: Settings, folder: string): string | undefined {
  if (token !== undefined) return token.value;
  const isFetched = clientSecret !== undefined || auth?.value === 'client-credentials';
  return isFetched || profile === undefined ? undefined : readCredential(folder, profile.value)?.token;
}

/** What a JSON web token says; nobody's signature is checked, because nobody is let in by it. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined) return {};
  try {
    const told: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isRecord(told) ? told : {};
  } catch {
    return {};
  }
}

function isTelling(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_CLAIM;
}

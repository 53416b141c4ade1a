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
  const told = claimsOf(tokenOf(settings, folder) ?? '');
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

/** The token that was given; one that is fetched comes and goes, and the client's id says as much. */
function tokenOf(settings: Settings, folder: string): string | undefined {
  const { token, clientSecret, credentialCommand, profile, auth } = settings;
  if (token !== undefined) return token.value;
  // Nothing is run to find out.
  if (credentialCommand !== undefined) return undefined;
  const isFetched = clientSecret !== undefined || auth?.value === 'client-credentials';
  return isFetched || profile === undefined ? undefined : readCredential(folder, profile.value)?.token;
}

/** What a JSON web token says; nobody's signature is checked, because nobody is let in by it. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined) return {};
  try {
    const told: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isRecord(told) ? told : {};
  } catch {
    return {};
  }
}

/** Whether a claim is a name that can be compared and shown. */
export function isTelling(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_CLAIM;
}

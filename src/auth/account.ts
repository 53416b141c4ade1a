import { readCredential } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import { type Claims, claimsOf, told } from './claims.ts';

/** What is told of a token, in this order. */
const words = ['account', 'client', 'subject'] as const;

/**
 * Whose account the credentials in force belong to, as far as profile, client id and token tell without being sent:
 * `profile chain, client ABCD-CI, account AURORA`. The same for each token of one client or person; tokens that tell
 * nothing are all alike.
 *
 * @param folder where credentials.json is.
 */
export function accountOf(settings: Settings, folder: string): string {
  const { profile, clientId } = settings;
  const claims = isOfPerson(settings)
    ? whoOf(folder, settings.profile?.value)
    : claimsOf(tokenOf(settings, folder) ?? '');
  const parts = [
    ...(profile === undefined ? [] : [`profile ${profile.value}`]),
    ...(clientId === undefined ? [] : [`client ${clientId.value}`]),
    ...words.flatMap((word) => {
      const value = told(claims, word);
      return value === undefined ? [] : [`${word === 'subject' ? 'user' : word} ${value}`];
    }),
  ];
  return [...new Set(parts)].join(', ');
}

/** Whether somebody logged in, whose tokens come and go, in a keyring perhaps; what is in force otherwise says for itself. */
function isOfPerson({ token, clientSecret, auth }: Settings): boolean {
  return token === undefined && clientSecret === undefined && auth?.value === 'user';
}

/** What was known of somebody when they logged in, as claims. */
function whoOf(folder: string, profile: string | undefined): Claims {
  const who = profile === undefined ? undefined : readCredential(folder, profile)?.login?.who;
  return { account: who?.['account'], sub: who?.['subject'] ?? who?.['email'] };
}

/** The token that was given; one that is fetched comes and goes, and the client's id says as much. */
function tokenOf({ token, clientSecret, profile, auth }: Settings, folder: string): string | undefined {
  if (token !== undefined) return token.value;
  const isFetched = clientSecret !== undefined || auth?.value === 'client-credentials';
  return isFetched || profile === undefined ? undefined : readCredential(folder, profile.value)?.token;
}

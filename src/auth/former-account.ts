import { lookUpCredential } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import { type Claims, claimsOf, told } from './claims.ts';

/** What was told of a token, in this order. */
const words = ['account', 'client', 'subject'] as const;

/**
 * What journals of version 0.1.0 are filed under: profile, client id and token, as far as they told without being sent.
 *
 * @param folder where credentials.json is.
 */
export function formerAccountOf(settings: Settings, folder: string): string {
  const { profile, clientId } = settings;
  const claims = claimsIn(settings, folder);
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

/** Of the login, or of a token that is there; a command was not run, and no token fetched. */
function claimsIn(settings: Settings, folder: string): Claims {
  const { token, clientSecret, credentialCommand, profile, auth } = settings;
  if (token !== undefined) return claimsOf(token.value);
  const isElsewhere = credentialCommand !== undefined || clientSecret !== undefined;
  if (isElsewhere || profile === undefined) return {};
  const stored = lookUpCredential(folder, profile.value);
  const { who } = stored?.login ?? {};
  if (auth?.value === 'user') return { account: who?.['account'], sub: who?.['subject'] ?? who?.['email'] };
  return auth?.value === 'client-credentials' ? {} : claimsOf(stored?.token ?? '');
}

import { scryptSync } from 'node:crypto';
import type { Settings } from '../config/resolve.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import { bare } from './credentials.ts';
import { accountIn, claimsOf, factsIn, isName, placeOf, whoLoggedIn } from './identity.ts';
import type { AskWho } from './one-account.ts';

/**
 * Whose records the credentials in force reach: `account AURORA`; where that is unknown, `user ana-7` or `client AURORA-CI`;
 * where nothing is known, `unknown account of credential 0123456789abcdef`, with a digest of where the credential comes from.
 */
export type Account = ReturnType<typeof known>;

/** What the account is determined from. */
export interface AccountSources {
  readonly credentials: Credentials;
  readonly settings: Settings;
  /** Where credentials.json is. */
  readonly folder: string;
  readonly askWho: AskWho;
  readonly signal: AbortSignal;
}

/** Hex digits of the digest of a credential's source. */
const DIGEST_DIGITS = 16;

/** About 12 ms and 4 MiB for each digest: slow for an attacker, short compared to the start of a command. */
const SCRYPT_COST = 4096;

/**
 * The account that the credentials in force reach: from the token, the stored login, or the client id; otherwise from one
 * GET of users/me.
 *
 * @throws {CliError} when there is no token, or the request fails.
 */
export async function findAccount(sources: AccountSources): Promise<Account> {
  const { credentials, settings, askWho, signal } = sources;
  if (settings.sandbox) return known('sandbox');
  const token = await credentials.current(signal);
  const claims = claimsOf(bare(token));
  const { who, clientId } = factsIn(claims);
  const login = whoLoggedIn(settings, sources.folder, credentials);
  const account = accountIn(claims) ?? login['account'];
  if (account !== undefined) return known('account', account);
  if (credentials.grant === 'client-credentials') return known('client', settings.clientId?.value ?? '');
  const subject = who.subject ?? login['subject'];
  if (subject !== undefined) return subject === clientId ? known('client', subject) : known('user', subject);
  const user = (await askWho()) ?? {};
  const shown = accountIn(user);
  if (shown !== undefined) return known('account', shown);
  const person = [user['subject_id'], user['email'], who.email, login['email']].find(isName);
  if (person !== undefined) return known('user', person);
  if (clientId !== undefined) return known('client', clientId);
  return unknown(sources, token);
}

function known(word: string, name?: string) {
  return {
    text: name === undefined ? word : `${word} ${name}`,
    /** `false` if the account is unknown: two accounts may then have the same text. */
    isKnown: true,
  };
}

/** The digest is slow to compute, so that a short secret cannot be found by brute force. */
function unknown(sources: AccountSources, token: Token): Account {
  const { identityUrl, baseUrl } = sources.settings;
  const salt = JSON.stringify(['innctl account', identityUrl?.value, baseUrl?.value]);
  const source = JSON.stringify(sourceOf(sources, token));
  const digest = scryptSync(source, salt, DIGEST_DIGITS / 2, { N: SCRYPT_COST }).toString('hex');
  return { text: `unknown account of credential ${digest}`, isKnown: false };
}

/** What identifies a credential while its tokens change; for a fixed token, the token itself. */
function sourceOf({ credentials, settings }: AccountSources, token: Token): readonly unknown[] {
  const { credentialCommand, profile, issuer, tokenUrl, clientId } = settings;
  if (credentials.grant === 'user')
    return ['login', profile?.value, issuer?.value, tokenUrl?.value, clientId?.value];
  return placeOf(settings) === 'command' ? ['command', credentialCommand?.value] : ['token', bare(token)];
}

import { lookUpCredential } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import type { Sourced } from '../config/reader.ts';
import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Credentials } from '../http/authorization.ts';
import { accountIn, claimsOf, isTelling } from './claims.ts';
import { bare } from './credentials.ts';

/** Claims of a token that name an account, a client or a user. */
const names = ['account_code', 'account', 'client_id', 'sub', 'email'] as const;

/** What a login tells of who logged in; a person's name is not theirs alone. */
const tellingOfLogin = ['account', 'subject', 'email'] as const;

/**
 * Whether one of the names is the one that is expected, letter for letter; of an e-mail address in any case.
 *
 * @param expected an account, a user, an e-mail address or a client.
 */
export function accountMatches(expected: string, identities: readonly string[]): boolean {
  const plainly = (name: string) => (name.includes('@') ? name.toLowerCase() : name);
  return identities.some((identity) => plainly(identity) === plainly(expected));
}

/** What the header of a request tells of who sends it, where its token is a JSON web token. */
export function identitiesInHeader(header: string): readonly string[] {
  const claims = claimsOf(bare({ header }));
  return [...new Set([accountIn(claims), ...names.map((name) => claims[name])])].filter(isTelling);
}

/** What is known of who is asking without a look at the token: the client whose secret is used, and who logged in. */
export function knownIdentities(
  { profile, clientId }: Pick<Settings, 'profile' | 'clientId'>,
  folder: string,
  { grant, source }: Credentials,
): readonly string[] {
  const client = grant === 'client-credentials' && clientId !== undefined ? [clientId.value] : [];
  if (profile === undefined || source !== `profile ${profile.value}`) return client;
  const who = lookUpCredential(folder, profile.value)?.login?.who ?? {};
  return [...client, ...tellingOfLogin.map((name) => who[name]).filter(isTelling)];
}

/**
 * Returns where everybody who is expected is the one that asks.
 *
 * @param found all names of who asks; empty where nothing tells.
 * @param source whose names these are: `profile chain`.
 * @throws {CliError} `account_mismatch`, exit 11.
 */
export function refuseOthers(
  expected: readonly Sourced<string>[],
  found: readonly string[],
  source: string,
): void {
  const wrong = expected.filter(({ value }) => !accountMatches(value, found));
  if (wrong.length === 0) return;
  const wanted = wrong.map((each) => `${each.value} (${each.source})`).join(' and ');
  const is = found.length === 0 ? 'does not tell whose it is' : `is of ${[...new Set(found)].join(', ')}`;
  throw new CliError(
    'account_mismatch',
    `Expected is ${wanted}, and the token of ${source} ${is}. Nothing was written.`,
    {
      exitCode: ExitCode.blocked,
      hint: 'Use the profile of that account (innctl profiles list), or log in there. Who is expected: innctl config explain expect_account',
    },
  );
}

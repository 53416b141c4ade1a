import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Ending } from '../cli/ports.ts';
import { lookUpCredential } from '../config/credentials.ts';
import type { Sourced } from '../config/reader.ts';
import type { Settings } from '../config/resolve.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import { accountIn, claimsOf, isTelling } from './claims.ts';
import { bare, singleFlight } from './credentials.ts';
import type { AskWho } from './one-account.ts';

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

/** Who must be asking, and how that is found out. */
export interface Expectation {
  /** All of them must be right; where there is none, nothing is checked. */
  readonly expected: readonly Sourced<string>[];
  /** What is known without the token. */
  readonly known: () => readonly string[];
  readonly askWho: AskWho;
}

/**
 * Credentials that are given out only where they belong to whom is expected. That is found out once, before the first
 * token is given out, and of each that a command prints: from the token itself, from the login, and where these do not
 * tell, from the service.
 *
 * @throws {CliError} `account_mismatch`, exit 11, from `current` and `renew`; the error of the question, where it could not be asked.
 */
export function expecting(credentials: Credentials, { expected, known, askWho }: Expectation): Credentials {
  if (expected.length === 0) return credentials;
  const { source, grant } = credentials;
  let verdict: (() => void) | undefined;
  let judged = 0;
  const judge = singleFlight(async (signal) => {
    const { header, generation } = await credentials.current(signal);
    const names = [...known(), ...identitiesInHeader(header)];
    const isSettled = expected.every(({ value }) => accountMatches(value, names));
    const found = isSettled ? names : [...names, ...(await askedNames(askWho))];
    judged = generation;
    verdict = () => refuseOthers(expected, found, source);
  });
  // A server renews a token for whom it issued it; a command may print anybody's.
  const isNew = ({ generation }: Token) => grant === 'token' && generation !== judged;
  const judgeNew = async (token: Token | undefined, signal: Ending) => {
    if (token === undefined || !isNew(token)) return;
    await judge(signal);
    verdict?.();
  };
  return {
    ...credentials,
    async current(signal) {
      if (verdict === undefined) await judge(signal);
      verdict?.();
      await judgeNew(await credentials.current(signal), signal);
      return credentials.current(signal);
    },
    async renew(stale, signal) {
      const token = await credentials.renew(stale, signal);
      await judgeNew(token, signal);
      return token;
    },
  };
}

async function askedNames(askWho: AskWho): Promise<readonly string[]> {
  const user = (await askWho()) ?? {};
  return [accountIn(user), user['subject_id'], user['email']].filter(isTelling);
}

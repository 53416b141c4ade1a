import type { Sourced } from '../config/reader.ts';
import type { Credentials, Token } from '../http/authorization.ts';
import type { Ending } from '../transport.ts';
import type { AskWho } from './asking-who.ts';
import { accountIn, isTelling } from './claims.ts';
import { accountMatches, identitiesInHeader, refuseOthers } from './identities.ts';
import { singleFlight } from './single-flight.ts';

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

import { scryptSync } from 'node:crypto';
import type { Settings, Sourced } from '../config/resolve.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import {
  accountIn,
  bare,
  type Claims,
  claimsOf,
  factsIn,
  isName,
  type Who,
  whoLoggedIn,
} from './identity.ts';

/**
 * Whose records the credentials in force reach: `account AURORA`; where that is unknown, `user ana-7` or `client AURORA-CI`;
 * where nothing is known, `unknown account of credential 0123456789abcdef`, with a digest of where the credential comes from.
 */
export interface Account {
  readonly text: string;
  /** `AURORA`, the one name by which it is expected; `undefined` if it is unknown: then two accounts may have the same text. */
  readonly name: string | undefined;
}

/** What the account is determined from. */
export interface AccountSources {
  readonly credentials: Credentials;
  readonly settings: Settings;
  /** Where credentials.json is. */
  readonly folder: string;
  /** Reads the user of the token; `undefined`: without a request. Then a client alone names no account. */
  readonly me: (() => Promise<ServiceRecord>) | undefined;
  readonly signal: AbortSignal;
}

/** Hex digits of the digest of a credential's source. */
const DIGEST_DIGITS = 16;

/** About 12 ms and 4 MiB for each digest: slow for an attacker, short compared to the start of a command. */
const SCRYPT_COST = 4096;

/**
 * The credentials of one account: a token is given out once that account is known to be the expected one.
 *
 * @returns credentials that throw `account_mismatch`, exit 11, instead of giving out a token of another account.
 */
export function oneAccount(sources: AccountSources) {
  const { credentials: own, settings } = sources;
  const expected = settings.expectAccount;
  let found: Promise<Account> | undefined;
  /** Determined once. */
  const account = () => {
    found ??= findAccount(sources).then((each) => refuseOthers(expected, each, own.source));
    return found;
  };
  const checked: Credentials = {
    ...own,
    async current(ending) {
      const token = await own.current(ending);
      await account();
      return token;
    },
  };
  return { credentials: expected.length === 0 ? own : checked, account };
}

/**
 * The account that the credentials in force reach: from the token, the stored login, or the client id; otherwise from one
 * GET of users/me.
 *
 * @throws {CliError} when there is no token, or the request fails.
 */
export async function findAccount(sources: AccountSources): Promise<Account> {
  const { credentials, settings, folder, me, signal } = sources;
  if (settings.sandbox) return { text: 'sandbox', name: 'sandbox' };
  const token = await credentials.current(signal);
  const claims = claimsOf(bare(token));
  const client = credentials.grant === 'client-credentials' ? settings.clientId?.value : undefined;
  const owner = ownerOf(claims, whoLoggedIn(settings, folder, credentials), client);
  if (owner !== undefined) return owner;
  if (me === undefined) return unknown(sources, token);
  const user = await me().catch(unlessNone);
  const shown = accountIn(user);
  if (shown !== undefined) return known('account', shown);
  const person = [user['subject_id'], user['email']].find(isName);
  if (person !== undefined) return known('user', person);
  const { clientId } = factsIn(claims);
  return clientId === undefined ? unknown(sources, token) : known('client', clientId);
}

/**
 * The account of a token without a request; `undefined` if nothing tells.
 *
 * @param login who logged in, as far as known.
 * @param client the client, if the token belongs to one.
 */
export function ownerOf(claims: Claims, login: Who, client: string | undefined): Account | undefined {
  const { who, clientId } = factsIn(claims);
  const { account, subject, email } = { ...login, ...who };
  if (account !== undefined) return known('account', account);
  if (client !== undefined) return known('client', client);
  const person = subject ?? email;
  if (person === undefined) return undefined;
  return known(person === clientId ? 'client' : 'user', person);
}

function known(word: 'account' | 'client' | 'user', name: string): Account {
  return { text: `${word} ${name}`, name };
}

/** Error codes that mean that the token has no user. */
const noUserCodes = new Set(['no_user', 'malformed_answer']);

/** Statuses that mean the same. */
const noUserStatuses = new Set([400, 403, 404, 405, 406, 410, 422, 501]);

function unlessNone(cause: unknown): ServiceRecord {
  const isNone =
    cause instanceof CliError && (noUserCodes.has(cause.code) || noUserStatuses.has(cause.status ?? 0));
  if (!isNone) throw cause;
  return {};
}

/** The digest is slow to compute, so that a short secret cannot be found by brute force. */
function unknown(sources: AccountSources, token: Token): Account {
  const { identityUrl, baseUrl } = sources.settings;
  const salt = JSON.stringify(['innctl account', identityUrl?.value, baseUrl?.value]);
  const source = JSON.stringify(sourceOf(sources, token));
  const digest = scryptSync(source, salt, DIGEST_DIGITS / 2, { N: SCRYPT_COST }).toString('hex');
  return { text: `unknown account of credential ${digest}`, name: undefined };
}

/** What identifies a credential while its tokens change; for a fixed token, the token itself. */
function sourceOf({ credentials, settings }: AccountSources, token: Token): readonly unknown[] {
  const { profile, issuer, tokenUrl, clientId } = settings;
  return credentials.grant === 'user'
    ? ['login', profile?.value, issuer?.value, tokenUrl?.value, clientId?.value]
    : ['token', bare(token)];
}

/**
 * Fails unless the account has the expected name.
 *
 * @param expected of all sources: all must match.
 * @param account `undefined` if it is unknown.
 * @param source of the token: `profile chain`.
 * @throws {CliError} `account_mismatch`, exit 11.
 */
export function refuseOthers<Found extends Account | undefined>(
  expected: readonly Sourced<string>[],
  account: Found,
  source: string,
): Found {
  const wrong = expected.find(({ value }) => value !== account?.name);
  if (wrong === undefined) return account;
  const owner = account?.name === undefined ? 'does not show its account' : `belongs to ${account.text}`;
  throw new CliError(
    'account_mismatch',
    `The expected account is ${wrong.value} (${wrong.source}), but the token of ${source} ${owner}. Nothing was written.`,
    {
      exitCode: ExitCode.blocked,
      hint: 'Use the profile of that account (innctl profiles list), or log in there.',
    },
  );
}

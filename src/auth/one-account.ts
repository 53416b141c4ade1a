import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import type { Account, AccountSources } from './account.ts';
import { singleFlight } from './credentials.ts';

/**
 * Sticks to the expected account, and to the first one. Checks the first token, and each new one that a command prints: a
 * server renews a token for the same account, a command may print a token of any account. A token that was refused is checked
 * again at the next use.
 *
 * @returns credentials that throw `account_mismatch`, exit 11, instead of giving out a token of another account.
 */
export function oneAccount(sources: AccountSources) {
  const { credentials: own, settings, signal } = sources;
  let first: Promise<Account> | undefined;
  let passed: number | undefined;
  const refuse = async (token: Token) => {
    if (settings.expectAccount.length === 0) return;
    const { refuseUnexpected } = await import('./identity.ts');
    await refuseUnexpected(token, sources);
  };
  const find = async () => {
    const { findAccount } = await import('./account.ts');
    return findAccount(sources);
  };
  const isNew = ({ generation }: Token) =>
    passed === undefined || (own.grant === 'token' && passed !== generation);
  const checkNewest = singleFlight(async (ending) => {
    const token = await own.current(ending);
    await refuse(token);
    if (first !== undefined && own.grant === 'token') {
      const [before, now] = [await first, await find()];
      if (before.text !== now.text) throw changed(own.source, before, now);
    }
    passed = token.generation;
    return token;
  });
  const credentials: Credentials = {
    ...own,
    async current(ending) {
      const token = await own.current(ending);
      return isNew(token) ? checkNewest(ending) : token;
    },
    async renew(stale, ending) {
      const token = await own.renew(stale, ending);
      return token !== undefined && isNew(token) ? checkNewest(ending) : token;
    },
  };
  return {
    credentials,
    /** Determined once. */
    account: () => {
      first ??= own.current(signal).then(refuse).then(find);
      return first;
    },
  };
}

function changed(source: string, before: Account, now: Account): CliError {
  return new CliError(
    'account_mismatch',
    `The run uses ${before.text}, but ${source} now prints a token of ${now.text}. Nothing was sent with it.`,
    {
      exitCode: ExitCode.blocked,
      hint: 'Make it print tokens of one account, and run the same command again.',
    },
  );
}

/**
 * Reads the user of the current token; `undefined` if it has none.
 *
 * @throws {CliError} when the request fails, or the token is refused.
 */
export type AskWho = () => Promise<ServiceRecord | undefined>;

/** Error codes that mean that the token has no user. */
const noUserCodes = new Set(['no_user', 'malformed_answer']);

/** Statuses that mean the same. */
const noUserStatuses = new Set([400, 403, 404, 405, 406, 410, 422, 501]);

/** Reads the user once per token; a failed request is repeated. */
export function oncePerToken(
  credentials: Credentials,
  me: () => Promise<ServiceRecord>,
  signal: AbortSignal,
): AskWho {
  let last: { readonly generation: number; readonly user: ServiceRecord | undefined } | undefined;
  return async () => {
    const { generation } = await credentials.current(signal);
    if (last?.generation !== generation) last = { generation, user: await me().catch(unlessNone) };
    return last.user;
  };
}

function unlessNone(cause: unknown): undefined {
  const isNone =
    cause instanceof CliError && (noUserCodes.has(cause.code) || noUserStatuses.has(cause.status ?? 0));
  if (!isNone) throw cause;
}

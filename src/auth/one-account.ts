import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Ending } from '../cli/ports.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import type { Account } from './account.ts';
import { singleFlight } from './credentials.ts';

/** Credentials that stay those of one account once that was found out. */
export interface OneAccount {
  readonly credentials: Credentials;
  /** Found out once. */
  readonly account: () => Promise<Account>;
}

/**
 * Keeps to the account that was found out first. A server renews a token for whom it issued it; a command may print
 * a token of any account, so each new one is compared with the first.
 *
 * @param find the account of the newest token.
 * @returns credentials that throw `account_mismatch`, exit 11, instead of giving out a token of another account.
 */
export function oneAccount(bare: Credentials, find: () => Promise<Account>): OneAccount {
  let first: Promise<Account> | undefined;
  let judged: number | undefined;
  const judge = singleFlight(async (signal) => {
    const { generation } = await bare.current(signal);
    const [before, now] = [await first, await find()];
    if (before !== undefined && before.text !== now.text) throw changed(bare.source, before, now);
    judged = generation;
  });
  const hold = async <Held extends Token | undefined>(token: Held, signal: Ending): Promise<Held> => {
    if (first === undefined || bare.grant !== 'token' || token === undefined) return token;
    if (judged !== token.generation) await judge(signal);
    return token;
  };
  return {
    credentials: {
      ...bare,
      current: async (signal) => hold(await bare.current(signal), signal),
      renew: async (stale, signal) => hold(await bare.renew(stale, signal), signal),
    },
    account: () => {
      first ??= find();
      return first;
    },
  };
}

function changed(source: string, before: Account, now: Account): CliError {
  return new CliError(
    'account_mismatch',
    `The run works on ${before.text}, and ${source} prints a token of ${now.text} now. Nothing was sent with it.`,
    {
      exitCode: ExitCode.blocked,
      hint: 'Make it print tokens of one account, and give the same command again.',
    },
  );
}

/**
 * The user whose token is in use, as the service shows it; `undefined` where it shows none.
 *
 * @throws {CliError} where the question could not be asked, or the token was refused.
 */
export type AskWho = () => Promise<ServiceRecord | undefined>;

/** Client credentials have none, and some answers show none. */
const withoutUser = new Set(['no_user', 'malformed_answer']);

/** What the service may answer that has no user to show. */
const untold = new Set([400, 403, 404, 405, 406, 410, 422, 501]);

/** Asks once for each token; a question that failed is asked again. */
export function oncePerToken(
  credentials: Credentials,
  me: () => Promise<ServiceRecord>,
  signal: Ending,
): AskWho {
  let last: { readonly generation: number; readonly user: ServiceRecord | undefined } | undefined;
  return async () => {
    const { generation } = await credentials.current(signal);
    if (last?.generation !== generation) last = { generation, user: await me().catch(unlessNone) };
    return last.user;
  };
}

function unlessNone(cause: unknown): undefined {
  const isNone = cause instanceof CliError && (withoutUser.has(cause.code) || untold.has(cause.status ?? 0));
  if (!isNone) throw cause;
}

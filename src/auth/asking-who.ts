import { CliError } from '../errors.ts';
import type { Credentials } from '../http/authorization.ts';
import type { ServiceRecord } from '../records.ts';
import type { Ending } from '../transport.ts';

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

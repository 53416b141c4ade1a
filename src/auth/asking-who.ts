import { CliError } from '../errors.ts';
import type { Credentials } from '../http/authorization.ts';
import type { ServiceRecord } from '../records.ts';
import type { Ending } from '../transport.ts';

/** Reads the user whose token is in use, from the service. */
export type AskWho = () => Promise<ServiceRecord>;

/** Client credentials have none, and some answers show none. */
const withoutUser = new Set(['no_user', 'malformed_answer']);

/** What the service may answer that has no user to show. */
const untold = new Set([400, 403, 404, 405, 406, 410, 422, 501]);

/**
 * The user whose token is in use; `undefined` where the service shows none.
 *
 * @throws {CliError} where the question could not be asked, or the token was refused.
 */
export async function userOrNone(askWho: AskWho): Promise<ServiceRecord | undefined> {
  try {
    return await askWho();
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (withoutUser.has(cause.code) || untold.has(cause.status ?? 0)) return undefined;
    throw cause;
  }
}

/** Asks once for each token; a question that failed is asked again. */
export function oncePerToken(credentials: Credentials, askWho: AskWho, signal: Ending): AskWho {
  let last: { readonly generation: number; readonly user: ServiceRecord } | undefined;
  return async () => {
    const { generation } = await credentials.current(signal);
    if (last?.generation !== generation) last = { generation, user: await askWho() };
    return last.user;
  };
}

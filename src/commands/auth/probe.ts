import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { ServiceRecord } from '../../model/records.ts';
import type { Credentials } from '../../service/exchange.ts';
import type { Api } from '../../service/service.ts';

/**
 * Asks the service whether it takes the token: for its user, and where it has none, or may not ask, for what any token may
 * ask, the number of properties.
 *
 * @returns whose it is; `undefined` where it is no user's, or the service may not tell.
 * @throws {CliError} exit 4 when it is refused; other errors of the request.
 */
export async function askWho(
  { users, properties }: Pick<Api, 'users' | 'properties'>,
  grant: Credentials['grant'],
): Promise<ServiceRecord | undefined> {
  if (grant !== 'client-credentials') {
    const user = await users.me().catch(unlessForbidden);
    if (user !== undefined) return user;
  }
  await properties.probe();
  return undefined;
}

function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof CliError) || error.exitCode !== ExitCode.forbidden) throw error;
}

import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { ServiceRecord } from '../../model/records.ts';
import type { Credentials } from '../../service/exchange.ts';
import type { Api } from '../../service/service.ts';

/**
 * Tests the token with users/me; if it has no user, or may not read it, with the number of properties.
 *
 * @returns the user; `undefined` if the token has none or may not read it.
 * @throws {CliError} exit 4 if the token is rejected; other errors of the request.
 */
export async function probeToken(
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

/** For `catch`: what may not be read is not known. */
export function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof CliError) || error.exitCode !== ExitCode.forbidden) throw error;
}

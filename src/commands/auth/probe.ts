import type { Api } from '../../api/api.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { Credentials } from '../../http/authorization.ts';
import type { ServiceRecord } from '../../records.ts';

/**
 * Asks the service whether it takes the token, with one GET.
 *
 * @returns whose it is; `undefined` where it is nobody's, or may not be told.
 * @throws {CliError} exit 4 when it is refused; whatever kept the service from answering.
 */
export async function askWho(
  { users, properties }: Pick<Api, 'users' | 'properties'>,
  grant: Credentials['grant'],
): Promise<ServiceRecord | undefined> {
  try {
    if (grant !== 'client-credentials') return await users.me();
    await properties.count();
    return undefined;
  } catch (error) {
    // Who is refused a right was recognised.
    if (error instanceof CliError && error.exitCode === ExitCode.forbidden) return undefined;
    throw error;
  }
}

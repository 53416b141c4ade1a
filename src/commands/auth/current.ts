import { selectProfile } from '../../config/resolve.ts';
import { settingTable } from '../../config/settings.ts';
import { SANDBOX } from '../../config/urls.ts';
import { CliError, ExitCode } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import type { ServiceRecord } from '../../model/records.ts';
import type { Credentials } from '../../service/exchange.ts';
import type { Api } from '../../service/service.ts';
import { type LocalSession, profileFlag } from '../../session/session.ts';

/** The environment variable of the credential in use; none if a flag names a profile or in the sandbox. */
export function exportedCredential({ globals, context, config }: LocalSession): string | undefined {
  if (profileFlag(globals) !== undefined) return undefined;
  const profile = context.env[settingTable.profile.env] || config.active_profile;
  return profile === SANDBOX ? undefined : credentialVariable(context.env);
}

/** The variable that gives a credential, unless a flag names a profile. */
export function credentialVariable(env: Context['env']): string | undefined {
  const names = [settingTable.token.env, settingTable.client_secret.env];
  return names.find((name) => (env[name] ?? '') !== '');
}

/**
 * The name of the current profile; `undefined` without one. For commands that must work with invalid settings.
 *
 * @throws {CliError} exit 2 when there is no such profile.
 */
export function currentProfile({ globals, context, config }: LocalSession): string | undefined {
  const flags = { profile: profileFlag(globals) };
  return selectProfile({ flags, env: context.env, document: config })?.value;
}

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

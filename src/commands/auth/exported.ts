import type { Context } from '../../cli/ports.ts';
import { type LocalSession, profileFlag } from '../../cli/session.ts';
import { selectProfile } from '../../config/resolve.ts';
import { settingTable } from '../../config/settings.ts';
import { SANDBOX } from '../../config/urls.ts';

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

import { SANDBOX } from '../../config/profile-name.ts';
import { settingTable } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import type { LocalSession } from '../../session.ts';
import { currentProfile } from '../current-profile.ts';

/** The variable that gives the credential in force; a profile that a flag names takes none, and neither does the sandbox. */
export function exportedCredential(session: LocalSession): string | undefined {
  const { globals, context } = session;
  if (globals.profile !== undefined || isSandbox(session)) return undefined;
  return credentialVariable(context.env);
}

/** The variable that gives a credential, wherever no flag names a profile. */
export function credentialVariable(env: Context['env']): string | undefined {
  const { token, client_secret, credential_command } = settingTable;
  const names = [token, client_secret, credential_command].map((setting) => setting.env);
  return names.find((name) => (env[name] ?? '') !== '');
}

/** A profile that is not there is none. */
function isSandbox(session: LocalSession): boolean {
  try {
    return currentProfile(session) === SANDBOX;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

import { checkBinding } from '../config/binding.ts';
import { CliError } from '../errors.ts';
import type { Credentials } from '../http/authorization.ts';
import { lockLogin } from './login-lock.ts';
import type { OAuthHttp } from './oauth-http.ts';
import { type CredentialSources, defaultTokenUrl } from './open-credentials.ts';
import { loginAgain } from './refresh-errors.ts';
import { userCredentials } from './user-credentials.ts';
import type { Vault } from './vault.ts';

/**
 * The credentials of a person who logged in.
 *
 * @throws {CliError} exit 4 when the profile does not say which client refreshes them.
 */
export function openUserCredentials(
  profile: string,
  vault: Vault,
  http: OAuthHttp,
  { settings, folder, warn }: CredentialSources,
): Credentials {
  const clientId = vault.facts()?.login?.client_id ?? settings.clientId?.value;
  if (clientId === undefined) {
    throw loginAgain(profile, 'not_logged_in', `Profile ${profile} has a login and no client_id.`);
  }
  return userCredentials({
    profile,
    clientId,
    tokenUrl: settings.tokenUrl?.value ?? defaultTokenUrl(settings),
    vault,
    lock: (signal) => lockLogin(folder, profile, signal).catch(notLocked(profile)),
    check: (facts) => checkBinding(facts, { ...settings, profile }),
    http,
    warn,
  });
}

/** For `catch`. */
function notLocked(profile: string) {
  return (cause: unknown): never => {
    if (!(cause instanceof CliError) || cause.code !== 'config_not_written') throw cause;
    const { code, message, hint } = cause;
    const sentence = `Did not refresh the login of profile ${profile}: what comes could not be stored. ${message}`;
    throw new CliError(code, sentence, { cause, hint });
  };
}

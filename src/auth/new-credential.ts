import { readCredential } from '../config/credentials.ts';

/**
 * The command that gives a profile another credential, the way it got the one before.
 *
 * @param folder where credentials.json is.
 */
export function newCredential(folder: string, profile: string): string {
  const before = readCredential(folder, profile);
  return before === undefined || before.login !== undefined
    ? `innctl login --profile ${profile}`
    : `innctl profiles add ${profile}`;
}

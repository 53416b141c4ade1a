import { selectProfile } from '../config/select-profile.ts';
import type { LocalSession } from '../session.ts';

/**
 * The name of the profile in effect; `undefined` when none is. Asked instead of the settings by commands that must
 * work on a profile whose settings are not valid.
 *
 * @throws {CliError} exit 2 when there is no such profile.
 */
export function currentProfile({ globals, context, config }: LocalSession): string | undefined {
  const flags = { profile: globals.profile, sandbox: globals.sandbox === true ? 'true' : undefined };
  return selectProfile({ flags, env: context.env, document: config })?.name;
}

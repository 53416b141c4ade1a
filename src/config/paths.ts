import { join } from 'node:path';
import { CliError, invalidInput } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Context } from '../cli/ports.ts';
import { placesOf } from './places.ts';
import { settingTable } from './settings.ts';

/**
 * The folders of innctl's files: `config` for settings and credentials, `state` for the sandbox and journals. Absolute paths,
 * which need not exist.
 */
export interface Folders {
  readonly config: string;
  readonly state: string;
}

/** As `placesOf`, checked. @throws {CliError} exit 2 when there is no such folder, or INNCTL_CONFIG_DIR is invalid. */
export function foldersOf({ env, platform, home }: Pick<Context, 'env' | 'platform' | 'home'>): Folders {
  const { env: ownVariable, parse } = settingTable.config_dir;
  const own = env[ownVariable] ?? '';
  const parsed = own === '' ? { value: own } : parse(own);
  if (parsed.value === undefined) throw invalidInput([{ field: ownVariable, reason: parsed.reason }]);
  const { config, state } = placesOf({ env: { ...env, [ownVariable]: parsed.value }, platform, home });
  if (config !== undefined && state !== undefined) return { config, state };
  throw new CliError('no_home', 'There is no home folder to keep settings in.', {
    exitCode: ExitCode.usage,
    hint: `Set ${ownVariable} to a folder of your own: ${ownVariable}=/path/to/innctl`,
  });
}

/** The folder of the sandbox's state. */
export function sandboxFolder({ state }: Folders): string {
  return join(state, 'sandbox');
}

import { isAbsolute, join } from 'node:path';
import { CliError, invalidInput } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Context } from '../cli/ports.ts';
import { settingTable } from './settings.ts';

/**
 * The folders of innctl's files: `config` for settings and credentials, `state` for the sandbox and journals. Absolute paths,
 * which need not exist.
 */
export type Folders = ReturnType<typeof ownFolders>;

/**
 * INNCTL_CONFIG_DIR (with state below it), else the XDG folders, else folders below the home folder; on Windows APPDATA and
 * LOCALAPPDATA. Relative folders are ignored, as the XDG specification requires.
 *
 * @throws {CliError} exit 2 when there is no such folder, or INNCTL_CONFIG_DIR is invalid.
 */
export function foldersOf({ env, platform, home }: Pick<Context, 'env' | 'platform' | 'home'>): Folders {
  const ownVariable = settingTable.config_dir.env;
  const own = env[ownVariable] ?? '';
  if (own !== '') return ownFolders(own);
  const folder = (variable: string, ...belowHome: readonly string[]) => {
    const given = env[variable] ?? '';
    if (isAbsolute(given)) return join(given, 'innctl');
    if (home !== undefined && isAbsolute(home)) return join(home, ...belowHome, 'innctl');
    throw new CliError('no_home', 'There is no home folder to keep settings in.', {
      exitCode: ExitCode.usage,
      hint: `Set ${ownVariable} to a folder of your own: ${ownVariable}=/path/to/innctl`,
    });
  };
  return platform === 'win32'
    ? { config: folder('APPDATA', 'AppData', 'Roaming'), state: folder('LOCALAPPDATA', 'AppData', 'Local') }
    : { config: folder('XDG_CONFIG_HOME', '.config'), state: folder('XDG_STATE_HOME', '.local', 'state') };
}

function ownFolders(folder: string) {
  const { env, parse } = settingTable.config_dir;
  const parsed = parse(folder);
  if (parsed.value === undefined) throw invalidInput([{ field: env, reason: parsed.reason }]);
  return { config: parsed.value, state: join(parsed.value, 'state') };
}

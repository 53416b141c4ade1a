import { readFileSync } from 'node:fs';
import { basename, posix, win32 } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import type { World } from '../model/ports.ts';

/**
 * The folders of innctl's files: those in INNCTL_CONFIG_DIR, else the XDG folders, else folders below the home folder; on Windows
 * APPDATA and LOCALAPPDATA. Relative folders are ignored, as the XDG specification requires. Loads no settings; `foldersOf` checks
 * INNCTL_CONFIG_DIR.
 *
 * @returns `undefined` for a folder that would be below a missing home.
 */
export function placesOf({ env, platform, home }: Pick<World, 'env' | 'platform' | 'home'>) {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix;
  const own = env['INNCTL_CONFIG_DIR'];
  if (own) return { config: own, state: join(own, 'state'), cache: join(own, 'cache') };
  const folder = (variable: string, ...belowHome: readonly string[]) => {
    const given = env[variable] ?? '';
    if (isAbsolute(given)) return join(given, 'innctl');
    return home !== undefined && isAbsolute(home) ? join(home, ...belowHome, 'innctl') : undefined;
  };
  if (platform === 'win32') {
    const local = folder('LOCALAPPDATA', 'AppData', 'Local');
    return { config: folder('APPDATA', 'AppData', 'Roaming'), state: local, cache: local };
  }
  return {
    config: folder('XDG_CONFIG_HOME', '.config'),
    state: folder('XDG_STATE_HOME', '.local', 'state'),
    cache: folder('XDG_CACHE_HOME', '.cache'),
  };
}

/** Whether this is the standalone executable, which contains Node and the files of the package, and has no keyring. */
export function isStandalone(): boolean {
  return isSea();
}

/** A file of the package. The standalone executable contains it under its name. */
export function readOwnFile(path: string): Buffer {
  return isStandalone() ? Buffer.from(getAsset(basename(path))) : readFileSync(path);
}

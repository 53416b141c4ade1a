import { lstatSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { makePrivateFolder } from '../fs/private-folder.ts';

type Outside = Pick<NodeJS.Process, 'env' | 'platform' | 'geteuid' | 'versions' | 'getBuiltinModule'>;

/**
 * Lets Node keep the compiled program between runs, where it can (Node 22.8 and newer). Write access to the folder is enough to make
 * innctl run other code, so the folder must belong to this user and be closed to others. Failures are ignored: they only cost time.
 */
export function enableCompileCache(outside: Outside): void {
  // Node 20 cannot, and would take a millisecond to load the module.
  if (Number.parseInt(outside.versions.node, 10) < 22) return;
  try {
    const base = baseFolder(outside);
    const own = join(base, 'innctl');
    const folder = join(own, 'code');
    if (isShared(base)) return;
    makePrivateFolder(folder);
    if ([own, folder].every((each) => isOurs(each, outside))) {
      // The types are those of Node 20.
      const modules = outside.getBuiltinModule('node:module') as {
        enableCompileCache?: (folder: string) => unknown;
      };
      modules.enableCompileCache?.(folder);
    }
  } catch {
    // As without a cache.
  }
}

/** The user's folder for caches. Found as in src/config/paths.ts, which would load all settings. */
function baseFolder({ env, platform }: Outside): string {
  const own = env['INNCTL_CONFIG_DIR'];
  if (own) return join(own, 'cache');
  const [variable, ...belowHome] =
    platform === 'win32' ? ['LOCALAPPDATA', 'AppData', 'Local'] : ['XDG_CACHE_HOME', '.cache'];
  const given = env[variable] ?? '';
  return isAbsolute(given) ? given : join(homedir(), ...belowHome);
}

/** Whether others could replace a folder in it. */
function isShared(base: string): boolean {
  return ((statSync(base, { throwIfNoEntry: false })?.mode ?? 0) & 0o002) !== 0;
}

/** Whether it is a folder of this user that others cannot write to. */
function isOurs(folder: string, { platform, geteuid }: Outside): boolean {
  const found = lstatSync(folder);
  if (!found.isDirectory()) return false;
  return platform === 'win32' || (found.uid === geteuid?.() && (found.mode & 0o022) === 0);
}

import { lstatSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { placesOf } from '../config/places.ts';
import { makePrivateFolder } from '../fs/private-folder.ts';
import { isStandalone } from '../fs/standalone.ts';

type Outside = Pick<NodeJS.Process, 'env' | 'platform' | 'geteuid' | 'versions' | 'getBuiltinModule'>;

/**
 * Lets Node keep the compiled program between runs, where it can (Node 22.8 and newer). Write access to the folder is enough to make
 * innctl run other code, so the folder must belong to this user and be closed to others. Failures are ignored: they only cost time.
 */
export function enableCompileCache(outside: Outside): void {
  // Node 20 cannot, and would take a millisecond to load the module. The standalone executable loads no files.
  if (Number.parseInt(outside.versions.node, 10) < 22 || isStandalone()) return;
  try {
    const { env, platform } = outside;
    const { cache: own } = placesOf({ env, platform, home: homedir() });
    if (own === undefined || !isAbsolute(own) || isShared(dirname(own))) return;
    const folder = join(own, 'code');
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

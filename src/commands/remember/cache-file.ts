import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { refuseLink } from '../../files/link.ts';
import { preparePrivateFolder } from '../../files/private-folder.ts';
import { replaceFile, sweepDrafts } from '../../files/replace.ts';

/** More than our own largest file has; what is larger is not ours. */
const LARGEST = 8 * 1024 * 1024;

/** Writing takes milliseconds: whoever left a draft for so long was killed. */
const DEAD_MS = 60_000;

/** A file or folder below the folder of completions, by the names on the way. */
export type CachePath = readonly [...folders: string[], name: string];

/**
 * Changes a file of the cache, atomically and for its owner alone. Where the text stays the same nothing is written.
 *
 * @param change gets what the file holds; nothing where it is none.
 * @throws the system's error; {CliError} `symlink` when a folder is a symbolic link. What was there stays.
 */
export function changeCacheFile(state: string, names: CachePath, change: (before: string) => string): void {
  const folders = foldersOf(state, names);
  const path = pathIn(folders, names);
  const before = readOwn(path);
  const after = change(before ?? '');
  // Mostly: a list shows what the same list showed before.
  if (after === before) return;
  folders.forEach(preparePrivateFolder);
  sweepDrafts(path, DEAD_MS);
  // What a power cut takes, the next list brings back.
  replaceFile(path, after, { lasting: false });
}

/**
 * Removes a file or a folder of the cache, if it is there.
 *
 * @throws like `changeCacheFile`.
 */
export function removeFromCache(state: string, names: CachePath): void {
  const folders = foldersOf(state, names);
  const path = pathIn(folders, names);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  folders.forEach(refuseLink);
  rmSync(path, { recursive: true, force: true });
}

/** The folders on the way to it, the outermost first. */
function foldersOf(state: string, names: CachePath): readonly string[] {
  const root = join(state, 'completion');
  return [root, ...names.slice(0, -1).map((_, index) => join(root, ...names.slice(0, index + 1)))];
}

function pathIn(folders: readonly string[], names: CachePath): string {
  return join(folders.at(-1) ?? '', names.at(-1) ?? '');
}

/** `undefined` for everything but a file that may be ours: a pipe must hold nobody up, and a link leads elsewhere. */
function readOwn(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > LARGEST) return undefined;
  return readFileSync(path, 'utf8');
}

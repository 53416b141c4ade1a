import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const PRIVATE = 0o600;

/** What `replaceFile` writes before it renames, after the name of the file. */
const draftEnd = /^\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

/**
 * Puts a text in the place of a file in one step, for its owner alone under any umask: whoever reads meanwhile, and
 * whatever happens, finds the old text or the new one, both whole.
 *
 * @param lasting whether it must be on the disk itself before this returns, so that a power cut does not take it.
 * @throws the system's error; then the old text stands and nothing is left beside it.
 */
export function replaceFile(path: string, text: string, { lasting }: { readonly lasting: boolean }): void {
  const draft = `${path}.${randomUUID()}.tmp`;
  const file = openSync(draft, 'wx', PRIVATE);
  try {
    try {
      fchmodSync(file, PRIVATE);
      writeFileSync(file, text);
      if (lasting) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (cause) {
    removeQuietly(draft);
    throw cause;
  }
  if (lasting) syncFolder(dirname(path));
}

/**
 * Removes what writers of this file that were killed left beside it.
 *
 * @param olderThanMs what is younger may be in use; 0 where a lock keeps other writers away.
 * @throws the system's error.
 */
export function sweepDrafts(path: string, olderThanMs: number): void {
  for (const draft of draftsOf(path, olderThanMs)) rmSync(draft, { force: true });
}

/**
 * What writers of this file left beside it, as paths.
 *
 * @throws the system's error.
 */
export function draftsOf(path: string, olderThanMs: number): readonly string[] {
  const name = basename(path);
  return readdirSync(dirname(path))
    .filter((each) => each.startsWith(name) && draftEnd.test(each.slice(name.length)))
    .map((each) => join(dirname(path), each))
    .filter((draft) => ageOf(draft) >= olderThanMs);
}

/** What comes from the future was written before the clock was set back. */
function ageOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? 0 : Math.abs(Date.now() - found.mtimeMs);
}

/** The new text is in place by now, and not every file system can do this: what fails here is no failure to write. */
function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {}
}

/** Another error is at hand; whoever writes next sweeps. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

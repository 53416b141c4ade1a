import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError, codeOf } from '../model/errors.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** The end of the names of drafts: those of `replaceFile`, and those of conf. */
const draftEnd = /\.(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp|tmp-\d{10}[\da-f]{6})$/;

/** Whether a file with this name is a draft: that of a process that writes it now, or was killed. */
export function isDraft(name: string): boolean {
  return draftEnd.test(name);
}

/**
 * Replaces the text of a file atomically. Only its owner may read it, under any umask.
 *
 * @param options.lasting whether it must be on the disk before this returns (fsync), to survive a power cut.
 * @throws the system's error; then the old text stays and no draft is left.
 */
export function replaceFile(path: string, text: string, { lasting }: { readonly lasting: boolean }): void {
  const draft = join(dirname(path), `${basename(path)}.${randomUUID()}.tmp`);
  writeNew(draft, text, lasting);
  try {
    moveIntoPlace(draft, path);
  } catch (cause) {
    quietly(() => rmSync(draft, { force: true }));
    throw cause;
  }
  // The new text is in place already: what fails here is not a failure to write.
  if (lasting) quietly(() => syncFolder(dirname(path)));
}

/** Windows does not rename over a file that a virus scanner or a reader holds: repeats for a second or so, as conf does. */
function moveIntoPlace(draft: string, path: string, pauseMs = 10): void {
  try {
    renameSync(draft, path);
  } catch (cause) {
    if (pauseMs > 640 || !['EPERM', 'EBUSY', 'EACCES'].includes(codeOf(cause) ?? '')) throw cause;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    moveIntoPlace(draft, path, pauseMs * 2);
  }
}

/**
 * Writes a file that does not exist yet, for its owner alone, under any umask.
 *
 * @throws the system's error: EEXIST for whatever has that name, links included. Then nothing is left.
 */
export function writeNew(path: string, text: string, lasting: boolean): void {
  const file = openSync(path, 'wx', PRIVATE_FILE);
  try {
    try {
      fchmodSync(file, PRIVATE_FILE);
      writeFileSync(file, text);
      if (lasting) fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    quietly(() => rmSync(path, { force: true }));
    throw cause;
  }
}

/**
 * Removes the drafts that killed writers of this file left.
 *
 * @param olderThanMs younger drafts may be in use; 0 under a lock.
 * @throws the system's error.
 */
export function sweepDrafts(path: string, olderThanMs: number): void {
  const start = basename(path);
  for (const name of readdirSync(dirname(path))) {
    const draft = join(dirname(path), name);
    const isOfFile = draftEnd.test(name) && name.replace(draftEnd, '') === start;
    if (isOfFile && ageOf(draft) >= olderThanMs) rmSync(draft, { force: true });
  }
}

/** Milliseconds since a change of a file, or 0. A time in the future means that the clock was set back since. */
export function ageOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? 0 : Math.abs(Date.now() - found.mtimeMs);
}

/**
 * Makes the names in a folder durable.
 *
 * @throws the system's error, but where the system cannot open or sync folders: it keeps names by itself.
 */
export function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (!['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM', 'EACCES'].includes(codeOf(cause) ?? '')) throw cause;
  }
}

/** Runs work whose failure does no harm. @returns its result; `undefined` when it fails. */
export function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/**
 * Makes sure that a folder of ours exists and only its owner may look into it.
 *
 * @throws {CliError} `symlink` when it is a symbolic link; the system's error.
 */
export function preparePrivateFolder(folder: string): void {
  refuseLink(folder);
  if (!makePrivateFolder(folder)) closeToOthers(folder);
}

/** Removes all rights of others; the rights of the owner stay, because a read-only folder may be intended. */
export function closeToOthers(path: string): void {
  const { mode } = lstatSync(path);
  if ((mode & 0o077) !== 0) chmodSync(path, mode & PRIVATE_FOLDER);
}

/**
 * Makes a folder, and missing ones above it, for their owner alone under any umask. Node's recursive mkdir never ends where
 * the system refuses to make any.
 *
 * @returns whether it was made, and not there before.
 * @throws the system's error.
 */
export function makePrivateFolder(folder: string): boolean {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return false;
  try {
    return makeOne(folder);
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT' || dirname(folder) === folder) throw cause;
    makePrivateFolder(dirname(folder));
    return makeOne(folder);
  }
}

/** Another process may make the folder at the same time. */
function makeOne(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER });
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST' && statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      return false;
    throw cause;
  }
  // Under some umasks its owner could not use it.
  chmodSync(folder, PRIVATE_FOLDER);
  return true;
}

/**
 * Refuses symbolic links.
 *
 * @throws {CliError} `symlink` when the path is a symbolic link.
 */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new CliError('symlink', `${path} is a symbolic link; innctl does not write through it.`, {
    hint: 'Put the real thing there, or set INNCTL_CONFIG_DIR to where it is.',
  });
}

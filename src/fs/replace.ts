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
import { codeOf } from '../cli/errors.ts';

const PRIVATE = 0o600;

/** The end of the names of drafts: those of `replaceFile`, and those of conf. */
const draftEnd = /\.(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp|tmp-\d{10}[\da-f]{6})$/;

/** Whether a file with this name is a draft: that of a process that writes it now, or was killed. */
export function isDraft(name: string): boolean {
  return draftEnd.test(name);
}

/** Bytes of the name of a file that leave room for that: file systems allow 255. */
const LONGEST_START = 214;

/**
 * Replaces the text of a file atomically. Only its owner may read it, under any umask.
 *
 * @param options.lasting whether it must be on the disk before this returns (fsync), to survive a power cut.
 * @throws the system's error; then the old text stays and no draft is left.
 */
export function replaceFile(path: string, text: string, { lasting }: { readonly lasting: boolean }): void {
  const draft = join(dirname(path), `${draftStart(path)}.${randomUUID()}.tmp`);
  writeNew(draft, text, lasting);
  try {
    renameSync(draft, path);
  } catch (cause) {
    quietly(() => rmSync(draft, { force: true }));
    throw cause;
  }
  // The new text is in place already: what fails here is not a failure to write.
  if (lasting) quietly(() => syncFolder(dirname(path)));
}

/**
 * Writes a file that does not exist yet, for its owner alone, under any umask.
 *
 * @throws the system's error: EEXIST for whatever has that name, links included. Then nothing is left.
 */
export function writeNew(path: string, text: string, lasting: boolean): void {
  const file = openSync(path, 'wx', PRIVATE);
  try {
    try {
      fchmodSync(file, PRIVATE);
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

/** The first part of the names of a file's drafts: the name of the file, shortened if a draft's would be too long. */
function draftStart(path: string): string {
  const name = basename(path);
  return Buffer.byteLength(name) <= LONGEST_START ? name : name.slice(0, 64);
}

/**
 * Removes the drafts that killed writers of this file left.
 *
 * @param olderThanMs younger drafts may be in use; 0 under a lock.
 * @throws the system's error.
 */
export function sweepDrafts(path: string, olderThanMs: number): void {
  const start = draftStart(path);
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

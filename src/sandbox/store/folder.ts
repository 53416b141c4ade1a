import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../files/folder.ts';
import { refuseLink } from '../../files/link.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** New logs not yet in place, and the tombstones of dead locks. */
const temporary = /^state\.ndjson\.([0-9a-f-]+\.tmp|lock\.\d+-\d+)$/;

/** Where the sandbox keeps its log. */
export function statePath(folder: string): string {
  return join(folder, 'state.ndjson');
}

/** Makes the folder, for its owner alone under any umask. @throws {CliError} when it is a symbolic link. */
export function prepareFolder(folder: string): void {
  refuseLink(folder);
  makeFolder(folder, FOLDER_MODE);
  if ((lstatSync(folder).mode & 0o777) !== FOLDER_MODE) chmodSync(folder, FOLDER_MODE);
}

/** Opens the log for reading and writing. @throws {CliError} when it is a symbolic link. */
export function openState(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  } catch (cause) {
    if (isSystemError(cause) && cause.code === 'ELOOP') refuseLink(path);
    throw cause;
  }
}

/** Puts a new log into place in one step: whoever reads meanwhile sees the old one or the new one. */
export function replaceState(folder: string, lines: Iterable<Uint8Array>): void {
  const path = statePath(folder);
  refuseLink(path);
  const fresh = `${path}.${randomUUID()}.tmp`;
  const file = openSync(fresh, 'wx', FILE_MODE);
  try {
    fchmodSync(file, FILE_MODE);
    for (const line of lines) writeWhole(file, line);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Writes all bytes, from the given offset or where the file stands. */
export function writeWhole(file: number, bytes: Uint8Array, offset: number | null = null): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, offset === null ? null : offset + done);
  }
}

/** What killed processes left behind. */
export function leftovers(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => temporary.test(name))
    .map((name) => join(folder, name));
}

/** Narrows to an error of the operating system. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

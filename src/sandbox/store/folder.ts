import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../error-code.ts';
import { refuseLink } from '../../files/link.ts';

const FILE_MODE = 0o600;

/** New logs not yet in place. */
const temporary = /^state\.ndjson\.[0-9a-f-]+\.tmp$/;

/** Where the sandbox keeps its log. */
export function statePath(folder: string): string {
  return join(folder, 'state.ndjson');
}

/**
 * Opens the log for reading and writing, or for reading where the file system takes no writes.
 *
 * @throws {CliError} when it is a symbolic link; the system's errors.
 */
export function openState(path: string): number {
  try {
    return openNode(path, constants.O_RDWR);
  } catch (cause) {
    if (codeOf(cause) === 'EROFS') return openNode(path, constants.O_RDONLY);
    if (codeOf(cause) === 'ELOOP') refuseLink(path);
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

/** Neither follows a link nor waits for somebody at the other end of a pipe. */
function openNode(path: string, access: number): number {
  return openSync(path, access | constants.O_NOFOLLOW | constants.O_NONBLOCK);
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

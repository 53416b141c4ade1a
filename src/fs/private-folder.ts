import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, codeOf } from '../cli/errors.ts';

const PRIVATE = 0o700;

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
  if ((mode & 0o077) !== 0) chmodSync(path, mode & PRIVATE);
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
    mkdirSync(folder, { mode: PRIVATE });
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST' && statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      return false;
    throw cause;
  }
  // Under some umasks its owner could not use it.
  chmodSync(folder, PRIVATE);
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

import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../error-code.ts';
import { refuseLink } from './link.ts';

const PRIVATE = 0o700;

/**
 * Makes sure that a folder of ours is there and that nobody but its owner may look into it.
 *
 * @throws {CliError} `symlink` when it is a symbolic link; the system's error.
 */
export function preparePrivateFolder(folder: string): void {
  refuseLink(folder);
  if (!makePrivateFolder(folder)) closeToOthers(folder);
}

/**
 * Makes a folder and those above it that are missing, for their owner alone under any umask.
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

/** Takes all rights of others away; what the owner may do stays, so that who made it read-only finds it so. */
export function closeToOthers(path: string): void {
  const { mode } = lstatSync(path);
  if ((mode & 0o077) !== 0) chmodSync(path, mode & PRIVATE);
}

/** Of two processes that make it at once, one finds it there. */
function makeOne(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: PRIVATE });
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST' && lstatSync(folder).isDirectory()) return false;
    throw cause;
  }
  chmodSync(folder, PRIVATE);
  return true;
}

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../error-code.ts';

/**
 * Makes a folder and those above it that are missing; Node's own way never ends where the system makes none.
 *
 * @returns whether it was made, and not there before.
 * @throws the system's error.
 */
export function makeFolder(folder: string, mode: number): boolean {
  if (isFolder(folder)) return false;
  try {
    return made(folder, mode);
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT' || dirname(folder) === folder) throw cause;
    makeFolder(dirname(folder), mode);
    return made(folder, mode);
  }
}

function made(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    // Another process was faster.
    if (codeOf(cause) === 'EEXIST' && isFolder(folder)) return false;
    throw cause;
  }
  return true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

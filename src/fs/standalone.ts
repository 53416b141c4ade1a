import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { getAsset, isSea } from 'node:sea';

/** Whether this is the standalone executable, which contains Node and the files of the package, and has no keyring. */
export function isStandalone(): boolean {
  return isSea();
}

/** A file of the package. The standalone executable contains it under its name. */
export function readOwnFile(path: string): Buffer {
  return isStandalone() ? Buffer.from(getAsset(basename(path))) : readFileSync(path);
}

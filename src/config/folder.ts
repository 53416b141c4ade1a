import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { makeFolder } from '../files/folder.ts';
import { refuseLink } from '../files/link.ts';

const PRIVATE = 0o700;

/**
 * Makes sure that the folder is there and that only its owner may look into it.
 * A folder that was given to innctl but holds other things keeps its mode.
 *
 * @throws {CliError} `symlink` when it is a symbolic link.
 */
export function prepareFolder(folder: string): void {
  refuseLink(folder);
  const made = makeFolder(folder, PRIVATE);
  const isOpen = (lstatSync(folder).mode & 0o777) !== PRIVATE;
  if (isOpen && (made || isOurs(folder))) chmodSync(folder, PRIVATE);
}

function isOurs(folder: string): boolean {
  const ours = /^(config|credentials)\.json|^state$/;
  return basename(folder) === 'innctl' || readdirSync(folder).every((name) => ours.test(name));
}

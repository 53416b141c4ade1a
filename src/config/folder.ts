import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { refuseLink } from '../files/link.ts';
import { closeToOthers, makePrivateFolder } from '../files/private-folder.ts';

/**
 * Makes sure that the folder is there and that only its owner may look into it.
 * A folder that was given to innctl but holds other things keeps its mode.
 *
 * @throws {CliError} `symlink` when it is a symbolic link; the system's error.
 */
export function prepareFolder(folder: string): void {
  refuseLink(folder);
  if (!makePrivateFolder(folder) && isOurs(folder)) closeToOthers(folder);
}

function isOurs(folder: string): boolean {
  const ours = /^(config|credentials)\.json|^state$/;
  return basename(folder) === 'innctl' || readdirSync(folder).every((name) => ours.test(name));
}

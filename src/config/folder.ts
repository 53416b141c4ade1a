import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { CliError } from '../errors.ts';

const PRIVATE = 0o700;

/**
 * Makes sure that the folder is there and that only its owner may look into it.
 * A folder that was given to innctl but holds other things keeps its mode.
 *
 * @throws {CliError} `symlink` when it is a symbolic link.
 */
export function prepareFolder(folder: string): void {
  refuseLink(folder);
  const made = mkdirSync(folder, { recursive: true, mode: PRIVATE }) !== undefined;
  const isOpen = (lstatSync(folder).mode & 0o777) !== PRIVATE;
  if (isOpen && (made || isOurs(folder))) chmodSync(folder, PRIVATE);
}

/**
 * Refuses to work on a name that leads elsewhere.
 *
 * @throws {CliError} `symlink` when the path is a symbolic link.
 */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new CliError('symlink', `${path} is a symbolic link; innctl does not write through it.`, {
    hint: 'Put the real thing there, or set INNCTL_CONFIG_DIR to where it is.',
  });
}

function isOurs(folder: string): boolean {
  const ours = /^(config|credentials)\.json|^state$/;
  return basename(folder) === 'innctl' || readdirSync(folder).every((name) => ours.test(name));
}

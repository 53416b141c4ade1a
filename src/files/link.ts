import { lstatSync } from 'node:fs';
import { CliError } from '../errors.ts';

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

import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CliError, codeOf } from '../cli/errors.ts';
import { withLock } from '../fs/lock.ts';
import { closeToOthers, makePrivateFolder, refuseLink } from '../fs/private-folder.ts';
import { writeReasonOf } from '../fs/read.ts';
import { sweepDrafts } from '../fs/replace.ts';

/**
 * Reads, changes and writes one of our files under its lock.
 *
 * @param path of a `.json` file.
 * @param write replaces the file atomically, with mode 0600.
 * @throws {CliError} `config_not_written` when it cannot be written; the old file stays.
 */
export async function rewrite<T extends object>(
  path: string,
  read: () => T,
  change: (before: T) => T,
  write: (after: T) => void,
  signal: AbortSignal,
): Promise<void> {
  const update = () => {
    // Under the lock, all drafts are from killed writers; they may contain secrets.
    sweepDrafts(path, 0);
    const before = read();
    const after = change(before);
    if (after === before) return;
    refuseLink(path);
    write(after);
  };
  try {
    prepareFolder(dirname(path));
    await withLock(path, update, { signal });
  } catch (cause) {
    throw writingFailed(path, cause);
  }
}

/** Turns a system error into a `config_not_written`; returns any other cause unchanged. */
export function writingFailed(path: string, cause: unknown): unknown {
  if (codeOf(cause) === undefined || cause instanceof CliError) return cause;
  return new CliError('config_not_written', `Could not write ${path}: ${writeReasonOf(cause)}.`, {
    cause,
    hint: 'Set INNCTL_CONFIG_DIR to a writable folder.',
  });
}

/**
 * Creates the folder if needed, and closes it to other users.
 * A folder that contains files of others keeps its mode.
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

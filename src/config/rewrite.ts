import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CliError, codeOf } from '../cli/errors.ts';
import { withLock } from '../fs/lock.ts';
import { closeToOthers, makePrivateFolder, refuseLink } from '../fs/private-folder.ts';
import { reasonOf } from '../fs/read.ts';
import { replaceFile, sweepDrafts } from '../fs/replace.ts';

interface Rewrite<T extends object> {
  /** A `.json` file. */
  readonly path: string;

  readonly read: () => T;
  readonly change: (before: T) => T;
  readonly signal: AbortSignal;
}

/**
 * Reads, changes and replaces one of our files under a lock, atomically, with mode 0600.
 *
 * @throws {CliError} `config_not_written` when it cannot be written; the old file stays.
 */
export async function rewrite<T extends object>({ path, read, change, signal }: Rewrite<T>): Promise<void> {
  try {
    prepareFolder(dirname(path));
    await withLock(path, () => update({ path, read, change }), { signal });
  } catch (cause) {
    throw writingFailed(path, cause);
  }
}

function update<T extends object>({ path, read, change }: Omit<Rewrite<T>, 'signal'>): void {
  // Under the lock, all drafts are from killed writers; they may contain secrets.
  sweepDrafts(path, 0);
  const before = read();
  const after = change(before);
  if (after !== before) replace(path, after);
}

/** Turns a system error into a `config_not_written`; returns any other cause unchanged. */
export function writingFailed(path: string, cause: unknown): unknown {
  return codeOf(cause) === undefined || cause instanceof CliError ? cause : notWritten(path, cause);
}

function replace(path: string, content: object): void {
  refuseLink(path);
  replaceFile(path, `${JSON.stringify(content, undefined, 2)}\n`, { lasting: true });
}

function notWritten(path: string, cause: unknown): CliError {
  return new CliError('config_not_written', `Could not write ${path}: ${reasonOf(cause)}.`, {
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

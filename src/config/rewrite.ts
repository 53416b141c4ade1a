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
  /** What it holds now. */
  readonly read: () => T;
  readonly change: (before: T) => T;
  readonly signal: AbortSignal;
}

/**
 * Reads, changes and replaces one of our files: under a lock, atomically, for its owner alone.
 *
 * @throws {CliError} `config_not_written` when the disk refuses; what was there stays.
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
  // No other process writes now: drafts, which may hold secrets, are of dead writers.
  sweepDrafts(path, 0);
  const before = read();
  const after = change(before);
  if (after !== before) replace(path, after);
}

/** What the system says of one of our files, as an error with something to do about it; anything else as it is. */
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
    hint: 'Set INNCTL_CONFIG_DIR to a folder that can be written.',
  });
}

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

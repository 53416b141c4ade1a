import { dirname } from 'node:path';
import { codeOf } from '../error-code.ts';
import { CliError } from '../errors.ts';
import { refuseLink } from '../files/link.ts';
import { takeLock } from '../files/lock.ts';
import { reasonOf } from '../files/reason.ts';
import { replaceFile, sweepDrafts } from '../files/replace.ts';
import { prepareFolder } from './folder.ts';

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
    const release = await takeLock(path, signal);
    try {
      // Nobody else writes now: what writers left behind, secrets among it, is of the dead.
      sweepDrafts(path, 0);
      const before = read();
      const after = change(before);
      if (after !== before) replace(path, after);
    } finally {
      release();
    }
  } catch (cause) {
    throw writingFailed(path, cause);
  }
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

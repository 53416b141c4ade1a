import { rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Conf from 'conf';
import { codeOf } from '../error-code.ts';
import { CliError } from '../errors.ts';
import { refuseLink } from '../files/link.ts';
import { takeLock } from '../files/lock.ts';
import { reasonOf } from '../files/reason.ts';
import { prepareFolder } from './folder.ts';
import { sweep } from './leftovers.ts';

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
      // Nothing in here waits, so that no timer of this process finds the lock held.
      sweep(dirname(path));
      const before = read();
      const after = change(before);
      if (after !== before) replace(path, after);
    } finally {
      release();
    }
  } catch (cause) {
    throw codeOf(cause) === undefined || cause instanceof CliError ? cause : notWritten(path, cause);
  }
}

function replace(path: string, content: object): void {
  refuseLink(path);
  const text = `${JSON.stringify(content, undefined, 2)}\n`;
  proveRoom(path, text);
  const store = new Conf({
    cwd: dirname(path),
    configName: basename(path, '.json'),
    configFileMode: 0o600,
    serialize: () => text,
    // The file was read and checked already; conf has nothing to take over from it.
    deserialize: () => ({}),
  });
  store.store = { ...content };
}

/** conf overlooks a write that a full disk cut short, and would put the torn text into place. */
function proveRoom(path: string, text: string): void {
  const trial = join(dirname(path), `${basename(path)}.trial`);
  rmSync(trial, { force: true });
  try {
    writeFileSync(trial, text, { mode: 0o600, flag: 'wx' });
  } finally {
    rmSync(trial, { force: true });
  }
}

function notWritten(path: string, cause: unknown): CliError {
  return new CliError('config_not_written', `Could not write ${path}: ${reasonOf(cause)}.`, {
    cause,
    hint: 'Set INNCTL_CONFIG_DIR to a folder that can be written.',
  });
}

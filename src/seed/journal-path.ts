import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hashOf } from '../model/canonical.ts';
import type { RunAbout } from './journal-line.ts';
import { type Target, writtenTarget } from './target.ts';

/** What identifies a journal: command, files, service and account. */
export interface RunIdentity extends RunAbout {
  readonly target: Target;
}

/** The default folder of journals. */
export function runsFolder(state: string): string {
  return join(state, 'runs');
}

/**
 * The path of a run's journal: one file for each identity. An existing file under the account's former name is used.
 *
 * @param named the path given by --journal.
 */
export function journalPath(state: string, { command, files, target }: RunIdentity, named?: string): string {
  if (named !== undefined) return resolve(named);
  const pathFor = (account: string) => {
    const digest = hashOf({ ...writtenTarget({ ...target, account }), command, files });
    return join(runsFolder(state), `${digest.slice(0, 32)}.ndjson`);
  };
  const path = pathFor(target.account);
  if (target.former_account === undefined || existsSync(path)) return path;
  const former = pathFor(target.former_account);
  return existsSync(former) ? former : path;
}

/**
 * Files as a journal names them: absolute, with symbolic links resolved; stdin is `-` and the current folder.
 */
export function absoluteFiles(files: readonly string[]): readonly string[] {
  return files.map((file) => (file === '-' ? `-${realPath('.')}` : realPath(file)));
}

/** The folder in which a run read stdin; `undefined` for a named file. */
export function stdinFolder(file: string): string | undefined {
  return file.startsWith('-') ? file.slice(1) : undefined;
}

/** A missing file keeps its name: reading it reports the error. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

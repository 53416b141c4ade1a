import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hashOf } from '../model/canonical.ts';
import type { RunAbout } from './journal-line.ts';
import { type Target, writtenTarget } from './target.ts';

/** What makes two runs one and the same: the same command, files, service and account. */
export interface RunIdentity extends RunAbout {
  readonly target: Target;
}

/** The folder of the journals that have no place of their own. */
export function runsFolder(state: string): string {
  return join(state, 'runs');
}

/**
 * Where a run keeps its journal: one file for each identity. One from before accounts had their current names
 * stays where it is.
 *
 * @param named from --journal, which says where instead.
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
 * Files as a journal names them: absolute, the same by whichever links they were reached; stdin is `-` and the folder in which
 * it was read.
 */
export function absoluteFiles(files: readonly string[]): readonly string[] {
  return files.map((file) => (file === '-' ? `-${realPath('.')}` : realPath(file)));
}

/** The folder in which a run read its stdin; `undefined` for a file that has a name. */
export function stdinFolder(file: string): string | undefined {
  return file.startsWith('-') ? file.slice(1) : undefined;
}

/** What cannot be found keeps its name: reading it says why. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

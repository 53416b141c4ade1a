import { join, resolve } from 'node:path';
import { hashOf } from './canonical.ts';
import type { RunCommand } from './journal-lines.ts';
import type { Target } from './target.ts';

/** What makes two runs one and the same: the same command, files and service. */
export interface RunIdentity {
  readonly command: RunCommand;
  /** As `absoluteFiles` names them. */
  readonly files: readonly string[];
  readonly target: Target;
}

/** The folder of the journals that have no place of their own. */
export function runsFolder(state: string): string {
  return join(state, 'runs');
}

/** Where a run keeps its journal unless --journal says where: one file for each identity. */
export function journalPath(state: string, { command, files, target }: RunIdentity): string {
  const { identityUrl: identity_url, baseUrl: base_url } = target;
  const digest = hashOf({ identity_url, base_url, command, files });
  return join(runsFolder(state), `${digest.slice(0, 32)}.ndjson`);
}

/** Files as a journal names them: absolute; stdin is `-` and the folder in which it was read. */
export function absoluteFiles(files: readonly string[]): readonly string[] {
  return files.map((file) => (file === '-' ? `-${resolve('.')}` : resolve(file)));
}

/** The folder in which a run read its stdin; `undefined` for a file that has a name. */
export function stdinFolder(file: string): string | undefined {
  return file.startsWith('-') ? file.slice(1) : undefined;
}

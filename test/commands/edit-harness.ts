import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { World } from '../../src/cli/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Result, type Situation } from '../helpers/cli.ts';

/** Maps the text in the editor to the new text. */
export type Edit = (text: string) => string | Promise<string>;

/** An editor that applies the next edit each time it is opened, and exits with 0. */
export function editing(...edits: readonly Edit[]): World['edit'] {
  const left = [...edits];
  return async (_command, file) => {
    const edit = left.shift();
    if (edit === undefined) throw new Error('the editor was opened once more');
    writeFileSync(file, await edit(readFileSync(file, 'utf8')));
    return 0;
  };
}

/** Replaces strings, each of which must occur. */
export function replacing(...pairs: readonly (readonly [before: string, after: string])[]): Edit {
  return (text) =>
    pairs.reduce((rest, [before, after]) => {
      if (!rest.includes(before)) throw new Error(`the text has no "${before}":\n${rest}`);
      return rest.replace(before, () => after);
    }, text);
}

/** A temporary folder with its own settings and sandbox, removed at the end of its scope. */
export interface Desk extends AsyncDisposable {
  readonly folder: string;
  innctl(line: string | readonly string[], situation?: Situation): Promise<Result>;
  /** The record in the sandbox. */
  stored(noun: 'properties' | 'users', id: string): Promise<unknown>;
  /** The file names of the kept texts. */
  kept(): Promise<readonly string[]>;
}

/** The id in the name of every text file. */
export const UUID = '11111111-2222-4333-8444-555555555555';

/** Opens a desk. */
export async function openDesk(): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const innctl: Desk['innctl'] = (line, situation = {}) =>
    cli(line, {
      folder,
      connect: connectUndici,
      ...situation,
      env: { EDITOR: 'ed', NO_COLOR: '1', ...situation.env },
    });
  return {
    folder,
    innctl,
    stored: async (noun, id) => JSON.parse((await innctl(['--sandbox', noun, 'get', id, '--json'])).stdout),
    kept: () => readdir(join(folder, 'state', 'edits')).catch(() => []),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readConfig } from '../../src/config/file.ts';
import { bundled } from '../helpers/bundled.ts';
import { leaveLock } from './left-lock.ts';
import { test } from './with-folder.ts';

const script = await bundled(join(import.meta.dirname, 'writer.ts'));

async function write(folder: string, name: string, count: number): Promise<number> {
  const child = spawn(process.execPath, [script, folder, name, String(count)], {
    stdio: 'inherit',
  });
  const [exitCode] = await once(child, 'exit');
  return exitCode;
}

test('eight concurrent writers lose no change, although a stale lock exists', {
  timeout: 60_000,
}, async ({ folder }) => {
  const names = ['ana', 'ben', 'cleo', 'dan', 'eva', 'finn', 'gita', 'hugo'];
  await leaveLock(join(folder, 'config.json'));

  const exits = await Promise.all(names.map((name) => write(folder, name, 15)));

  const wanted = names.flatMap((name) => Array.from({ length: 15 }, (_, index) => `${name}-${index}`));
  expect(exits).toEqual(names.map(() => 0));
  expect(Object.keys(readConfig(folder).profiles).sort()).toEqual(wanted.sort());
  expect(readdirSync(folder)).toEqual(['config.json']);
});

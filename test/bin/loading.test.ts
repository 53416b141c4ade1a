import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, openHome } from './home.ts';

const preload = join(import.meta.dirname, 'loaded.cjs');

/** The bundled packages that a run loads, in alphabetical order; the first line of each file in dist/ names its own. */
async function packagesLoadedBy(...args: readonly string[]): Promise<readonly string[]> {
  await using home = await openHome();
  await writeFile(join(home.folder, 'hotel.yaml'), 'code: HAM\n');
  const LOADED_FILES = join(home.folder, 'loaded.json');
  await home.run([process.execPath, '--require', preload, binary, ...args], { env: { LOADED_FILES } });
  const files: readonly string[] = JSON.parse(await readFile(LOADED_FILES, 'utf8'));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const names = texts.flatMap(
    (text) => /^.*\/\/ contains (.*): see NOTICE/.exec(text)?.[1]?.split(', ') ?? [],
  );
  return [...new Set(names)].sort();
}

const light = ['@commander-js/extra-typings', 'commander', 'fastest-levenshtein', 'valibot'];

test.each([
  { line: '--version', packages: light },
  { line: '--help', packages: light },
  { line: 'invitations create --help', packages: light },
  { line: 'profiles list', packages: light },
])('$line loads only what reads a command line and a settings file', async ({ line, packages }) => {
  expect(await packagesLoadedBy(...line.split(' '))).toEqual(packages);
});

test.each([
  { line: '--sandbox invitations list', packages: ['@hono/node-server', 'hono', 'undici'] },
  { line: '--sandbox invitations list --output table', packages: ['cli-table3'] },
  { line: '--sandbox roles list --query count', packages: ['@jmespath-community/jmespath'] },
  { line: '--sandbox properties create --file hotel.yaml', packages: ['yaml'] },
])('$line loads what it needs when it needs it', async ({ line, packages }) => {
  expect(await packagesLoadedBy(...line.split(' '))).toEqual(expect.arrayContaining(packages));
});

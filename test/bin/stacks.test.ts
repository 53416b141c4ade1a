import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chunkOf } from '../../src/cli/cached-code.ts';
import { type Home, openHome, root } from './home.ts';

/** Installs a package, one of whose files throws when it is loaded. */
async function installBroken(home: Home, file: string) {
  const folder = join(home.folder, 'package');
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await writeFile(join(folder, 'dist', file), chunkOf("throw new Error('broken on purpose');"));
  return (...args: readonly string[]) => home.run([process.execPath, join(folder, 'bin/innctl.js'), ...args]);
}

/** Whether the line exists in the sources. */
async function isInSources(place: string): Promise<boolean> {
  const [path = '', line = ''] = place.split(':');
  return (await readFile(join(root, path), 'utf8')).split('\n').length >= Number(line);
}

test.each([
  { file: 'libraries.js', what: 'within a run', source: 'src/cli/connection.ts' },
  { file: 'core.js', what: 'that is not caught', source: 'src/cli/start.ts' },
])('the stack of an error $what has source positions', async ({ file, source }) => {
  await using home = await openHome();
  const innctl = await installBroken(home, file);

  const { exitCode, stdout, stderr } = await innctl('--sandbox', 'properties', 'list');

  const places = [...stderr.matchAll(/\b(src\/[\w/-]+\.ts:\d+):\d+/g)].map(([, place = '']) => place);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain('error: Error: broken on purpose\n');
  expect(stderr).toContain('hint: This is a bug in innctl');
  expect(places.some((place) => place.startsWith(`${source}:`))).toBe(true);
  expect(await Promise.all(places.map(isInSources))).not.toContain(false);
});

test('the stack in a JSON error has source positions', async () => {
  await using home = await openHome();
  const innctl = await installBroken(home, 'libraries.js');

  const { stderr } = await innctl('--sandbox', 'properties', 'list', '--json');

  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'internal',
    stack: expect.stringMatching(/src\/cli\/connection\.ts:\d+/),
  });
});

test('an installation without source maps still reports the error', async () => {
  await using home = await openHome();
  const innctl = await installBroken(home, 'libraries.js');
  await writeFile(join(home.folder, 'package/dist/maps.json'), '{');

  expect((await innctl('--sandbox', 'properties', 'list')).stderr).toContain('innctl:libraries.js:1:7');
});

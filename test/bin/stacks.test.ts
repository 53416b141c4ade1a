import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chunkOf } from '../../src/cli/cached-code.ts';
import { type Home, openHome, root } from './home.ts';

/** A package, one of whose files throws when it is read. */
async function installBroken(home: Home, file: string) {
  const folder = join(home.folder, 'package');
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await writeFile(join(folder, 'dist', file), chunkOf("throw new Error('broken on purpose');"));
  return (...args: readonly string[]) => home.run([process.execPath, join(folder, 'bin/innctl.js'), ...args]);
}

/** Whether there is such a line in the sources. */
async function isInSources(place: string): Promise<boolean> {
  const [path = '', line = ''] = place.split(':');
  return (await readFile(join(root, path), 'utf8')).split('\n').length >= Number(line);
}

test.each([
  { file: 'libraries.js', what: 'within a run', source: 'src/cli/connection.ts' },
  { file: 'core.js', what: 'that nobody catches', source: 'src/cli/start.ts' },
])('the stack of an error $what names the sources', async ({ file, source }) => {
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

test('as JSON the stack names the sources as well', async () => {
  await using home = await openHome();
  const innctl = await installBroken(home, 'libraries.js');

  const { stderr } = await innctl('--sandbox', 'properties', 'list', '--json');

  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'internal',
    stack: expect.stringMatching(/src\/cli\/connection\.ts:\d+/),
  });
});

test('an installation without source maps still tells the error', async () => {
  await using home = await openHome();
  const innctl = await installBroken(home, 'libraries.js');
  await writeFile(join(home.folder, 'package/dist/maps.json'), '{');

  expect((await innctl('--sandbox', 'properties', 'list')).stderr).toContain('innctl:libraries.js:1:7');
});

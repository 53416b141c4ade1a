import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Home, openHome, root } from './home.ts';

/** Installs a package, one of whose files throws when it is loaded. */
async function installBroken(home: Home, file: string) {
  const folder = join(home.folder, 'package');
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await writeFile(join(folder, 'dist', file), "throw new Error('broken on purpose');");
  return (...args: readonly string[]) => home.run([process.execPath, join(folder, 'bin/innctl.js'), ...args]);
}

test.each([
  { file: 'sandbox.js', what: 'within a run', caller: 'openConnection' },
  { file: 'core.js', what: 'that is not caught', caller: 'start.js:' },
])('the stack of an error $what names the functions of the sources', async ({ file, caller }) => {
  await using home = await openHome();
  const innctl = await installBroken(home, file);

  const { exitCode, stdout, stderr } = await innctl('--sandbox', 'properties', 'list');

  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain('error: Error: broken on purpose\n');
  expect(stderr).toContain(caller);
  expect(stderr).toContain('hint: This is a bug in innctl');
  // Not the text of the file, which Node prints for an error that nobody catches.
  expect(stderr).not.toContain('throw new Error');
});

test('the stack in a JSON error names the functions of the sources', async () => {
  await using home = await openHome();
  const innctl = await installBroken(home, 'sandbox.js');

  const { stderr } = await innctl('--sandbox', 'properties', 'list', '--json');

  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'internal',
    stack: expect.stringMatching(/openConnection \(.*dist\/service\.js:\d+:\d+\)/),
  });
});

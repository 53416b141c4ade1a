import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { aliased } from '../../scripts/build/aliases.mts';
import { bundled } from '../helpers/bundled.ts';
import { hotels } from '../helpers/cli.ts';
import { openHome, root } from './home.ts';

const prepare = join(root, 'scripts/prepare.mjs');
const done = { exitCode: 0, stdout: '', stderr: '' };

test('concurrent builds leave a complete program, which works throughout', async () => {
  await using home = await openHome();
  let building = true;
  const builds = Promise.all([1, 2, 3].map(() => home.run([process.execPath, prepare]))).finally(() => {
    building = false;
  });

  const failures = [];
  while (building) {
    const { exitCode, stderr } = await home.innctl(['--sandbox', 'properties', 'list']);
    if (exitCode !== 0) failures.push(stderr);
  }

  expect(await builds).toEqual([done, done, done]);
  expect(failures).toEqual([]);
});

test('every file that the built files require exists', async () => {
  const dist = join(root, 'dist');
  const names = await readdir(dist);
  const scripts = names.filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(scripts.map((name) => readFile(join(dist, name), 'utf8')));

  // The bundler may rename `require` in a module.
  const required = texts.flatMap((text) => [...text.matchAll(/\brequire[\w$]*\(["'`]\.\.?\/([^"'`]+)/g)]);
  expect(required.length).toBeGreaterThan(5);
  expect(required.map(([, path]) => path).filter((path) => !names.includes(path ?? ''))).toEqual([]);
});

test('the bundler drops no call from a try block whose catch depends on it', async () => {
  const dist = join(root, 'dist');
  const scripts = (await readdir(dist)).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(scripts.map((name) => readFile(join(dist, name), 'utf8')));

  const checks = texts.flatMap(
    (text) => text.match(/try \{\s+decodeURIComponent\(\w+\);\s+return true;\s+\} catch/g) ?? [],
  );
  const emptied = texts.flatMap((text) => text.match(/\btry \{\s*(?:return(?: [\w!]+)?;?)?\s*\}/g) ?? []);

  expect(checks.length).toBeGreaterThan(0);
  expect(emptied).toEqual([]);
});

test('a program that tests bundle has the same checks', async () => {
  await using home = await openHome();
  const program = await bundled(join(root, 'src/cli/main.ts'));
  const start = `import('${program}').then(({ main }) => main())`;

  const ended = await home.run([process.execPath, '-e', start, 'innctl', 'api', 'GET', '/x/%zz'], {
    env: hotels,
  });

  expect([ended.exitCode, ended.stderr]).toEqual([
    2,
    expect.stringMatching(/^error: path: .*broken percent encoding/),
  ]);
});

test.each([
  ['a schema', "{ cwd: '.', schema: { timeout: { type: 'number' } } }", 'conf was given a schema'],
  ['no folder', "{ projectName: 'innctl' }", 'conf was given no folder'],
])(
  'the conf of the build, which has no ajv and no env-paths, throws if it is given %s',
  async (_, options, message) => {
    await using home = await openHome();
    const entry = join(home.folder, 'entry.mjs');
    await writeFile(
      entry,
      `import Conf from '${root}/node_modules/conf/dist/source/index.js';\nnew Conf(${options});\n`,
    );
    const built = await rolldown({ input: entry, platform: 'node', plugins: [aliased()] });
    await built.write({ file: join(home.folder, 'entry.cjs'), format: 'cjs', codeSplitting: false });

    const { exitCode, stderr } = await home.run([process.execPath, 'entry.cjs']);

    expect({ exitCode, isThrown: stderr.includes(`Error: ${message}`) }).toEqual({
      exitCode: 1,
      isThrown: true,
    });
  },
);

test.each([
  {
    dist: 'fails without a build',
    build: false,
    ended: {
      exitCode: 1,
      stdout: '',
      stderr:
        'error: innctl is built from its sources with its development packages, and they are left out.\n' +
        'hint: Run npm ci without --omit=dev, or install the package that npm pack makes.\n',
    },
  },
  { dist: 'keeps an existing build', build: true, ended: done },
])('an installation without development packages $dist', async ({ build, ended }) => {
  await using home = await openHome();
  await mkdir(join(home.folder, 'scripts'));
  await mkdir(join(home.folder, 'dist'));
  await copyFile(prepare, join(home.folder, 'scripts/prepare.mjs'));
  if (build) await writeFile(join(home.folder, 'dist/start.js'), '');

  expect(await home.run([process.execPath, 'scripts/prepare.mjs'])).toEqual(ended);
});

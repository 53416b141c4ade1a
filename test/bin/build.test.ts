import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import { expect, inject, test } from 'vitest';
import { keepAll } from '../../scripts/build/bundle.mts';
import { collectSessions, type Session, writeHome } from '../../scripts/replay/lines.mts';
import { runSessions } from '../../scripts/replay/runs.mts';
import { bundled } from '../helpers/bundled.ts';
import { hotels } from '../helpers/cli.ts';
import { binary, openHome, root } from './home.ts';

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

/** Builds the sources as one file that requires the packages as they are: nothing is replaced or left out. @returns its folder. */
async function buildOfSources(): Promise<string> {
  const folder = join(inject('programs'), 'sources');
  await mkdir(join(folder, 'bin'), { recursive: true });
  await copyFile(binary, join(folder, 'bin/innctl.js'));
  await symlink(join(root, 'completions'), join(folder, 'completions'));
  await build({
    input: join(root, 'src/cli/start.ts'),
    platform: 'node',
    external: /^[^./]/,
    logLevel: 'silent',
    ...keepAll.input,
    output: {
      ...{ ...keepAll.output, format: 'cjs', codeSplitting: false, dynamicImportInCjs: false },
      file: join(folder, 'dist/start.js'),
    },
  });
  return folder;
}

/** The sessions of the replay, and a line of each command that they lack; each line that serves waits for a signal. */
async function sessionsOfCommands(): Promise<readonly Session[]> {
  const all = await collectSessions(root);
  const sessions = all.filter(({ source }) => source === 'sessions.txt');
  const typed = sessions.flatMap(({ lines }) => lines).join('\n');
  const commandOf = (line: string) => /^innctl [a-z-]+(?: [a-z]\S+)?/.exec(line)?.[0] ?? '';
  const isLacking = ({ source, lines: [line = ''] }: Session) =>
    source === 'reference' && !typed.includes(commandOf(line)) && line !== 'innctl sandbox serve';
  return [...sessions, ...all.filter(isLacking)];
}

test('the built files print, send and exit as the sources do with whole packages', async () => {
  const sessions = await sessionsOfCommands();
  const files = join(inject('programs'), 'files');
  await writeHome(root, files);
  const resultsOf = async (program: string) => {
    const results = new Map<string, unknown>();
    await runSessions(program, sessions, files, ({ lines }, ended) => {
      for (const [index, line] of lines.entries())
        results.set(`${lines[0]}, ${index + 1}: ${line}`, ended[index]);
    });
    return results;
  };

  const built = await resultsOf(root);
  const own = await resultsOf(await buildOfSources());

  const done = [...own].filter(([, result]) => Object(result).exitCode === 0);
  expect(done.length).toBeGreaterThan(80);
  expect(built).toEqual(own);
}, 300_000);

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

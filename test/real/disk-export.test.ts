import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { binary, type Ended, type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { DRAFT, withKnownDrafts } from './disk-drafts.ts';

const words = ['--sandbox', 'export', '--kind', 'property', '--split', 'hotels'];
const files = ['BER.yaml', 'MUC.yaml', 'VIE.yaml'];

beforeAll(setup);

test.each([
  ['the first', 1],
  ['the second', 2],
])(
  'an export that is killed before the rename of %s file leaves each file old or new, and complete',
  async (_, when) => {
    await using home = await exported();
    const fresh = await textsIn(home);
    await writeOld(home);

    const killed = await runWithFault(home, `rename:signal=SIGKILL:when=${when}`);

    expect(killed.exitCode).toBe(null);
    const found = await textsIn(home);
    expect(found.filter((text, index) => text === fresh[index])).toHaveLength(when - 1);
    expect(found.filter((text) => text === 'old\n')).toHaveLength(files.length - when + 1);
  },
);

test('the drafts of a killed export are deleted by a later one, but not recent ones, which may be in use', async () => {
  await using home = await exported();
  const killed = await runWithFault(home, 'rename:signal=SIGKILL:when=1');
  const [left = ''] = await draftsIn(home);
  const young = `MUC.yaml.${DRAFT}.tmp`;
  await utimes(join(propertiesOf(home), left), 0, 0);
  await writeFile(join(propertiesOf(home), young), 'of another export');

  const ended = await home.innctl(words);

  expect([killed.exitCode, ended.exitCode]).toEqual([null, 0]);
  expect(left).toMatch(/^BER\.yaml\..*\.tmp$/);
  expect(await draftsIn(home)).toEqual([young]);
});

test('a full disk is reported with the file, which keeps its old text', async () => {
  await using home = await exported();
  await writeOld(home);
  const path = join('hotels', 'properties', 'BER.yaml');

  const ended = await home.run([
    'bash',
    '-c',
    `trap '' XFSZ; ulimit -f 0; exec "$@" 2>&1 | cat`,
    'bash',
    process.execPath,
    binary,
    ...words,
  ]);

  expect(ended.stdout).toContain(`error: Could not write ${path}: `);
  expect(await textsIn(home)).toEqual(files.map(() => 'old\n'));
  expect(await draftsIn(home)).toEqual([]);
});

test.each([
  ['rename', 'EIO', 'what is behind it fails (EIO)'],
  ['openat', 'EROFS', 'the file system is read-only (EROFS)'],
])('%s: %s is reported with the file; it and later files stay unchanged', async (call, error, reason) => {
  await using home = await openHome();
  await writeOld(home);
  const folder = join('hotels', 'properties');
  const only = ['-P', join(folder, `MUC.yaml.${DRAFT}.tmp`)];

  const ended = await runWithFault(home, `${call}:error=${error}`, only);

  expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ended.stderr).toContain(`error: Could not write ${join(folder, 'MUC.yaml')}: ${reason}`);
  expect((await textsIn(home)).map((text) => text === 'old\n')).toEqual([false, true, true]);
  expect(await draftsIn(home)).toEqual([]);
});

test('an export to /dev/full fails', async () => {
  await using home = await openHome();
  const line = '"$@" > /dev/full';

  const ended = await home.run(['bash', '-c', line, 'bash', process.execPath, binary, '--sandbox', 'export']);

  expect(ended).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('ENOSPC') });
});

test('four concurrent exports into one folder leave complete files and no drafts', async () => {
  await using home = await exported();
  const fresh = await textsIn(home);
  await writeOld(home);

  const ended = await Promise.all(Array.from({ length: 4 }, () => home.innctl(words)));

  expect(ended.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: 4 }, () => 0));
  expect(await textsIn(home)).toEqual(fresh);
  expect(await draftsIn(home)).toEqual([]);
});

function propertiesOf({ folder }: Home): string {
  return join(folder, 'hotels', 'properties');
}

/** A home with an export of the properties of the sandbox. */
async function exported(): Promise<Home> {
  const home = await openHome();
  await mkdir(join(home.folder, 'hotels'));
  expect(await home.innctl(words)).toMatchObject({ exitCode: 0 });
  return home;
}

function runWithFault(home: Home, inject: string, only: readonly string[] = []): Promise<Ended> {
  const [name = ''] = inject.split(':');
  const rule = ['-e', `trace=${name}`, '-e', `inject=${inject}`];
  const trace = ['env', withKnownDrafts, 'strace', '-f', '-qq', '-o', '/dev/null', ...only, ...rule];
  return home.run([...trace, process.execPath, binary, ...words]);
}

/** Writes an old text into each file. */
async function writeOld(home: Home): Promise<void> {
  await mkdir(propertiesOf(home), { recursive: true });
  await Promise.all(files.map((name) => writeFile(join(propertiesOf(home), name), 'old\n')));
}

function textsIn(home: Home): Promise<readonly string[]> {
  return Promise.all(files.map((name) => readFile(join(propertiesOf(home), name), 'utf8')));
}

async function draftsIn(home: Home): Promise<readonly string[]> {
  return (await readdir(propertiesOf(home))).filter((name) => name.endsWith('.tmp'));
}

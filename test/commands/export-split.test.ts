import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freeName, safeName } from '../../src/commands/export/write.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels } from '../helpers/cli.ts';

let folder = '';
let target = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  target = join(folder, 'hotels');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const innctl = (...words: readonly string[]) =>
  cli(['--sandbox', ...words], { folder, connect: connectUndici });

const split = (...words: readonly string[]) => innctl('export', '--split', target, ...words);

async function filesIn(path: string): Promise<readonly string[]> {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  return found
    .filter((each) => !each.isDirectory())
    .map((each) => join(each.parentPath, each.name).slice(path.length + 1))
    .sort();
}

test('writes a file per entry in a folder per kind, and nothing to stdout', async () => {
  const result = await split('--property', 'MUC');

  expect(result).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `Exported 1 property, 1 invitation and 4 users to ${target}.\n`,
  });
  expect(await filesIn(target)).toEqual([
    'invitations/lea.wagner@aurora.example.yaml',
    'properties/MUC.yaml',
    'users/ben@aurora.example.yaml',
    'users/emma@aurora.example.yaml',
    'users/hanna@aurora.example.yaml',
    'users/ivan@aurora.example.yaml',
  ]);
  expect(await readFile(join(target, 'users/emma@aurora.example.yaml'), 'utf8')).toBe(
    'kind: user\nemail: emma@aurora.example\nproperties:\n  - MUC\nproperty_roles:\n  - id: MUC\n    roles:\n      - PropertyAdmin\nenabled: true\n',
  );
});

test.each(['csv', 'ndjson'])('%s writes one file for properties and one for people', async (format) => {
  await split('-o', format);

  expect(await filesIn(target)).toEqual([`people.${format}`, `properties.${format}`]);
});

test('--json prints a summary and writes JSON files', async () => {
  const { exitCode, stdout, stderr } = await split('--json');

  expect({ exitCode, stderr, facts: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    stderr: '',
    facts: { folder: target, files: 19, properties: 3, invitations: 4, users: 12 },
  });
  expect(JSON.parse(await readFile(join(target, 'properties/BER.json'), 'utf8'))).toMatchObject({
    kind: 'property',
    code: 'BER',
  });
});

test('files of the same names are replaced, and a warning names other manifest files', async () => {
  await mkdir(join(target, 'properties/old'), { recursive: true });
  await writeFile(join(target, 'properties/BER.yaml'), 'old');
  await writeFile(join(target, 'properties/old/HAM.yml'), 'old');
  await writeFile(join(target, 'README.md'), 'old');
  await writeFile(join(target, '.hidden.yaml'), 'old');

  const { exitCode, stderr } = await split('--kind', 'property');

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr:
      `warning: ${target} contains other manifest files, which this export did not write: properties/old/HAM.yml.\n` +
      `Exported 3 properties, 0 invitations and 0 users to ${target}.\n`,
  });
  expect(await readFile(join(target, 'properties/BER.yaml'), 'utf8')).toMatch(/^kind: property\ncode: BER\n/);
  expect(await readFile(join(target, 'properties/old/HAM.yml'), 'utf8')).toBe('old');
});

test('the warning names at most ten files', async () => {
  await mkdir(target);
  for (let number = 10; number < 23; number += 1) await writeFile(join(target, `H${number}.csv`), '');

  const { stderr } = await split('--kind', 'property');

  expect(stderr).toContain(
    'H10.csv, H11.csv, H12.csv, H13.csv, H14.csv, H15.csv, H16.csv, H17.csv, H18.csv, H19.csv and 3 more.\n',
  );
});

test('a folder that cannot be searched for other files is a warning', async () => {
  const deep = join(target, ...Array.from({ length: 50 }, () => 'a'));
  await mkdir(deep, { recursive: true });

  const { exitCode, stderr } = await split('--kind', 'property');

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr:
      `warning: ${deep} is nested deeper than 50 folders.\n` +
      `Exported 3 properties, 0 invitations and 0 users to ${target}.\n`,
  });
});

test('a second export changes no file and adds none', async () => {
  await split();
  const texts = async () =>
    Promise.all(
      (await filesIn(target)).map(async (path) => [path, await readFile(join(target, path), 'utf8')]),
    );
  const before = await texts();

  const { stderr } = await split();

  expect(stderr).toBe(`Exported 3 properties, 4 invitations and 12 users to ${target}.\n`);
  expect(await texts()).toEqual(before);
});

test('files are not written through a symbolic link in the folder', async () => {
  const elsewhere = join(folder, 'elsewhere');
  await mkdir(elsewhere);
  await mkdir(target);
  await symlink(elsewhere, join(target, 'properties'));

  const result = await split('--kind', 'property');

  expect(result).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      `error: ${join(target, 'properties')} is a symbolic link; innctl does not write through it.\n` +
      'hint: Remove the link, or use another folder.\n',
  });
  expect(await readdir(elsewhere)).toEqual([]);
});

test('a symbolic link in place of a file is replaced, and its target is unchanged', async () => {
  const elsewhere = join(folder, 'elsewhere.yaml');
  await writeFile(elsewhere, 'mine');
  await mkdir(join(target, 'properties'), { recursive: true });
  await symlink(elsewhere, join(target, 'properties/BER.yaml'));

  expect((await split('--kind', 'property')).exitCode).toBe(0);

  await expect(readlink(join(target, 'properties/BER.yaml'))).rejects.toThrow('EINVAL');
  expect(await readFile(elsewhere, 'utf8')).toBe('mine');
});

test('the folder itself may be a symbolic link', async () => {
  await mkdir(join(folder, 'real'));
  await symlink(join(folder, 'real'), target);

  expect((await split('-o', 'csv')).exitCode).toBe(0);

  expect(await filesIn(join(folder, 'real'))).toEqual(['people.csv', 'properties.csv']);
});

test.each(['a\u001b[2Jb', 'a\nb', 'a\u202eb', 'a\u200bb'])(
  'a folder name with control or invisible characters is rejected: %j',
  async (name) => {
    const { exitCode, stdout, stderr } = await cli(['export', '--split', join(folder, name)], {
      env: hotels,
    });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: --split takes the name of a folder, and .+ has control or invisible characters\.\n$/,
    );
  },
);

test('the error names a folder or file that cannot be written', async () => {
  await writeFile(target, 'a file');
  const onFile = await split();
  await rm(target);
  await mkdir(join(target, 'properties.csv'), { recursive: true });
  const onFolder = await split('-o', 'csv');

  expect(onFile).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `error: --split cannot write into "${target}": it is not a folder.\n`,
  });
  expect({ exitCode: onFolder.exitCode, stderr: onFolder.stderr }).toEqual({
    exitCode: 1,
    stderr: `error: Could not write ${join(target, 'properties.csv')}: it is a folder (EISDIR).\n`,
  });
  expect(await readdir(target)).toEqual(['properties.csv']);
});

test.each([
  ['BER', 'BER'],
  ['ana+x@example.com', 'ana+x@example.com'],
  ['a_b-c.d', 'a_b-c.d'],
  ['a/b\\c', 'a%2Fb%5Cc'],
  ['..', '%2E.'],
  ['.', '%2E'],
  ['.git', '%2Egit'],
  ['a b:c*?"<>|', 'a%20b%3Ac%2A%3F%22%3C%3E%7C'],
  ['100%', '100%25'],
  ['Zürich', 'Z%C3%BCrich'],
  ['🏨', '%F0%9F%8F%A8'],
  ['con', '%63on'],
  ['COM1.old', '%43OM1.old'],
  ['LPT', 'LPT'],
  ['console', 'console'],
  ['a\0b\n', 'a%00b%0A'],
  ['', '%'],
])('the file name of %j is %s', (text, name) => {
  expect(safeName(text)).toBe(name);
});

test('a very long name is truncated, and stays unique', () => {
  const [one, other] = ['a', 'b'].map((end) => safeName('x'.repeat(1_000) + end));

  expect(one).toHaveLength(209);
  expect(one).not.toBe(other);
});

test('names that differ only in case get a number', () => {
  const taken = new Set<string>();

  expect(['BER', 'ber', 'Ber', 'ber-2'].map((name) => freeName('', name, taken))).toEqual([
    'BER',
    'ber-2',
    'Ber-3',
    'ber-2-2',
  ]);
});

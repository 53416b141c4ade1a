import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read } from './reading.ts';

function user(name: string): string {
  return JSON.stringify({ subject_id: name, enabled: true });
}

async function names(...given: Parameters<typeof read>): Promise<readonly string[]> {
  const { entries, problems } = await read(...given);
  return [...problems, ...entries.map(({ name }) => name)];
}

test('a folder yields its manifests sorted by name, including subfolders, and ignores other files', async () => {
  const files = {
    'm/b.yaml': user('b'),
    'm/a/x.JSON': user('ax'),
    'm/c.csv': 'subject_id,enabled\nc,true\n',
    'm/README.md': 'x',
    'm/.hidden.yaml': user('hidden'),
    'm/.git/x.yaml': user('git'),
  };

  expect(await names(files, { paths: ['m'] })).toEqual(['ax', 'b', 'c']);
});

test('symlinks to folders are not followed, symlinks to files are, and pipes are skipped', async () => {
  const prepare = async (folder: string) => {
    await symlink(join(folder, 'm'), join(folder, 'm/circle'));
    await symlink(join(folder, 'm/circle'), join(folder, 'm/circle.yaml'));
    await symlink(join(folder, 'other.json'), join(folder, 'm/linked.json'));
    execFileSync('mkfifo', [join(folder, 'm/pipe.yaml')]);
  };

  expect(await names({ 'm/a.yaml': user('a'), 'other.json': user('o') }, { paths: ['m'], prepare })).toEqual([
    'a',
    'o',
  ]);
});

test('a dangling symlink is reported', async () => {
  const prepare = (folder: string) => symlink('nowhere', join(folder, 'm/x.yaml'));

  expect(await names({ 'm/a.yaml': user('a') }, { paths: ['m'], prepare })).toEqual([
    'm/x.yaml: cannot be read: there is no such file (ENOENT)',
  ]);
});

test.each([
  [
    'a folder without manifests',
    ['m'],
    'm: has no files that end in .yaml, .yml, .json, .ndjson, .jsonl, .csv, .xlsx',
  ],
  ['a missing file', ['m/none.yaml'], 'm/none.yaml: cannot be read: there is no such file (ENOENT)'],
  [
    'an unknown file extension',
    ['m/a.md'],
    'm/a.md: is a .md file; save it as .csv or .xlsx, or as one of .yaml, .yml, .json, .ndjson, .jsonl, .csv, .xlsx',
  ],
  ['stdin given twice', ['-', '-'], 'stdin (-) is given twice; it can be read once.'],
])('%s is rejected', async (_, paths, problem) => {
  expect(await names({ 'm/a.md': '' }, { paths })).toEqual([problem]);
});

test.each([
  ['JSON', ` {"users":[\n${user('a')}]}`],
  ['NDJSON', `${user('a')}\n\n${user('b')}\n`],
  ['CSV', 'subject_id,enabled\na,true\n'],
  ['CSV with semicolons and quotes', '"subject_id";"enabled"\r\n"a";true\r\n'],
  ['YAML', 'users:\n  - subject_id: a\n    enabled: true\n'],
])('the format of stdin is detected from its first characters: %s', async (_, stdin) => {
  const { entries, problems } = await read({}, { paths: ['-'], stdin });

  expect(problems).toEqual([]);
  expect(entries[0]?.place.file).toBe('stdin');
});

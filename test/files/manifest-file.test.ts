import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rowOf, workbookOf } from '../helpers/workbook.ts';
import { read } from './reading.ts';

const ana = 'email: ana@example.com\n';

/** Files of a folder that a project of hotels may have besides. */
const others = {
  'package.json': '{ "name": "hotels", "author": { "email": "ana@example.com" }, "dependencies": {} }',
  'tsconfig.json': '{\n  // comments are no JSON\n  "compilerOptions": { "strict": true },\n}\n',
  'docker-compose.yml': 'services:\n  web:\n    image: nginx\n    email: ana@example.com\nvolumes: {}\n',
  'deployment.yaml': '---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\n',
  'playbook.yml': '- hosts: all\n  tasks:\n    - name: x\n      user: { name: ben }\n',
  'chart.yaml': 'name: {{ .Values.name }}\nitems: [\n',
  'openapi.yaml':
    'openapi: 3.1.0\ncomponents:\n  schemas:\n    Hotel:\n      properties:\n        code: { type: string }\n',
  'hotel.schema.json':
    '{ "$schema": "https://json-schema.org/draft/2020-12/schema", "properties": { "code": {} } }',
  'plan.json': '{ "summary": {}, "plan": {}, "count": 0, "items": [{ "kind": "property", "name": "BER" }] }',
  'strings.json': '["a", "b"]',
  'empty.yaml': '',
  'comments.yaml': '# properties:\n#   - code: BER\n',
  'README.csv': 'file,what it is\nhotels.yaml,our hotels\n',
  'cities.csv': 'name;city;country\nBerlin;Berlin;DE\n',
  'empty.csv': '',
  'log.ndjson': '{"level":"info","message":"started"}\n{"email":"x"}\n',
  'budget.xlsx': workbookOf(rowOf(1, ['month', 'amount'])),
};

test('of a folder only manifests are read, and the others are reported', async () => {
  const files = Object.entries(others).map(([name, text]) => [`m/${name}`, text] as const);

  const { entries, problems, skipped } = await read(
    { 'm/people.yaml': ana, ...Object.fromEntries(files) },
    { paths: ['m'] },
  );

  expect(problems).toEqual([]);
  expect(entries.map(({ name }) => name)).toEqual(['ana@example.com']);
  expect(skipped).toEqual(files.map(([name]) => name).toSorted());
});

test('a file of a folder that is too large is an error', async () => {
  const line = 'services: [a, b, c, d, e, f]\n';
  const many = line.repeat(Math.ceil(8_388_608 / line.length));

  const { problems } = await read({ 'm/people.yaml': ana, 'm/log.yaml': many }, { paths: ['m'] });

  expect(problems).toEqual([
    'm/log.yaml: is larger than 8 MiB; give it in several files; NDJSON and CSV may have 64 MiB',
  ]);
});

test('packages, hidden folders and the marks of open workbooks are not looked at', async () => {
  const { entries, skipped } = await read(
    {
      'm/people.yaml': ana,
      'm/node_modules/x/people.yaml': 'email: broken\n',
      'm/a/node_modules/people.json': '{',
      'm/.git/people.yaml': 'email: broken\n',
      'm/~$hotels.xlsx': 'Ana',
    },
    { paths: ['m'] },
  );

  expect([entries.map(({ name }) => name), skipped]).toEqual([['ana@example.com'], []]);
});

describe('every form of a manifest is found in a folder', () => {
  test.each([
    ['a.yaml', `invitations:\n  - ${ana}`],
    ['a.yml', `# people\n---\n"invitations":\n- ${ana}`],
    ['a.yaml', `- ${ana}`],
    ['a.yaml', `- role: Auditor\n  ${ana}`],
    ['a.yaml', '- { role: Auditor, email: ana@example.com }\n'],
    ['a.yaml', `kind: invitation\n${ana}`],
    ['a.yaml', `role: Auditor\n${ana}`],
    ['a.yaml', `users: []\n---\n${ana}`],
    ['a.yaml', '{ "email": "ana@example.com" }'],
    ['a.json', '{ "invitations": [{ "email": "ana@example.com" }] }'],
    ['a.json', '[{ "role": "Auditor", "email": "ana@example.com" }]'],
    ['a.jsonl', '\n{"role":"Auditor","email":"ana@example.com"}\n'],
    ['a.csv', 'role,email\nAuditor,ana@example.com\n'],
    ['a.csv', '\ufeffRolle;E-Mail\nAuditor;ana@example.com\n'],
    ['a.csv', 'kind,email\ninvitation,ana@example.com\n'],
    ['a.csv', Buffer.from('\ufeffE-Mail\tRolle\nana@example.com\tAuditor\n', 'utf16le')],
    ['a.csv', Buffer.from('\ufeffE-Mail\tRolle\nana@example.com\tAuditor\n', 'utf16le').swap16()],
    ['a.yaml', Buffer.from('\ufeffinvitations: [{ email: ana@example.com }]', 'utf16le')],
    ['a.xlsx', workbookOf(`${rowOf(1, ['Rolle', 'E-Mail'])}${rowOf(2, ['Auditor', 'ana@example.com'])}`)],
  ])('%s: %s', async (name, text) => {
    const { entries, problems } = await read({ [`m/${name}`]: text }, { paths: ['m'] });

    expect(problems).toEqual([]);
    expect(entries.map((entry) => entry.name)).toEqual(['ana@example.com']);
  });
});

describe('a broken manifest of a folder is an error', () => {
  test.each([
    ['invalid YAML', 'a.yaml', 'properties:\n  - code: [\n', /^m\/a.yaml: line \d+: /],
    [
      'a table in a Windows encoding',
      'a.csv',
      Buffer.from('email;role\nana@example.com;K\xfcche\n', 'latin1'),
      /^m\/a.csv: is not UTF-8 text/,
    ],
  ])('%s', async (_, name, text, problem) => {
    const { problems } = await read({ [`m/${name}`]: text, 'm/ok.yaml': 'users: []' }, { paths: ['m'] });

    expect(problems).toEqual([expect.stringMatching(problem)]);
  });
});

test('a file that is named is read, whatever it is', async () => {
  expect((await read({ 'm/package.json': others['package.json'] })).problems).toEqual([
    expect.stringMatching(/^m\/package.json: line 1: does not say what it is/),
  ]);
});

test('a folder without manifests is an error', async () => {
  const files = { 'm/package.json': others['package.json'], 'm/a/tsconfig.json': others['tsconfig.json'] };

  expect((await read(files, { paths: ['m'] })).problems).toEqual([
    'm: has no manifest: 2 files are no manifests (m/a/tsconfig.json, m/package.json)',
  ]);
});

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

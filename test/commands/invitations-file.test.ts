import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nock from 'nock';
import { beforeEach, expect, test } from 'vitest';
import { cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';

const ana = {
  email: 'ana@example.com',
  properties: ['BER', 'VIE'],
  is_account_admin: false,
  role: 'Housekeeping',
};

const yaml = `email: ana@example.com
properties: [BER, VIE]
is_account_admin: false
role: Housekeeping
`;

let folder = '';

beforeEach(async () => {
  folder = await temporaryFolder();
});

onlyIntercepted();
emptyAccount();

async function file(name: string, text: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const create = (path: string, ...more: readonly string[]) =>
  cli(['invitations', 'create', '--file', path, ...more], { env: hotels });

const invited = ended(0, 'Invited ana@example.com.\n');

const sends = (body: nock.DataMatcherMap) =>
  nock(IDENTITY).post('/api/v1/invitations', body).reply(200, { email: 'ana@example.com' });

test.each([
  ['YAML', 'ana.yaml', yaml],
  ['JSON', 'ana.json', JSON.stringify(ana)],
  ['JSON with a byte order mark', 'ana.JSON', `\ufeff${JSON.stringify(ana)}`],
])('an invitation is read from a file of %s', async (_, name, text) => {
  sends(ana);

  expect(await create(await file(name, text))).toEqual(invited);
});

test('flags override the file', async () => {
  sends({ email: 'ana@example.com', properties: ['MUC'], is_account_admin: true, role: 'Auditor' });

  const path = await file('ana.yaml', yaml);

  expect(
    await create(
      path,
      'ana@example.com',
      '--role',
      'Auditor',
      '--property',
      'MUC',
      '--is-account-admin',
      '--yes',
    ),
  ).toEqual(invited);
});

test('file values overridden by a flag are not validated', async () => {
  sends({ email: 'ana@example.com', properties: ['BER'], role: 'Auditor' });

  const path = await file('ana.json', JSON.stringify({ email: 'ana@example.com', properties: 7, role: 7 }));

  expect(await create(path, '--role', 'Auditor', '--properties', 'BER')).toEqual(invited);
});

test('plain YAML scalars are strings, and duplicate properties are sent once', async () => {
  sends({ email: 'ana@example.com', properties: ['007', 'NO', '1e3'], is_account_admin: true, role: '12' });

  const text = 'email: ana@example.com\nproperties: [007, NO, 007, 1e3]\nis_account_admin: true\nrole: 12\n';

  expect(await create(await file('ana.yaml', text), '--yes')).toEqual(invited);
});

test('empty fields of a file are not sent', async () => {
  sends({ email: 'ana@example.com', is_account_admin: true });

  const text = 'email: ana@example.com\nproperties:\nis_account_admin: true\nrole: ~\nextra:\n';

  expect(await create(await file('ana.yaml', text), '--yes')).toEqual(invited);
});

test('the result of an invitation contains the fields of its file', async () => {
  sends({ ...ana, language: 'de' });

  const path = await file('ana.yaml', `${yaml}extra: { language: de }\n`);

  expect(JSON.parse((await create(path, '--json')).stdout)).toEqual({
    ...ana,
    language: 'de',
    invited: true,
  });
});

test('a terminal prompts for the fields that the file omits', async () => {
  nock(IDENTITY)
    .get('/api/v1/roles')
    .reply(200, { roles: ['AccountAdmin', 'Auditor'] });
  sends({ email: 'ana@example.com', properties: ['BER'], role: 'Auditor' });

  const path = await file('ana.yaml', 'email: ana@example.com\nproperties: [BER]\n');
  const result = await cli(['invite', 'create', '--file', path], { env: hotels, answers: ['Auditor', true] });

  expect(result.exitCode).toBe(0);
});

test.each<[string, string, string, string]>([
  ['no e-mail', 'a.yaml', 'role: Auditor', 'email: is missing'],
  ['an empty e-mail', 'a.yaml', 'email: ""', 'email: is missing'],
  ['a wrong e-mail', 'a.yaml', 'email: ana', 'a.yaml: email: "ana" is not an e-mail address'],
  [
    'another word for a boolean',
    'a.yaml',
    'is_account_admin: maybe',
    'a.yaml: is_account_admin: "maybe" is neither true nor false: write true or false',
  ],
])('a file with %s: exit 2 and nothing is sent', async (_, name, text, message) => {
  expect(await create(await file(name, text))).toEqual(ended(2, expect.stringContaining(message)));
});

test.each<[string, readonly string[], string]>([
  [
    'argument and flag',
    ['ana@example.com', '--email', 'ben@example.com'],
    'email "ana@example.com", --email "ben@example.com"',
  ],
  [
    'argument and file',
    ['ben@example.com', '--file', '-'],
    'email "ben@example.com", stdin: email "ana@example.com"',
  ],
  [
    'flag and file',
    ['--email', 'Ana@example.com', '--file', '-'],
    '--email "Ana@example.com", stdin: email "ana@example.com"',
  ],
])('differing addresses of %s are rejected', async (_, words, named) => {
  expect(await cli(['invitations', 'create', ...words], { env: hotels, stdin: yaml })).toEqual(
    ended(2, `error: The e-mail addresses differ (${named}); one person is invited at a time.\n`),
  );
});

test('all errors of file and flags are reported at once', async () => {
  const stdin = JSON.stringify({ email: 'ana', roles: 'Auditor', is_account_admin: 'maybe' });

  const result = await cli('invite create --file - --role " " --property a/b --properties BER, --json', {
    env: hotels,
    stdin,
  });

  expect(result.exitCode).toBe(2);
  expect(JSON.parse(result.stderr).error.details).toEqual([
    {
      field: 'stdin',
      reason: 'needs dialect apaleo (this profile uses contract) for 1 field (roles)',
    },
    { field: 'stdin: email', reason: '"ana" is not an e-mail address' },
    { field: 'stdin: roles', reason: 'must be a list of roles: [Housekeeping, Auditor]' },
    { field: 'stdin: is_account_admin', reason: '"maybe" is neither true nor false: write true or false' },
    { field: '--properties', reason: 'has an empty entry' },
    { field: '--property', reason: '"a/b" has characters that no id has' },
    { field: '--role', reason: 'must not be empty' },
  ]);
});

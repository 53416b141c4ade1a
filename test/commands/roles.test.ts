import nock from 'nock';
import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const roles = ['AccountAdmin', 'FrontDesk', 'Housekeeping'];

const answers = (status: number, body?: nock.Body) =>
  nock('https://identity.example.com', AUTH).get('/api/v1/roles').reply(status, body);

onlyIntercepted();

test.each<[string, nock.Body]>([
  ['bare names under a named key', { roles }],
  ['the contract’s envelope', { count: 3, items: roles.map((name) => ({ name })) }],
  ['a bare array', roles],
])('a role list is accepted as %s', async (_, body) => {
  answers(200, body);

  const result = await cli('roles list --json', { env: hotels });

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
    exitCode: 0,
    stdout: { count: 3, items: roles.map((name) => ({ name })) },
    stderr: '',
  });
});

test('without a terminal each role is one line', async () => {
  answers(200, { roles });

  expect(await cli('role ls', { env: hotels })).toEqual({
    exitCode: 0,
    stdout: 'AccountAdmin\nFrontDesk\nHousekeeping\n',
    stderr: '',
  });
});

test('JSON has unknown fields of a role, and tables show only the name', async () => {
  const body = { items: [{ name: 'Auditor', permissions: ['read'], isSystem: true }] };
  answers(200, body);
  answers(200, body);

  const json = await cli('roles list -o ndjson', { env: hotels });
  const rows = await cli('roles list', { env: hotels });

  expect(JSON.parse(json.stdout)).toEqual(body.items[0]);
  expect(rows.stdout).toBe('Auditor\n');
});

test('roles without a name are shown by their other fields', async () => {
  answers(200, { items: [{ id: 'aud', 'label\u001b': 'Auditor', grants: [] }, { id: 'hk' }] });

  const result = await cli('roles list', { env: { ...hotels, NO_COLOR: '1' }, columns: 80 });

  expect(result.stdout).toBe(
    [
      '┌─────┬─────────────┐',
      '│ id  │ label\\u{1b} │',
      '├─────┼─────────────┤',
      '│ aud │ Auditor     │',
      '│ hk  │ -           │',
      '└─────┴─────────────┘',
      '',
    ].join('\n'),
  );
});

test.each<[string, number, nock.Body | undefined]>([
  ['204 No Content', 204, undefined],
  ['an empty list', 200, { roles: [] }],
])('%s is an empty list', async (_, status, body) => {
  answers(status, body);

  expect(await cli('roles list --json', { env: hotels })).toEqual({
    exitCode: 0,
    stdout: '{\n  "count": 0,\n  "items": []\n}\n',
    stderr: '',
  });
});

test.each<[string, string]>([
  ['--limit 2', 'AccountAdmin\nFrontDesk\n'],
  ['--page-size 1 --page-number 2', 'FrontDesk\n'],
  ['--page-number 2', ''],
  ['--all', 'AccountAdmin\nFrontDesk\nHousekeeping\n'],
])('pagination flags apply locally, as the endpoint is not paginated: %s', async (flags, stdout) => {
  answers(200, { roles });

  expect((await cli(`roles list ${flags}`, { env: hotels })).stdout).toBe(stdout);
});

test('a list truncated by --limit is reported on stderr', async () => {
  answers(200, { roles });

  const result = await cli('roles list --limit 2 --json', { env: hotels });

  expect(result.stderr).toBe('');
  expect(JSON.parse(result.stdout)).toMatchObject({ count: 3, has_more: true });
});

test('unknown query parameters are sent unchanged', async () => {
  nock('https://identity.example.com')
    .get('/api/v1/roles?scope=property&scope=account')
    .reply(200, { roles });

  const result = await cli('roles list --param scope=property --param scope=account', { env: hotels });

  expect(result.exitCode).toBe(0);
});

test.each<[string, nock.Body]>([
  ['an object without a list', { people: [] }],
  ['a list of numbers', { roles: [1] }],
  ['a string', '"AccountAdmin"'],
  ['an object in the place of the list', { roles: { name: 'AccountAdmin' } }],
])('%s is rejected as a list of roles', async (_, body) => {
  answers(200, body);

  const result = await cli('roles list --json --max-attempts 1', { env: hotels });

  expect({ ...result, stderr: JSON.parse(result.stderr).error.code }).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'malformed_answer',
  });
});

test.each<[string, string]>([
  ['roles list Auditor', 'too many arguments'],
  ['roles list --limit 0', '--limit: "0" is not a whole number from 1'],
  ['roles list --page-size many', '--page-size: "many" is not a whole number from 1'],
  ['roles list --page-number 0', '--page-number: "0" is not a whole number from 1'],
  ['roles list --all --limit 5', '--all and --limit contradict each other'],
  ['roles list --param scope', '--param: "scope" is not name=value'],
  ['roles list --name Auditor', "unknown option '--name'"],
  ['roles create', "unknown command 'create'"],
  ['role lst', 'hint: innctl roles list\n'],
])('%s: exit code 2, and no request is sent', async (line, message) => {
  expect(await cli(line, { env: hotels })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining(message),
  });
});

test('the sandbox has roles', async () => {
  nock.enableNetConnect('127.0.0.1');

  const result = await cli('--sandbox roles list', { connect: connectUndici });

  expect({ exitCode: result.exitCode, lines: result.stdout.trimEnd().split('\n') }).toEqual({
    exitCode: 0,
    lines: [
      ...['AccountAdmin', 'PropertyAdmin', 'Accountant', 'RevenueManager', 'ReservationManager', 'FrontDesk'],
      ...['FrontDeskSenior', 'Housekeeping', 'HousekeepingManager', 'Auditor', 'StaffManager'],
    ],
  });
});

import nock from 'nock';
import { expect, test } from 'vitest';
import { AUTH, cli, hotels } from '../helpers/cli.ts';
import { printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

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

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
    printed({ count: 3, items: roles.map((name) => ({ name })) }),
  );
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

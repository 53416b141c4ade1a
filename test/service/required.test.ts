import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { invitation, property, unit, unitGroup, user } from '../helpers/records.ts';

onlyIntercepted();

/** Runs a line against a service whose answers to this path have the request id `r-7`. */
function asked(line: string, dialect: string, path: string, body: unknown) {
  const host = path.startsWith('/api') ? IDENTITY : API;
  const answer = nock(host).get(path).query(true).optionally();
  answer.reply(200, () => body, { 'X-Request-Id': 'r-7' });
  return cli(line, { env: { ...hotels, INNCTL_DIALECT: dialect, INNCTL_MAX_ATTEMPTS: '1' } });
}

const list = (...items: readonly object[]) => ({ count: items.length, items });
const PROPERTIES = '/inventory/v1/properties';
const USERS = '/api/v1/users';

describe('a record without a required field is malformed, and the error has the request id', () => {
  test.each<[dialect: string, line: string, path: string, body: unknown, lacks: string]>([
    ['contract', 'properties list', PROPERTIES, list({ id: 'BER' }), 'name'],
    ['contract', 'properties list', PROPERTIES, list({ id: null, name: 'Berlin' }), 'id'],
    ['contract', 'properties get BER', `${PROPERTIES}/BER`, { name: 'Berlin' }, 'id'],
    ['contract', 'users list', USERS, list({ email: 'ana@example.com' }), 'subject_id'],
    ['contract', 'users me', `${USERS}/me`, { email: 'ana@example.com' }, 'subject_id'],
    ['contract', 'invitations list', '/api/v1/invitations', list({ role: 'Auditor' }), 'email'],
    ['apaleo', 'properties list', PROPERTIES, list({ ...property, taxId: undefined }), 'tax_id'],
    ['apaleo', 'properties get BER', `${PROPERTIES}/BER`, { ...property, code: null }, 'code'],
    ['apaleo', 'users list', USERS, list({ ...user, enabled: undefined }), 'enabled'],
    ['apaleo', 'users me', `${USERS}/me`, { ...user, isAccountAdmin: undefined }, 'is_account_admin'],
    [
      'apaleo',
      'invitations list',
      '/api/v1/account/invitations',
      list({ ...invitation, created: undefined }),
      'created',
    ],
    [
      'apaleo',
      'unit-groups list',
      '/inventory/v1/unit-groups',
      list({ ...unitGroup, memberCount: undefined }),
      'member_count',
    ],
    ['apaleo', 'units get BER-201', '/inventory/v1/units/BER-201', { ...unit, status: undefined }, 'status'],
    ['apaleo', 'roles list', '/api/v1/roles', list({ id: 'r-1' }), 'name'],
  ])('%s: %s', async (dialect, line, path, body, lacks) => {
    const { exitCode, stdout, stderr } = await asked(`${line} --json`, dialect, path, body);

    expect({ exitCode, stdout, error: JSON.parse(stderr).error }).toMatchObject({
      exitCode: 1,
      stdout: '',
      error: { code: 'malformed_answer', request_id: 'r-7' },
    });
    expect(stderr).toContain(`it lacks ${lacks} (200 from `);
  });

  test.each([
    ['properties', 'BER'],
    ['properties', [7]],
    ['properties', [{ code: 'BER' }]],
    ['properties', [{ id: 'BER', roles: 'Auditor' }]],
    ['property_roles', { BER: ['Auditor'] }],
    ['property_roles', [{ id: 'BER', roles: [7] }]],
  ])('so is a user whose %s are %j', async (field, value) => {
    const listed = list({ subjectId: 'a-1', [field]: value });

    expect(await asked('users list', 'contract', USERS, listed)).toEqual(
      ended(1, expect.stringContaining(`its ${field} are no list of ids`)),
    );
  });
});

test.each<[dialect: string, line: string, path: string, record: object]>([
  ['contract', 'properties list', PROPERTIES, { id: 'BER', name: 'Berlin', stars: 4 }],
  ['contract', 'users list', USERS, { subject_id: 'a-1', shoeSize: 38 }],
  ['contract', 'invitations list', '/api/v1/invitations', { email: 'ana@example.com', mood: null }],
  ['contract', 'roles list', '/api/v1/roles', { anything: 1 }],
])(
  '%s: %s prints what is required alone, and unknown fields unchanged',
  async (dialect, line, path, record) => {
    expect(JSON.parse((await asked(`${line} --json`, dialect, path, list(record))).stdout).items).toEqual([
      record,
    ]);
  },
);

test('a list of unit groups needs no max_persons', async () => {
  const groups = list({ ...unitGroup, maxPersons: undefined });

  expect(await asked('unit-groups list -q', 'apaleo', '/inventory/v1/unit-groups', groups)).toEqual(
    printed(`${unitGroup.id}\n`),
  );
});

test('an optional field that is missing is not set: a user without properties gets the first one', async () => {
  const path = '/api/v1/identity/users/b-2';
  nock(IDENTITY).get(path).twice().reply(200, { subjectId: 'b-2', properties: null });
  nock(IDENTITY)
    .patch(path, [{ op: 'add', path: '/properties', value: ['VIE'] }])
    .reply(204);
  nock(IDENTITY)
    .get(path)
    .reply(200, { subjectId: 'b-2', properties: ['VIE'] });

  expect(await cli('users update b-2 --add-properties VIE --json', { env: hotels })).toMatchObject({
    exitCode: 0,
  });
});

test.each([[{ properties: [property], count: 1 }], [{ items: [property] }], [[property]]])(
  'every wrapper is read: %j',
  async (body) => {
    expect(await asked('properties list -q --page-number 1', 'apaleo', PROPERTIES, body)).toEqual(
      printed('BER\n'),
    );
  },
);

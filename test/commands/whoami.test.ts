import nock from 'nock';
import { describe, expect } from 'vitest';
import { jwt } from '../auth/login-world.ts';
import { test } from '../config/with-folder.ts';
import { cli } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { ACCESS, API, anaInBrowser, IDENTITY, machine, NOON, pasted, storeLogins } from './logins.ts';

onlyIntercepted();

const ana = { subject_id: 'ana-1', email: 'ana@example.com', first_name: 'Ana', nickname: 'A' };

const mockUsersMe = (token = ACCESS) =>
  nock(IDENTITY, { reqheaders: { authorization: `Bearer ${token}` } }).get('/api/v1/users/me');

/** The token server issues this token, and the service accepts it. */
const fetched = (token: string) => {
  nock(IDENTITY)
    .post('/connect/token')
    .reply(200, { access_token: token, token_type: 'Bearer', expires_in: 600 });
  nock(API, { reqheaders: { authorization: `Bearer ${token}` } })
    .get('/inventory/v1/properties/$count')
    .reply(200, { count: 3 });
};

const whoami = async (folder: string, more: object = {}) => {
  const { exitCode, stdout, stderr } = await cli('whoami --json', { folder, now: NOON, ...more });
  return { exitCode, stderr, ...(stdout === '' ? {} : { record: JSON.parse(stdout) }) };
};

describe('whoami', () => {
  test('shows the user of the service, with the profile', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    mockUsersMe().reply(200, ana);

    expect(await whoami(folder)).toEqual({
      exitCode: 0,
      stderr: '',
      record: { ...ana, type: 'user', profile: 'chain' },
    });
  });

  test('prints the subject id alone with --quiet', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });
    mockUsersMe().reply(200, ana);

    expect((await cli('whoami --quiet', { folder })).stdout).toBe('ana-1\n');
  });
});

describe('whoami with client credentials', () => {
  test('shows the claims of the token', async ({ folder }) => {
    await storeLogins(folder, { chain: machine });
    fetched(
      jwt({
        client_id: 'CHAIN-CI',
        account_code: 'AURORA',
        scope: ['setup.manage', 'properties.create'],
        exp: 1,
      }),
    );

    expect(await whoami(folder)).toEqual({
      exitCode: 0,
      stderr: '',
      record: {
        profile: 'chain',
        id: 'CHAIN-CI',
        type: 'client',
        client_id: 'CHAIN-CI',
        account: 'AURORA',
        scopes: ['setup.manage', 'properties.create'],
        expires_at: '2026-05-01T12:10:00.000Z',
      },
    });
  });

  test('shows the data of the login when the token is opaque', async ({ folder }) => {
    await storeLogins(folder, {
      chain: {
        ...machine,
        facts: { login: { method: 'client-credentials', who: { account: 'AURORA' }, scope: 'setup.manage' } },
      },
    });
    fetched('opaque-token-1234567890');

    expect((await whoami(folder)).record).toMatchObject({
      id: 'CHAIN-CI',
      account: 'AURORA',
      scopes: ['setup.manage'],
    });
  });

  test.for([
    ['claims of other types', { client_id: 7, account: { nested: true }, scope: 9, exp: 'soon' }],
    ['a number that is not a time', { exp: 1e300, scope: [null, 1, ''] }],
  ] as const)('omits invalid claims: %s', async ([, claims], { folder }) => {
    await storeLogins(folder, { chain: { ...machine, facts: {} } });
    fetched(jwt(claims));

    expect((await whoami(folder)).record).toEqual({
      profile: 'chain',
      id: 'CHAIN-CI',
      type: 'client',
      client_id: 'CHAIN-CI',
      expires_at: '2026-05-01T12:10:00.000Z',
    });
  });
});

describe('whoami with a token that may not read its user', () => {
  test('reports the token of a user', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    mockUsersMe().reply(403);
    nock(API).get('/inventory/v1/properties/$count').reply(200, { count: 3 });

    expect((await whoami(folder)).record).toMatchObject({
      id: 'ana-1',
      type: 'user',
      email: 'ana@example.com',
      client_id: 'CHAIN-APP',
    });
  });

  test('recognizes a client by its token', async ({ folder }) => {
    const token = jwt({ sub: 'CHAIN-CI', client_id: 'CHAIN-CI' });
    await storeLogins(folder, { chain: { ...pasted, secrets: { token } } });
    mockUsersMe(token).reply(403);
    nock(API).get('/inventory/v1/properties/$count').reply(200, { count: 3 });

    expect((await whoami(folder)).record).toEqual({
      profile: 'chain',
      id: 'CHAIN-CI',
      type: 'client',
      client_id: 'CHAIN-CI',
    });
  });
});

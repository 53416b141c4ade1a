import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { cli, hotels, memoryKeyring } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import {
  ACCESS,
  API,
  anaInBrowser,
  failingKeyring,
  IDENTITY,
  machine,
  NOON,
  pasted,
  storeLogins,
} from './logins.ts';

onlyIntercepted();

const ana = { subject_id: 'ana-1', email: 'ana@example.com', first_name: 'Ana' };

const currentUser = (token = ACCESS, identity = IDENTITY) =>
  nock(identity, { reqheaders: { authorization: `Bearer ${token}` } }).get('/api/v1/users/me');

const urls = { identity_url: IDENTITY, base_url: API };

const status = async (folder: string, line = 'auth status', more: object = {}) => {
  const { exitCode, stdout, stderr } = await cli(`${line} --json`, { folder, now: NOON, ...more });
  return { exitCode, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
};

describe('auth status', () => {
  test('shows the owner of a login, its storage, and that it is valid', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    currentUser().reply(200, ana);

    expect(await status(folder)).toEqual({
      exitCode: 0,
      stderr: '',
      count: 1,
      items: [
        {
          profile: 'chain',
          valid: 'yes',
          who: 'ana@example.com',
          subject: 'ana-1',
          client_id: 'CHAIN-APP',
          scopes: ['openid', 'offline_access'],
          expires_at: '2026-05-01T13:00:00.000Z',
          method: 'web',
          stored: 'file',
          ...urls,
        },
      ],
    });
  });

  test('shows the same on a terminal as a line, and the hint below a problem', async ({ folder }) => {
    await storeLogins(folder, {
      chain: anaInBrowser,
      inn: { ...pasted, settings: { identity_url: undefined } },
    });
    currentUser().reply(200, ana);

    const shown = await cli('auth status --color never', { folder, now: NOON, columns: 100 });

    expect(shown).toEqual({
      exitCode: 2,
      stderr: '',
      stdout: [
        '  ✓ chain: ana@example.com, web, in a file, expires in 1 hour',
        '  ! inn: identity_url: is missing in profile inn: both areas of the service need their URL',
        '      hint: innctl login, or use another profile: innctl profiles list',
        '',
      ].join('\n'),
    });
  });

  test('shows every profile that has a credential, even if others are invalid', async ({ folder }) => {
    const keyring = memoryKeyring();
    await storeLogins(
      folder,
      {
        broken: { ...pasted, settings: { base_url: 'nowhere' } },
        chain: anaInBrowser,
        empty: {},
        inn: { ...pasted, settings: { identity_url: undefined } },
        plant: machine,
      },
      keyring,
    );
    currentUser().reply(200, ana);
    nock(IDENTITY)
      .post('/connect/token')
      .reply(200, { access_token: 'fetched-by-plant-1', token_type: 'Bearer', expires_in: 600 });
    nock(API, { reqheaders: { authorization: 'Bearer fetched-by-plant-1' } })
      .get('/inventory/v1/properties/$count')
      .reply(200, { count: 3 });

    const { exitCode, items } = await status(folder, 'auth status', { keyring });

    expect(exitCode).toBe(2);
    expect(items).toMatchObject([
      {
        profile: 'broken',
        valid: 'unknown',
        error: { code: 'invalid_input', message: expect.stringContaining('base_url') },
      },
      { profile: 'chain', valid: 'yes', who: 'ana@example.com', stored: 'keyring' },
      {
        profile: 'inn',
        valid: 'unknown',
        stored: 'keyring',
        error: { code: 'invalid_input', message: expect.stringContaining('identity_url: is missing') },
      },
      {
        profile: 'plant',
        valid: 'yes',
        who: 'CHAIN-CI',
        method: 'client-credentials',
        stored: 'keyring',
        expires_at: '2026-05-01T12:10:00.000Z',
      },
    ]);
  });

  test('rejects an unknown profile', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });

    expect(await cli('auth status chian', { folder })).toEqual(
      ended(
        2,
        'error: There is no profile "chian". There are: chain, sandbox.\nhint: innctl profiles list\n',
      ),
    );
  });

  test('exits with 4 without a login', async () => {
    expect(await cli('auth status')).toEqual(ended(4, 'error: Not logged in.\nhint: innctl login\n'));
  });

  test('describes the sandbox', async ({ folder }) => {
    nock.enableNetConnect('127.0.0.1');

    const { exitCode, items } = await status(folder, 'auth status --sandbox', { connect: connectUndici });

    expect({ exitCode, items }).toEqual({
      exitCode: 0,
      items: [
        expect.objectContaining({ profile: 'sandbox', valid: 'yes', method: 'sandbox', stored: 'sandbox' }),
      ],
    });
  });
});

describe('a credential is invalid if', () => {
  const expectInvalid = async (folder: string, message: RegExp, more: object = {}) => {
    const { exitCode, items } = await status(folder, 'auth status', more);
    expect({ exitCode, items }).toEqual({
      exitCode: 4,
      items: [
        expect.objectContaining({
          profile: 'chain',
          valid: 'no',
          error: expect.objectContaining({ message: expect.stringMatching(message) }),
        }),
      ],
    });
  };

  test('the service rejects it', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });
    currentUser().reply(401);

    await expectInvalid(folder, /401/);
  });

  test('it has expired and has no refresh token', async ({ folder }) => {
    await storeLogins(folder, { chain: { ...anaInBrowser, secrets: { token: ACCESS } } });

    await expectInvalid(folder, /has ended, and it has no refresh token/, { now: NOON + 2 * 3_600_000 });
  });

  test('its keyring entry is missing', async ({ folder }) => {
    const keyring = memoryKeyring();
    await storeLogins(folder, { chain: pasted }, keyring);
    await keyring.remove('chain');

    await expectInvalid(folder, /has no credential/, { keyring });
  });

  test('its profile is named and has none', async ({ folder }) => {
    await storeLogins(folder, { chain: {} });

    const { exitCode, items } = await status(folder, 'auth status chain');

    expect({ exitCode, items }).toEqual({
      exitCode: 4,
      items: [expect.objectContaining({ valid: 'no', stored: 'nowhere' })],
    });
  });
});

describe('a credential that cannot be checked', () => {
  test.for([['503', 503, '']] as const)('because of %s exits with 7', async ([, code, body], { folder }) => {
    await storeLogins(folder, { chain: pasted });
    currentUser().reply(code, body);

    expect(await status(folder, 'auth status --max-attempts 1')).toMatchObject({
      exitCode: 7,
      items: [{ valid: 'unknown' }],
    });
  });

  test('because the keyring is locked exits with 4', async ({ folder }) => {
    const keyring = failingKeyring({ read: true });
    await storeLogins(folder, { chain: pasted }, keyring);

    expect(await status(folder, 'auth status', { keyring })).toMatchObject({
      exitCode: 4,
      items: [{ valid: 'unknown', error: { code: 'keyring_unavailable' } }],
    });
  });

  test('does not hide an invalid one: exit code 4 takes precedence', async ({ folder }) => {
    await storeLogins(folder, {
      chain: pasted,
      inn: { ...pasted, settings: { auth: 'token', identity_url: API } },
    });
    currentUser().reply(503);
    currentUser(ACCESS, API).reply(401);

    expect((await status(folder, 'auth status --max-attempts 1')).exitCode).toBe(4);
  });
});

describe('a credential of the environment', () => {
  test('is listed first, under the active profile', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });
    currentUser('token-of-the-environment-123').reply(200, { ...ana, email: 'ben@example.com' });
    currentUser().reply(200, ana);

    const { items } = await status(folder, 'auth status', {
      env: { INNCTL_TOKEN: 'token-of-the-environment-123' },
    });

    expect(items.map(({ profile, who, stored }: Record<string, string>) => [profile, who, stored])).toEqual([
      ['chain', 'ben@example.com', 'environment'],
      ['chain', 'ana@example.com', 'file'],
    ]);
  });

  test('needs no profile', async ({ folder }) => {
    currentUser(hotels.INNCTL_TOKEN, hotels.INNCTL_IDENTITY_URL).reply(200, ana);

    expect((await status(folder, 'auth status', { env: hotels })).items).toEqual([
      {
        profile: null,
        valid: 'yes',
        who: 'ana@example.com',
        subject: 'ana-1',
        method: 'token',
        stored: 'environment',
        identity_url: hotels.INNCTL_IDENTITY_URL,
        base_url: hotels.INNCTL_BASE_URL,
      },
    ]);
  });

  test('is not used for a profile named on the command line', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });
    currentUser().reply(200, ana);

    const env = {
      INNCTL_TOKEN: 'token-of-the-environment-123',
      INNCTL_IDENTITY_URL: 'https://elsewhere.example',
    };

    expect((await status(folder, 'auth status chain', { env })).items).toEqual([
      expect.objectContaining({ identity_url: IDENTITY, stored: 'file', valid: 'yes' }),
    ]);
  });
});

test('a credential of a removed profile is listed too', async ({ folder }) => {
  await storeLogins(folder, { chain: pasted });
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ version: 1, profiles: {} }));

  expect(await status(folder)).toMatchObject({
    exitCode: 2,
    items: [
      {
        profile: 'chain',
        valid: 'unknown',
        error: { message: expect.stringContaining('There is no profile') },
      },
    ],
  });
});

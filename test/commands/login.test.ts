import { existsSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli, memoryKeyring } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { API, described, IDENTITY, issuing, secret, storedIn, token, urls, whoIs } from './login-service.ts';

onlyIntercepted();

const now = Date.parse('2026-05-01T12:00:00Z');

/** Logs in with a token on stdin, as profile chain. */
const giveToken = (folder: string, stdin: string | Uint8Array, flags = '') =>
  cli(`login --with-token -p chain ${urls} ${flags}`, { folder, keyring: memoryKeyring(), stdin });

describe('a token from stdin', () => {
  test('stores the secret in the keyring and the rest in files, and prints the account', async ({
    folder,
  }) => {
    const keyring = memoryKeyring();
    whoIs(token);

    const result = await cli(`login --with-token -p chain ${urls}`, { folder, keyring, stdin: `${token}\n` });

    expect(result).toEqual(
      ended(
        0,
        'Logged in as Ana Lindner (ana@example.com) at api.chain.example, profile chain, which is active now.\n',
      ),
    );
    expect(storedIn(folder, 'chain')).toEqual({
      profile: { identity_url: IDENTITY, base_url: API, dialect: 'contract', auth: 'token' },
      credential: {
        origins: [IDENTITY, API],
        keyring: `chain in ${folder}`,
        login: { method: 'token', who: { subject: 'a-1', name: 'Ana Lindner', email: 'ana@example.com' } },
      },
    });
    expect([...keyring.entries]).toEqual([[`chain in ${folder}`, JSON.stringify({ token })]]);
  });

  test('with --json prints one document', async ({ folder }) => {
    whoIs(token);

    const result = await giveToken(folder, token, '--json');

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
      printed({
        profile: 'chain',
        method: 'token',
        active: true,
        subject: 'a-1',
        name: 'Ana Lindner',
        email: 'ana@example.com',
        scopes: [],
        expires_at: null,
        storage: 'keyring',
        identity_url: IDENTITY,
        base_url: API,
        verified: true,
      }),
    );
  });

  test.for([
    [
      'empty',
      '',
      'stdin: is not a token: 1 to 8,192 visible ASCII characters without blanks (got 0 characters)',
    ],
    ['binary data', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 0, 2, 9, 9]), 'stdin is not UTF-8 text.'],
  ] as const)('that is %s: exit 2, and nothing is sent', async ([, stdin, reason], { folder }) => {
    const result = await giveToken(folder, stdin);

    expect([result.exitCode, result.stdout, result.stderr.split('\n')[0]]).toEqual([
      2,
      '',
      `error: ${reason}`,
    ]);
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });

  test('that the service rejects: exit 4, and nothing is stored', async ({ folder }) => {
    const keyring = memoryKeyring();
    whoIs(token, 401, {});

    const result = await cli(`login --with-token -p chain ${urls}`, { folder, keyring, stdin: token });

    expect([result.exitCode, result.stdout]).toEqual([4, '']);
    expect(result.stderr).toMatch(/^error: The service rejected this token; nothing was stored\. .*\(401 /);
    expect(result.stderr).toContain(`hint: Log in with a token that is for ${IDENTITY}.`);
    expect([keyring.entries.size, existsSync(join(folder, 'config.json'))]).toEqual([0, false]);
  });

  test('of a client shows the client from its claims', async ({ folder }) => {
    const claims = Buffer.from(JSON.stringify({ client_id: 'CHAIN', account_code: 'AURORA', sub: 'CHAIN' }));
    const jwt = `eyJhbGciOiJub25lIn0.${claims.toString('base64url')}.c2lnbmF0dXJl`;
    whoIs(jwt, 403, {});

    const { stderr } = await giveToken(folder, jwt);

    expect(stderr).toContain('Logged in as CHAIN at api.chain.example');
  });

  test('is stored with a warning if the account cannot be determined', async ({ folder }) => {
    nock(IDENTITY).get('/api/v1/users/me').times(5).reply(503, {});

    const { exitCode, stderr } = await giveToken(folder, token);

    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^Logged in at api\.chain\.example, profile chain, which is active now\.\nwarning: The login is stored, but its account could not be determined\. Could not .*503/,
    );
    expect(storedIn(folder, 'chain').credential.login.method).toBe('token');
  });
});

describe('with --expect-account', () => {
  const line = `login --with-token -p chain ${urls} --expect-account`;

  test('a token of another account is not stored', async ({ folder }) => {
    const keyring = memoryKeyring();
    whoIs(token);

    const result = await cli(`${line} b-1`, { folder, keyring, stdin: token });

    expect(result).toEqual(
      ended(
        11,
        'error: The expected account is b-1 (flag --expect-account), but the token of this login belongs to user a-1. Nothing was written.\n' +
          'hint: Use the profile of that account (innctl profiles list), or log in there.\n',
      ),
    );
    expect([keyring.entries.size, existsSync(join(folder, 'config.json'))]).toEqual([0, false]);
  });

  test('the account of the previous login is not used for the check', async ({ folder }) => {
    const keyring = memoryKeyring();
    whoIs(token);
    await cli(`${line} a-1`, { folder, keyring, stdin: token });
    whoIs('token-of-ben-1234567890', 200, { subjectId: 'b-1', email: 'ben@example.com' });

    const { exitCode } = await cli(`${line} a-1`, {
      folder,
      keyring,
      stdin: 'token-of-ben-1234567890',
    });

    expect(exitCode).toBe(11);
    expect([...keyring.entries.values()]).toEqual([JSON.stringify({ token })]);
  });

  test.for([
    ['CHAIN-CI', 0],
    ['VIENNA-CI', 11],
  ] as const)('client credentials are checked by client id: %s', async ([expected, code], { folder }) => {
    described();
    issuing('/token', { grant_type: 'client_credentials' });

    const login = `login --client-credentials -p ci ${urls} --client-id CHAIN-CI --client-secret-file -`;
    const { exitCode } = await cli(`${login} --expect-account ${expected}`, {
      folder,
      keyring: memoryKeyring(),
      stdin: secret,
      env: { INNCTL_IDENTITY_URL: IDENTITY },
    });

    expect(exitCode).toBe(code);
  });
});

describe('client credentials', () => {
  const line = `login --client-credentials -p ci ${urls} --client-id CHAIN-CI --client-secret-file -`;
  const form = { grant_type: 'client_credentials' };

  test('fetch a token at once and store it', async ({ folder }) => {
    const keyring = memoryKeyring();
    described();
    issuing('/token', form, { scope: 'setup.manage' });

    const result = await cli(line, { folder, keyring, stdin: secret, now });

    expect(result).toEqual(
      ended(0, 'Logged in as client CHAIN-CI at api.chain.example, profile ci, which is active now.\n'),
    );
    expect(storedIn(folder, 'ci')).toEqual({
      profile: {
        identity_url: IDENTITY,
        base_url: API,
        client_id: 'CHAIN-CI',
        dialect: 'contract',
        auth: 'client-credentials',
        token_url: `${IDENTITY}/token`,
      },
      credential: {
        origins: [IDENTITY, API],
        keyring: `ci in ${folder}`,
        login: {
          method: 'client-credentials',
          issuer: IDENTITY,
          token_url: `${IDENTITY}/token`,
          revocation_url: `${IDENTITY}/revoke`,
          scope: 'setup.manage',
          who: {},
        },
        cached_token: {
          access_token: token,
          expires_at: now + 3_600_000,
          renew_at: now + 3_570_000,
          key: expect.any(String),
        },
      },
    });
    expect(JSON.parse(keyring.entries.get(`ci in ${folder}`) ?? '')).toEqual({ client_secret: secret });
  });

  test('that the server rejects: exit 4, and nothing is stored', async ({ folder }) => {
    described();
    nock(IDENTITY).post('/token').twice().reply(401, { error: 'invalid_client' });

    const { exitCode, stderr } = await cli(line, { folder, keyring: memoryKeyring(), stdin: secret });

    expect(exitCode).toBe(4);
    expect(stderr).toContain('hint: Check client id and client secret of client CHAIN-CI.');
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });

  test('are read from variables unless a flag names the profile', async ({ folder }) => {
    const env = {
      INNCTL_IDENTITY_URL: IDENTITY,
      INNCTL_BASE_URL: API,
      INNCTL_CLIENT_ID: 'CHAIN-CI',
      INNCTL_CLIENT_SECRET: secret,
      INNCTL_TOKEN_URL: `${IDENTITY}/oauth`,
      INNCTL_SCOPE: 'setup.manage',
    };
    issuing('/oauth', { ...form, scope: 'setup.manage' });

    const { exitCode, stderr } = await cli('login --client-credentials', {
      folder,
      keyring: memoryKeyring(),
      env,
    });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: [
        'Logged in as client CHAIN-CI at api.chain.example, profile default, which is active now.',
        'warning: INNCTL_CLIENT_SECRET is set, and overrides this login unless --profile is given.',
        '',
      ].join('\n'),
    });
    expect(await cli('login --client-credentials -p ci', { folder, keyring: memoryKeyring(), env })).toEqual(
      ended(
        2,
        [
          'error: 4 values are not valid:',
          '  --identity-url: is missing',
          '  --base-url: is missing',
          '  --client-id: is missing',
          '  --client-secret-file: is missing',
          'hint: innctl login --help',
          '',
        ].join('\n'),
      ),
    );
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli, hotels, memoryKeyring } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { watchForLeaks } from '../helpers/leaks.ts';
import {
  ACCESS,
  anaInBrowser,
  IDENTITY,
  machine,
  NOON,
  pasted,
  REFRESH,
  SECRET,
  storeLogins,
} from './logins.ts';

onlyIntercepted();

const FRESH = 'fresh-token-1234567890';

const issuing = (grant_type: string, more: Readonly<Record<string, unknown>> = {}) =>
  nock(IDENTITY)
    .post('/connect/token', (form) => form.grant_type === grant_type)
    .reply(200, { access_token: FRESH, token_type: 'Bearer', expires_in: 600, ...more });

describe('auth token', () => {
  test('prints the token of the active profile, and nothing else', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });

    expect(await cli('auth token', { folder, now: NOON })).toEqual({
      exitCode: 0,
      stdout: `${ACCESS}\n`,
      stderr: '',
    });
  });

  test('reads it from the keyring', async ({ folder }) => {
    const keyring = memoryKeyring();
    await storeLogins(folder, { chain: pasted }, keyring);

    expect((await cli('auth token', { folder, keyring })).stdout).toBe(`${ACCESS}\n`);
  });

  test('renews an expired token', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    issuing('refresh_token', { refresh_token: 'another-refresh-token-123' });

    const { stdout } = await cli('auth token', { folder, now: NOON + 3_600_000 });

    expect(stdout).toBe(`${FRESH}\n`);
  });

  test('requests a token with client credentials', async ({ folder }) => {
    await storeLogins(folder, { chain: machine });
    issuing('client_credentials');

    expect((await cli('auth token', { folder, now: NOON })).stdout).toBe(`${FRESH}\n`);
  });

  test('prints the expiry in JSON', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });

    const { stdout } = await cli('auth token --json', { folder, now: NOON });

    expect(JSON.parse(stdout)).toEqual({
      token: ACCESS,
      token_type: 'Bearer',
      expires_at: '2026-05-01T13:00:00.000Z',
    });
  });

  test('omits an unknown expiry in JSON', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });

    expect(JSON.parse((await cli('auth token --json', { folder })).stdout)).toEqual({
      token: ACCESS,
      token_type: 'Bearer',
    });
  });

  test.each([
    ['-o yaml', `token: ${ACCESS}\ntoken_type: Bearer\n`],
    ['-o csv', `field,value\ntoken,${ACCESS}\ntoken_type,Bearer\n`],
    ['--query token --raw', `${ACCESS}\n`],
    ['--fields token --json', `{"token":"${ACCESS}"}\n`],
  ])('accepts the global flags: %s', async (flags, stdout) => {
    expect((await cli(`auth token ${flags}`, { env: { ...hotels, INNCTL_TOKEN: ACCESS } })).stdout).toBe(
      stdout,
    );
  });

  test('refuses to print on a terminal, without requesting a token', async ({ folder }) => {
    await storeLogins(folder, { chain: machine });

    expect(await cli('auth token', { folder, columns: 80 })).toEqual({
      exitCode: 11,
      stdout: '',
      stderr:
        'error: The token would be visible on the screen.\n' +
        'hint: Pass it to a program: curl -H "Authorization: Bearer $(innctl auth token)" ...; or use --yes.\n',
    });
  });

  test('prints on a terminal with --yes', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });

    expect((await cli('auth token --yes', { folder, columns: 80 })).stdout).toBe(`${ACCESS}\n`);
  });

  test('refuses to print the token of the sandbox', async () => {
    const { exitCode, stdout, stderr } = await cli('auth token --sandbox');

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: The token of the built-in sandbox is valid only within/);
  });

  test('exits with 4 without a token', async ({ folder }) => {
    await storeLogins(folder, { chain: {} });

    const { exitCode, stdout } = await cli('auth token', { folder });

    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  });

  test('exits with 4 if the token is bound to another URL', async ({ folder }) => {
    await storeLogins(folder, { chain: { ...pasted, settings: { base_url: 'https://elsewhere.example' } } });

    expect((await cli('auth token', { folder })).exitCode).toBe(4);
  });
});

describe('the token is printed only on stdout', () => {
  test('a debug trace is redacted', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    issuing('refresh_token', { refresh_token: 'another-refresh-token-123' });

    const { stdout, stderr } = await cli('auth token --debug', { folder, now: NOON + 3_600_000 });

    expect(stdout).toBe(`${FRESH}\n`);
    expect(stderr).toContain('debug: > POST');
    expect([FRESH, REFRESH, 'another-refresh-token-123'].filter((secret) => stderr.includes(secret))).toEqual(
      [],
    );
  });

  test('an error that contains a secret is redacted', async ({ folder }) => {
    await storeLogins(folder, { chain: machine });
    nock(IDENTITY)
      .post('/connect/token')
      .reply(400, { error: 'invalid_grant', error_description: `no ${SECRET}` });

    const { exitCode, stdout, stderr } = await cli('auth token --json', { folder });

    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toContain('no [redacted]');
  });

  test('no other command can bypass redaction', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    const bypassing = sources.filter((path) => /\bunmasked\b/.test(readFileSync(join('src', path), 'utf8')));

    expect(bypassing.toSorted()).toEqual(['cli/ports.ts', 'cli/run.ts', 'commands/auth/token.ts']);
  });
});

describe('the leak check', () => {
  const checkLeaks = async (folder: string, shown: Readonly<Record<string, string>>, line: string) => {
    await storeLogins(folder, {
      chain: { ...anaInBrowser, secrets: { ...anaInBrowser.secrets, client_secret: SECRET } },
    });
    const watch = await watchForLeaks({}, folder);
    return watch.check(shown, line.split(' '));
  };

  test('allows an access token on stdout of auth token', async ({ folder }) => {
    await expect(checkLeaks(folder, { stdout: `${ACCESS}\n` }, '--json auth token')).resolves.toBeUndefined();
  });

  test.for([
    ['auth token', { stderr: ACCESS }],
    ['auth token', { stdout: REFRESH }],
    ['auth token', { stdout: SECRET }],
    ['auth token', { stdout: Buffer.from(ACCESS).toString('base64') }],
    ['auth status', { stdout: ACCESS }],
    ['whoami token', { stdout: ACCESS }],
  ] as const)('rejects any other secret: %s %j', async ([line, shown], { folder }) => {
    await expect(checkLeaks(folder, shown, line)).rejects.toThrow('A secret of this run stands in');
  });
});

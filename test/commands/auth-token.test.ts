import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
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

    expect(await cli('auth token', { folder, now: NOON })).toEqual(printed(`${ACCESS}\n`));
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
    ['--query token --raw', `${ACCESS}\n`],
  ])('accepts the global flags: %s', async (flags, stdout) => {
    expect((await cli(`auth token ${flags}`, { env: { ...hotels, INNCTL_TOKEN: ACCESS } })).stdout).toBe(
      stdout,
    );
  });

  test('refuses to print on a terminal, without requesting a token', async ({ folder }) => {
    await storeLogins(folder, { chain: machine });

    expect(await cli('auth token', { folder, columns: 80 })).toEqual(
      ended(
        11,
        'error: The token would be visible on the screen.\n' +
          'hint: Pass it to a program: curl -H "Authorization: Bearer $(innctl auth token)" ...; or use --yes.\n',
      ),
    );
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

    expect(bypassing.toSorted()).toEqual(['cli/run.ts', 'commands/auth/index.ts', 'model/ports.ts']);
  });
});

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import type { Connect, Keyring } from '../../src/cli/ports.ts';
import { WireFailure } from '../../src/service/failures.ts';
import { endedOrWaiting } from '../auth/waiting.ts';
import { test } from '../config/with-folder.ts';
import { cli, memoryKeyring } from '../helpers/cli.ts';
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
  REFRESH,
  SECRET,
  storeLogins,
} from './logins.ts';

onlyIntercepted();

const stored = (folder: string, name = 'credentials.json') =>
  JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** The server is asked to revoke this token. */
const revoking = (token: string, kind: 'refresh' | 'access', more: Readonly<Record<string, string>> = {}) =>
  nock(IDENTITY).post('/connect/revocation', { token, token_type_hint: `${kind}_token`, ...more });

const revokingBoth = () => {
  revoking(REFRESH, 'refresh', { client_id: 'CHAIN-APP' }).reply(200);
  revoking(ACCESS, 'access', { client_id: 'CHAIN-APP' }).reply(200);
};

/** RFC 6749, 2.3.1: both are encoded as in a form, and the library encodes hyphens as well. */
const inForm = (...parts: readonly string[]) => parts.map((part) => part.replaceAll('-', '%2D')).join(':');

const WORKS_ON = 'The access token remains valid until 2026-05-01T13:00:00.000Z.';

describe('logout', () => {
  test('revokes the refresh token, then the access token, and forgets both', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    revokingBoth();

    expect(await cli('logout', { folder, now: NOON })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Logged out of profile chain.\n',
    });
    expect(stored(folder)).toEqual({ version: 1, profiles: {} });
  });

  test('leaves the settings of the profile, so that a login alone logs in again', async ({ folder }) => {
    await storeLogins(folder, {
      chain: { ...anaInBrowser, settings: { ...anaInBrowser.settings, safety: 'no-delete' } },
    });
    const before = stored(folder, 'config.json');
    revokingBoth();

    await cli('logout', { folder });

    expect(stored(folder, 'config.json')).toEqual(before);
  });

  test('tells programs what was done', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    revokingBoth();

    const { stdout, stderr } = await cli('logout --json', { folder });

    expect({ facts: JSON.parse(stdout), stderr }).toEqual({
      facts: { profile: 'chain', logged_out: true, revoked: true },
      stderr: '',
    });
  });

  test('leaves no entry in the keyring', async ({ folder }) => {
    const keyring = memoryKeyring();
    await storeLogins(folder, { chain: anaInBrowser, inn: pasted }, keyring);
    revokingBoth();

    await cli('logout', { folder, keyring });

    expect([...keyring.entries.keys()]).toEqual(['inn']);
    expect(Object.keys(stored(folder).profiles)).toEqual(['inn']);
  });

  test('leaves neither drafts of the credential nor what completions remember', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });
    const draft = join(folder, 'credentials.json.11111111-2222-4333-8444-555555555555.tmp');
    writeFileSync(draft, ACCESS, { mode: 0o600 });
    const remembered = join(folder, 'state/completion/by-profile/chain');
    mkdirSync(remembered, { recursive: true });
    writeFileSync(join(remembered, 'properties'), 'BER\n');

    await cli('logout', { folder });

    expect([draft, remembered].filter((path) => existsSync(path))).toEqual([]);
  });

  test.for([
    ['basic', { authorization: `Basic ${Buffer.from(inForm('CHAIN-CI', SECRET)).toString('base64')}` }, {}],
    ['post', {}, { client_id: 'CHAIN-CI', client_secret: SECRET }],
    ['none', {}, { client_id: 'CHAIN-CI' }],
    [undefined, { authorization: `Basic ${Buffer.from(inForm('CHAIN-CI', SECRET)).toString('base64')}` }, {}],
  ] as const)(
    'shows who asks as the server wants it: %s',
    async ([client_auth, headers, form], { folder }) => {
      const login = { ...machine.facts?.login, method: 'client-credentials', client_auth } as const;
      const secrets = {
        client_secret: SECRET,
        cached_token: { access_token: ACCESS, expires_at: NOON, key: 'k' },
      };
      await storeLogins(folder, { chain: { ...machine, facts: { login }, secrets } });
      const badheaders = 'authorization' in headers ? [] : ['authorization'];
      nock(IDENTITY, { reqheaders: headers, badheaders })
        .post('/connect/revocation', { token: ACCESS, token_type_hint: 'access_token', ...form })
        .reply(200);

      expect(await cli('logout', { folder })).toEqual({
        exitCode: 0,
        stdout: '',
        stderr:
          'The client secret remains valid until it is revoked at the server.\nLogged out of profile chain.\n',
      });
    },
  );

  test('forgets a token that was given as well, and says that it works on', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });

    expect(await cli('logout', { folder })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr:
        'The access token remains valid until it is revoked at the server.\n' +
        'Logged out of profile chain; nothing was revoked at the server.\n',
    });
    expect(stored(folder).profiles).toEqual({});
  });

  test('is a success where nobody was logged in', async ({ folder }) => {
    await storeLogins(folder, { chain: {} });

    expect(await cli('logout', { folder })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Profile chain was not logged in.\n',
    });
    expect(JSON.parse((await cli('logout --json')).stdout)).toEqual({
      profile: null,
      logged_out: false,
      revoked: false,
    });
  });

  test('works on a profile whose settings are not valid', async ({ folder }) => {
    await storeLogins(folder, { chain: { ...anaInBrowser, settings: { identity_url: 'nowhere' } } });

    const { exitCode, stderr } = await cli('logout', { folder });

    expect({ exitCode, profiles: stored(folder).profiles }).toEqual({ exitCode: 0, profiles: {} });
    expect(stderr).toMatch(/^Nothing could be revoked at the server: .*identity_url/);
  });

  test.for(['--expect-account ben@example.com', '--all --expect-account AURORA'])(
    'ends nothing of anybody else than is expected: %s',
    async (flags, { folder }) => {
      await storeLogins(folder, { chain: anaInBrowser });
      const before = stored(folder);

      expect((await cli(`logout ${flags}`, { folder, now: NOON })).exitCode).toBe(11);
      expect(stored(folder)).toEqual(before);
    },
  );

  test('ends that of whom is expected', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    revokingBoth();

    const env = { INNCTL_EXPECT_ACCOUNT: 'CHAIN-APP' };
    expect((await cli('logout', { folder, env, now: NOON })).exitCode).toBe(0);
  });

  test('refuses a dry run: it changes this machine', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });

    expect((await cli('logout --dry-run', { folder })).exitCode).toBe(2);
    expect(Object.keys(stored(folder).profiles)).toEqual(['chain']);
  });

  test('has nothing to do in the sandbox', async () => {
    expect(await cli('logout --sandbox')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: The sandbox has no logins.\n' +
        'hint: Use one of your profiles: innctl logout --profile <name>\n',
    });
  });
});

describe('a server that does not help', () => {
  const attempt = async (folder: string, line = 'logout', connect?: Connect) => {
    await storeLogins(folder, { chain: anaInBrowser });
    const { exitCode, stdout, stderr } = await cli(`${line} --json`, {
      folder,
      now: NOON,
      ...(connect && { connect }),
    });
    expect({ exitCode, facts: JSON.parse(stdout), profiles: stored(folder).profiles }).toEqual({
      exitCode: 0,
      facts: { profile: 'chain', logged_out: true, revoked: false },
      profiles: {},
    });
    return stderr.replaceAll(`${STILL}\n`, '');
  };
  const STILL = `The refresh token remains valid until it is revoked at the server. ${WORKS_ON}`;
  const COULD_NOT = 'Could not revoke the refresh token of profile chain:';

  test('cannot be reached: all is forgotten here', async ({ folder }) => {
    const tries: string[] = [];
    const connect = async () => ({
      request: async ({ url }: { readonly url: string }) => {
        tries.push(url);
        throw new WireFailure('refused', 'nobody listens there.', { sent: false });
      },
      close: async () => {},
    });

    expect(await attempt(folder, 'logout', connect)).toBe(`${COULD_NOT} nobody listens there. `);
    expect(tries).toEqual(Array(3).fill(`${IDENTITY}/connect/revocation`));
  });

  test('has no time, three times', async ({ folder }) => {
    nock(IDENTITY).post('/connect/revocation').times(6).reply(503);

    expect(await attempt(folder)).toBe(
      `${COULD_NOT} the answer gives no reason (503 from identity.chain.example). `,
    );
  });

  test('answers with a page that calls itself a success', async ({ folder }) => {
    nock(IDENTITY)
      .post('/connect/revocation')
      .times(2)
      .reply(200, '<html>Welcome to the Wi-Fi</html>', { 'content-type': 'text/html' });

    expect(await attempt(folder)).toBe(
      `${COULD_NOT} a page came instead of an answer (200 from identity.chain.example). `,
    );
  });

  test('redirects: the token goes nowhere else', async ({ folder }) => {
    nock(IDENTITY)
      .post('/connect/revocation')
      .times(2)
      .reply(307, '', { location: 'https://elsewhere.example/revocation' });

    expect(await attempt(folder)).toBe(
      `${COULD_NOT} https://identity.chain.example redirects to https://elsewhere.example (307), and redirects are not followed. `,
    );
  });

  test('refuses the client', async ({ folder }) => {
    nock(IDENTITY).post('/connect/revocation').times(2).reply(401, { error: 'invalid_client' });

    expect(await attempt(folder)).toMatch(/\(401 from identity\.chain\.example\)\. $/);
  });

  test('never answers: the time of the command ends it', async ({ folder }) => {
    nock(IDENTITY).post('/connect/revocation').delay(60_000).reply(200);

    expect(await attempt(folder, 'logout --timeout 0.2')).toBe(
      `${COULD_NOT} no answer from identity.chain.example within 0.2 s. `,
    );
  });

  test('says no to access tokens alone: the login is over', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    revoking(REFRESH, 'refresh', { client_id: 'CHAIN-APP' }).reply(200);
    revoking(ACCESS, 'access', { client_id: 'CHAIN-APP' }).reply(400, { error: 'unsupported_token_type' });

    const { exitCode, stdout, stderr } = await cli('logout --json', { folder });

    expect({ exitCode, facts: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      facts: { profile: 'chain', logged_out: true, revoked: true },
    });
    expect(stderr).toBe(
      `Could not revoke the access token of profile chain: unsupported_token_type (400 from identity.chain.example). ${WORKS_ON}\n`,
    );
  });

  test('is not asked where its address is none that the credential was given for', async ({ folder }) => {
    const login = { method: 'web', revocation_url: 'https://elsewhere.example/revocation' } as const;
    await storeLogins(folder, { chain: { ...anaInBrowser, facts: { login } } });

    const { exitCode, stderr } = await cli('logout', { folder });

    expect({ exitCode, profiles: stored(folder).profiles }).toEqual({ exitCode: 0, profiles: {} });
    expect(stderr).toMatch(
      /^Nothing was revoked: https:\/\/elsewhere\.example\/revocation is at no server that the credential was given for\. /,
    );
  });

  test('is not asked where anybody could read it', async ({ folder }) => {
    const url = 'http://identity.chain.example';
    const login = { method: 'web', token_url: `${url}/token`, revocation_url: `${url}/revocation` } as const;
    await storeLogins(folder, { chain: { ...anaInBrowser, facts: { login } } });

    const { exitCode, stderr } = await cli('logout --insecure-http', { folder });

    expect(exitCode).toBe(0);
    expect(stderr).toContain('would be sent credentials unencrypted');
  });
});

describe('a keyring that fails', () => {
  test.for(['read', 'remove'] as const)(
    'keeps the record, for it to be tried again: %s',
    async (name, { folder }) => {
      const keyring = failingKeyring({ [name]: true });
      await storeLogins(folder, { chain: pasted }, keyring);

      expect(await cli('logout', { folder, keyring })).toEqual({
        exitCode: 4,
        stdout: '',
        stderr:
          'error: The keyring of this system is locked.\n' +
          'hint: Unlock it, then run: innctl logout --profile chain\n',
      });
      expect({ kept: Object.keys(stored(folder).profiles), entries: [...keyring.entries.keys()] }).toEqual({
        kept: ['chain'],
        entries: ['chain'],
      });
    },
  );

  test('does not keep the others logged in', async ({ folder }) => {
    const keyring = memoryKeyring();
    await storeLogins(folder, { chain: pasted, inn: pasted }, keyring);
    const remove = (account: string) =>
      account === 'chain' ? failingKeyring({ remove: true }).remove(account) : keyring.remove(account);

    const { exitCode, stdout } = await cli('logout --all --json', {
      folder,
      keyring: { ...keyring, remove },
    });

    expect({ exitCode, ...JSON.parse(stdout) }).toEqual({
      exitCode: 4,
      count: 2,
      items: [
        {
          profile: 'chain',
          logged_out: false,
          revoked: false,
          problem: 'The keyring of this system is locked.',
        },
        { profile: 'inn', logged_out: true, revoked: false },
      ],
    });
    expect(Object.keys(stored(folder).profiles)).toEqual(['chain']);
  });
});

describe('logout --all', () => {
  test('logs out of every profile that has a credential, one that is no profile any more among them', async ({
    folder,
  }) => {
    await storeLogins(folder, { chain: anaInBrowser, inn: pasted, empty: {} });
    const config = stored(folder, 'config.json');
    delete config.profiles.inn;
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    revokingBoth();

    expect((await cli('logout --all', { folder })).stdout).toBe('chain\ttrue\ttrue\t\ninn\ttrue\tfalse\t\n');
    expect(stored(folder).profiles).toEqual({});
  });

  test('is a success where there is none', async () => {
    const { exitCode, stdout } = await cli('logout --all --json');

    expect({ exitCode, ...JSON.parse(stdout) }).toEqual({ exitCode: 0, count: 0, items: [] });
  });

  test.each(['--profile chain', '--sandbox'])('does not go with %s', async (flag) => {
    expect((await cli(`logout --all ${flag}`)).exitCode).toBe(2);
  });
});

describe('a credential of the environment', () => {
  const env = { INNCTL_TOKEN: 'token-of-the-environment-123' };

  test('cannot be logged out', async () => {
    expect(await cli('logout', { env })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: INNCTL_TOKEN is a credential of the environment: innctl did not store it and cannot end it.\n' +
        'hint: unset INNCTL_TOKEN\n',
    });
  });

  test('stays in force beside a profile that is logged out', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });

    const { exitCode, stderr } = await cli('logout', { folder, env });

    expect({ exitCode, profiles: stored(folder).profiles }).toEqual({ exitCode: 0, profiles: {} });
    expect(stderr).toMatch(/warning: INNCTL_TOKEN is still set and in effect\.\n$/);
  });

  test('says nothing about a profile that a flag names', async ({ folder }) => {
    await storeLogins(folder, { chain: {} });

    expect((await cli('logout --profile chain', { folder, env })).stderr).toBe(
      'Profile chain was not logged in.\n',
    );
  });
});

test.each(['auth logout', '-p auth auth logout', '--json auth logout'])(
  'is also what other programs call it: %s',
  async (line) => {
    expect((await cli(`${line} --nonsense`)).stderr).toContain('--nonsense');
    expect((await cli(`${line} --help`)).stdout).toContain('innctl logout [flags]');
  },
);

test('help finds it there as well', async () => {
  expect((await cli('help auth logout')).stdout).toContain('Usage: innctl logout [flags]');
});

test('a token that is being kept just then brings nothing back into the keyring', async ({ folder }) => {
  const keyring = memoryKeyring();
  await storeLogins(folder, { ci: machine }, keyring);
  nock(IDENTITY)
    .post('/connect/token')
    .reply(200, { access_token: ACCESS, token_type: 'Bearer', expires_in: 3600 });
  nock(IDENTITY).post('/connect/revocation').optionally().reply(200, {});
  nock(API).get('/inventory/v1/properties/$count').reply(200, { count: 3 });
  let reads = 0;
  let ended: Promise<unknown> = Promise.resolve();
  const slow: Keyring = {
    ...keyring,
    read: async (account) => {
      const found = await keyring.read(account);
      reads += 1;
      if (reads !== 3) return found;
      ended = cli('logout', { folder, keyring });
      await endedOrWaiting(ended, { folder, profile: 'ci' });
      return found;
    },
  };

  await cli('properties count', { folder, keyring: slow });
  await ended;

  expect([reads, keyring.entries.size]).toEqual([3, 0]);
});

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { test } from '../config/with-folder.ts';
import { cli, memoryKeyring } from '../helpers/cli.ts';
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
  REFRESH,
  SECRET,
  storeLogins,
} from './logins.ts';

onlyIntercepted();

const stored = (folder: string, name = 'credentials.json') =>
  JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** Expects a revocation request for this token. */
const revoking = (token: string, kind: 'refresh' | 'access', more: Readonly<Record<string, string>> = {}) =>
  nock(IDENTITY).post('/connect/revocation', { token, token_type_hint: `${kind}_token`, ...more });

const revokingBoth = () => {
  revoking(REFRESH, 'refresh', { client_id: 'CHAIN-APP' }).reply(200);
  revoking(ACCESS, 'access', { client_id: 'CHAIN-APP' }).reply(200);
};

/** RFC 6749, 2.3.1: both are form-encoded, and the library encodes hyphens as well. */
const inForm = (...parts: readonly string[]) => parts.map((part) => part.replaceAll('-', '%2D')).join(':');

describe('logout', () => {
  test('revokes the refresh token, then the access token, and deletes both', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    revokingBoth();

    const settings = stored(folder, 'config.json');
    expect(await cli('logout', { folder, now: NOON })).toEqual(ended(0, 'Logged out of profile chain.\n'));
    expect([stored(folder), stored(folder, 'config.json')]).toEqual([{ version: 1, profiles: {} }, settings]);
  });

  test('deletes the keyring entry', async ({ folder }) => {
    const keyring = memoryKeyring();
    await storeLogins(folder, { chain: anaInBrowser, inn: pasted }, keyring);
    revokingBoth();

    await cli('logout', { folder, keyring });

    expect([...keyring.entries.keys()]).toEqual(['inn']);
    expect(Object.keys(stored(folder).profiles)).toEqual(['inn']);
  });

  test('deletes temporary credential files and the completion cache', async ({ folder }) => {
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
    ['none', {}, { client_id: 'CHAIN-CI' }],
    [undefined, { authorization: `Basic ${Buffer.from(inForm('CHAIN-CI', SECRET)).toString('base64')}` }, {}],
  ] as const)(
    'authenticates the client with the stored method: %s',
    async ([client_auth, headers, form], { folder }) => {
      const login = { ...machine.facts?.login, method: 'client-credentials', client_auth } as const;
      const secrets = {
        client_secret: SECRET,
        cached_token: { access_token: ACCESS, expires_at: NOON, key: 'k' },
      };
      await storeLogins(folder, { chain: { ...machine, facts: { login }, secrets } });
      const unexpectedHeaders = 'authorization' in headers ? [] : ['authorization'];
      nock(IDENTITY, { reqheaders: headers, badheaders: unexpectedHeaders })
        .post('/connect/revocation', { token: ACCESS, token_type_hint: 'access_token', ...form })
        .reply(200);

      expect(await cli('logout', { folder })).toEqual(ended(0, 'Logged out of profile chain.\n'));
    },
  );

  test('deletes a given token, and reports that it was not revoked', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });

    expect(await cli('logout', { folder })).toEqual(
      ended(0, 'Logged out of profile chain; nothing was revoked at the server.\n'),
    );
    expect(stored(folder).profiles).toEqual({});
  });

  test('is a success if not logged in', async ({ folder }) => {
    await storeLogins(folder, { chain: {} });

    expect(await cli('logout', { folder })).toEqual(ended(0, 'Profile chain was not logged in.\n'));
    expect(JSON.parse((await cli('logout --json')).stdout)).toEqual({
      profile: null,
      logged_out: false,
      revoked: false,
    });
  });

  test.for(['--expect-account ben@example.com', '--all --expect-account AURORA'])(
    'rejects another account than --expect-account: %s',
    async (flags, { folder }) => {
      await storeLogins(folder, { chain: anaInBrowser });
      const before = stored(folder);

      expect((await cli(`logout ${flags}`, { folder, now: NOON })).exitCode).toBe(11);
      expect(stored(folder)).toEqual(before);
    },
  );

  test('is rejected for the sandbox', async () => {
    expect(await cli('logout --sandbox')).toEqual(
      ended(
        2,
        'error: The sandbox has no logins.\n' +
          'hint: Use one of your profiles: innctl logout --profile <name>\n',
      ),
    );
  });
});

describe('a failing revocation endpoint', () => {
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
    return stderr;
  };
  const COULD_NOT = 'Could not revoke the refresh token of profile chain:';

  test('is unreachable: local credentials are deleted', async ({ folder }) => {
    const tries: string[] = [];
    const connect = async () => ({
      request: async ({ url }: { readonly url: string }) => {
        tries.push(url);
        throw new WireFailure('refused', 'nobody listens there.', { sent: false });
      },
      close: async () => {},
    });

    expect(await attempt(folder, 'logout', connect)).toBe(`${COULD_NOT} nobody listens there.\n`);
    expect(tries).toEqual(Array(10).fill(`${IDENTITY}/connect/revocation`));
  });

  test('never answers: the timeout of the command applies', async ({ folder }) => {
    nock(IDENTITY).post('/connect/revocation').delay(60_000).reply(200);

    expect(await attempt(folder, 'logout --timeout 0.2')).toBe(
      `${COULD_NOT} no answer from identity.chain.example within 0.2 s.\n`,
    );
  });

  test('rejects only access tokens: the logout succeeds', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser });
    revoking(REFRESH, 'refresh', { client_id: 'CHAIN-APP' }).reply(200);
    revoking(ACCESS, 'access', { client_id: 'CHAIN-APP' }).reply(400, { error: 'unsupported_token_type' });

    const { exitCode, stdout, stderr } = await cli('logout --json', { folder });

    expect({ exitCode, facts: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      facts: { profile: 'chain', logged_out: true, revoked: true },
    });
    expect(stderr).toBe(
      `Could not revoke the access token of profile chain: unsupported_token_type (400 from identity.chain.example).\n`,
    );
  });

  test("on another origin than the credential's is not called", async ({ folder }) => {
    const login = { method: 'web', revocation_url: 'https://elsewhere.example/revocation' } as const;
    await storeLogins(folder, { chain: { ...anaInBrowser, facts: { login } } });

    const { exitCode, stderr } = await cli('logout', { folder });

    expect({ exitCode, profiles: stored(folder).profiles }).toEqual({ exitCode: 0, profiles: {} });
    expect(stderr).toMatch(
      /^Nothing was revoked: https:\/\/elsewhere\.example\/revocation is at no server that the credential was given for\.\n/,
    );
  });
});

describe('a failing keyring', () => {
  test.for(['read', 'remove'] as const)('keeps the record for another try: %s', async (name, { folder }) => {
    const keyring = failingKeyring({ [name]: true });
    await storeLogins(folder, { chain: pasted }, keyring);

    expect(await cli('logout', { folder, keyring })).toEqual(
      ended(
        4,
        'error: The keyring of this system is locked.\n' +
          'hint: Unlock it, or keep the credential in a file: innctl login --profile chain --insecure-storage\n',
      ),
    );
    expect({ kept: Object.keys(stored(folder).profiles), entries: [...keyring.entries.keys()] }).toEqual({
      kept: ['chain'],
      entries: ['chain'],
    });
  });

  test('does not prevent the logout of other profiles', async ({ folder }) => {
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
  test('logs out of every profile with a credential, including removed profiles', async ({ folder }) => {
    await storeLogins(folder, { chain: anaInBrowser, inn: pasted, empty: {} });
    const config = stored(folder, 'config.json');
    delete config.profiles.inn;
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    revokingBoth();

    expect((await cli('logout --all', { folder })).stdout).toBe('chain\ttrue\ttrue\t\ninn\ttrue\tfalse\t\n');
    expect(stored(folder).profiles).toEqual({});
  });

  test.each(['--profile chain', '--sandbox'])('rejects %s', async (flag) => {
    expect((await cli(`logout --all ${flag}`)).exitCode).toBe(2);
  });
});

describe('a credential from the environment', () => {
  const env = { INNCTL_TOKEN: 'token-of-the-environment-123' };

  test('cannot be logged out', async () => {
    expect(await cli('logout', { env })).toEqual(
      ended(
        2,
        'error: INNCTL_TOKEN is a credential of the environment: innctl did not store it and cannot end it.\n' +
          'hint: unset INNCTL_TOKEN\n',
      ),
    );
  });

  test('remains in effect when a profile is logged out, with a warning', async ({ folder }) => {
    await storeLogins(folder, { chain: pasted });

    const { exitCode, stderr } = await cli('logout', { folder, env });

    expect({ exitCode, profiles: stored(folder).profiles }).toEqual({ exitCode: 0, profiles: {} });
    expect(stderr).toMatch(/warning: INNCTL_TOKEN is still set and in effect\.\n$/);
  });
});

test.each(['auth logout', '-p auth auth logout', '--json auth logout'])(
  'auth logout is an alias: innctl %s',
  async (line) => {
    expect((await cli(`${line} --nonsense`)).stderr).toContain('--nonsense');
    expect((await cli(`${line} --help`)).stdout).toContain('innctl logout [flags]');
  },
);

test('a token that is fetched meanwhile does not bring the login back', async ({ folder }) => {
  const keyring = memoryKeyring();
  await storeLogins(folder, { ci: machine }, keyring);
  nock(IDENTITY)
    .post('/connect/token')
    .reply(200, async () => {
      await cli('logout', { folder, keyring });
      return { access_token: ACCESS, token_type: 'Bearer', expires_in: 3600 };
    });
  nock(API).get('/inventory/v1/properties/$count').reply(200, { count: 3 });

  const { exitCode } = await cli('properties count', { folder, keyring });

  expect([exitCode, keyring.entries.size, stored(folder).profiles]).toEqual([0, 0, {}]);
});

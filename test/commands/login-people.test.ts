import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli, memoryKeyring } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { user } from '../helpers/records.ts';
import {
  API,
  described,
  IDENTITY,
  issuing,
  secret,
  storedIn,
  token,
  undescribed,
  urls,
  whoIs,
} from './login-service.ts';

onlyIntercepted();

const now = Date.parse('2026-05-01T12:00:00Z');
const refresh = 'refresh-token-of-ana-1234567890';
const code = 'code-of-ana-1234567890';

/** A browser that confirms at once and follows the redirect; `requests` has the parameters of each authorization request. */
function browser(answer: Readonly<Record<string, string>> = { code }) {
  const requests: Record<string, string>[] = [];
  const openBrowser = async (page: string) => {
    const parameters = Object.fromEntries(new URL(page).searchParams);
    requests.push(parameters);
    const back = new URL(parameters['redirect_uri'] ?? '');
    for (const [name, value] of Object.entries({ ...answer, state: parameters['state'] ?? '' }))
      back.searchParams.set(name, value);
    nock.enableNetConnect('127.0.0.1');
    // The response arrives when the login has ended.
    pages.push(fetch(back).then((response) => response.text()));
    return true;
  };
  const pages: Promise<string>[] = [];
  return { requests, pages, browserPorts: { openBrowser, sleep: untilAborted } };
}

/** Never times out: waits until the signal aborts. */
async function untilAborted(_ms: number, signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

describe('login in the browser', () => {
  const line = `login --web -p chain ${urls} --client-id chain-admin`;

  test('the tokens are stored, and the next command sends them', async ({ folder }) => {
    const keyring = memoryKeyring();
    const { requests, pages, browserPorts } = browser();
    described({ scopes_supported: ['openid', 'profile', 'offline_access', 'users'] });
    issuing(
      '/token',
      { grant_type: 'authorization_code', code },
      { refresh_token: refresh, scope: 'profile users' },
    );
    whoIs(token);

    const result = await cli(line, { folder, keyring, now, ...browserPorts });

    expect([result.exitCode, result.stdout]).toEqual([0, '']);
    expect(result.stderr).toContain(
      'Logged in as Ana Lindner (ana@example.com) at api.chain.example, profile chain, which is active now.\n',
    );
    expect(requests).toMatchObject([{ client_id: 'chain-admin', scope: 'openid profile offline_access' }]);
    expect(await pages[0]).toContain('<html');
    expect(storedIn(folder, 'chain')).toEqual({
      profile: {
        identity_url: IDENTITY,
        base_url: API,
        client_id: 'chain-admin',
        dialect: 'contract',
        auth: 'user',
        token_url: `${IDENTITY}/token`,
        scope: 'openid profile offline_access',
      },
      credential: {
        origins: [IDENTITY, API],
        keyring: `chain in ${folder}`,
        login: {
          method: 'web',
          issuer: IDENTITY,
          token_url: `${IDENTITY}/token`,
          revocation_url: `${IDENTITY}/revoke`,
          client_id: 'chain-admin',
          client_auth: 'none',
          scope: 'profile users',
          who: { subject: 'a-1', name: 'Ana Lindner', email: 'ana@example.com' },
        },
        cached_token: {
          access_token: token,
          expires_at: now + 3_600_000,
          renew_at: now + 3_570_000,
        },
      },
    });
    expect(JSON.parse(keyring.entries.get(`chain in ${folder}`) ?? '')).toEqual({ refresh_token: refresh });
    nock(API, { reqheaders: { authorization: `Bearer ${token}` } })
      .get('/inventory/v1/properties/$count')
      .reply(200, { count: 3 });
    expect((await cli('properties count', { folder, keyring, now })).stdout).toBe('3\n');
  });

  test('given endpoints skip discovery, and are given again to the next login', async ({ folder }) => {
    const keyring = memoryKeyring();
    const endpoints = `--authorization-url ${IDENTITY}/in --token-url ${IDENTITY}/oauth`;
    for (const words of [`${line} ${endpoints} --scope users`, `login --web ${endpoints}`]) {
      const { requests, browserPorts } = browser();
      issuing('/oauth', { grant_type: 'authorization_code' });
      whoIs(token);

      const { exitCode } = await cli(words, { folder, keyring, ...browserPorts });

      expect([exitCode, requests[0]?.['client_id'], requests[0]?.['scope']]).toEqual([
        0,
        'chain-admin',
        'users',
      ]);
    }
  });

  test('on a terminal the browser is the default method, and --confidential asks for a secret', async ({
    folder,
  }) => {
    const keyring = memoryKeyring();
    const lines = [
      [`login -p chain ${urls} --confidential`, ['chain-admin', secret]],
      ['login --confidential', [secret]],
    ] as const;
    for (const [words, answers] of lines) {
      const { browserPorts } = browser();
      described();
      nock(IDENTITY, { reqheaders: { authorization: (value) => value.startsWith('Basic ') } })
        .post('/token')
        .reply(200, { access_token: token, token_type: 'Bearer' });
      whoIs(token);

      expect((await cli(words, { folder, keyring, answers, ...browserPorts })).exitCode).toBe(0);
    }
    expect(storedIn(folder, 'chain').credential.login).toMatchObject({ method: 'web', client_auth: 'basic' });
  });
});

describe('login with a device code', () => {
  test('works without a terminal, in CI and with --json', async ({ folder }) => {
    described();
    nock(IDENTITY)
      .post('/device', (form) => form['scope'] === 'openid profile email offline_access')
      .reply(200, {
        device_code: 'device-code-1234567890',
        user_code: 'ABCD-EFGH',
        verification_uri: `${IDENTITY}/activate`,
        expires_in: 600,
      });
    issuing('/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' });
    whoIs(token);

    const { exitCode, stdout, stderr } = await cli(
      `login --device -p chain ${urls} --client-id chain-admin --json`,
      { folder, keyring: memoryKeyring(), env: { CI: 'true' }, now },
    );

    expect(exitCode).toBe(0);
    expect(stderr).toContain('ABCD-EFGH');
    expect(JSON.parse(stdout)).toMatchObject({
      profile: 'chain',
      method: 'device',
      email: 'ana@example.com',
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      expires_at: '2026-05-01T13:00:00.000Z',
      storage: 'keyring',
    });
  });
});

describe('login --preset', () => {
  const profileIn = (folder: string, name: string) =>
    JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')).profiles[name];
  const apaleo = 'https://identity.apaleo.com';
  const scope =
    'identity:account-users.read identity:account-users.manage setup.manage properties.create properties.manage';

  test('asks only for the client, and names the profile after the preset', async ({ folder }) => {
    undescribed(apaleo);
    nock(apaleo)
      .post('/connect/token', (form) => form['scope'] === scope)
      .reply(200, { access_token: token, token_type: 'Bearer' });

    const { exitCode, stderr } = await cli('login --preset apaleo --client-credentials', {
      folder,
      keyring: memoryKeyring(),
      answers: ['CHAIN-CI', secret],
    });

    expect(exitCode).toBe(0);
    expect(stderr).toContain('Logged in as client CHAIN-CI at api.apaleo.com, profile apaleo');
    expect(profileIn(folder, 'apaleo')).toEqual({
      identity_url: apaleo,
      base_url: 'https://api.apaleo.com',
      dialect: 'apaleo',
      auth: 'client-credentials',
      client_id: 'CHAIN-CI',
      token_url: `${apaleo}/connect/token`,
      scope,
    });
  });

  test.for([
    ['', 'apaleo'],
    ['--dialect contract', 'contract'],
  ])(
    'with %j sets the dialect %s, also if the profile has another',
    async ([flags = '', dialect], { folder }) => {
      described();
      issuing('/token', {});
      const before = `profiles add chain ${urls} --dialect ${dialect === 'apaleo' ? 'contract' : 'apaleo'}`;
      await cli(`${before} --token-file -`, { folder, stdin: token });

      const { exitCode } = await cli(
        `login --preset apaleo ${flags} --client-credentials ${urls} --client-id CHAIN-CI --client-secret-file - --profile chain`,
        { folder, keyring: memoryKeyring(), stdin: secret },
      );

      expect({ exitCode, ...profileIn(folder, 'chain') }).toMatchObject({ exitCode: 0, dialect });
    },
  );

  test('requests more scopes for a person than for a client', async ({ folder }) => {
    described({}, apaleo);
    const { requests, browserPorts } = browser();
    nock(apaleo).post('/token').reply(200, { access_token: token, token_type: 'Bearer' });
    nock(apaleo).get('/api/v1/users/me').reply(200, user);

    const { stderr } = await cli('login --preset apaleo --web --client-id chain-admin', {
      folder,
      keyring: memoryKeyring(),
      ...browserPorts,
    });

    expect(stderr).toContain(`${apaleo}/authorize?`);
    expect(requests[0]?.['scope']).toBe(`openid profile offline_access ${scope}`);
  });
});

test('--timeout limits the login in the browser', async ({ folder }) => {
  const endpoints = `--authorization-url ${IDENTITY}/in --token-url ${IDENTITY}/oauth`;

  const { exitCode, stderr } = await cli(
    `login --web -p chain ${urls} --client-id chain-admin ${endpoints} --timeout 7`,
    {
      folder,
      keyring: memoryKeyring(),
      sleep: (ms, signal) => (ms === 7_000 ? Promise.resolve() : untilAborted(ms, signal)),
    },
  );

  expect(exitCode).toBe(7);
  expect(stderr).toContain(
    'error: The login was not finished within 7 s.\nhint: Give more time with --timeout.\n',
  );
});

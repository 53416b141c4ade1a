import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { cli, hotels, memoryKeyring, type Situation } from '../helpers/cli.ts';
import { closedPort, httpServer } from '../helpers/servers.ts';

const IDENTITY = 'https://identity.chain.example';
const API = 'https://api.chain.example';
const token = 'token-of-ana-1234567890';

interface Found {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly hint?: string;
}

beforeEach(() => nock.disableNetConnect());

afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

async function examine(line: string, situation: Situation) {
  const { exitCode, stdout, stderr } = await cli(`doctor --json ${line}`, situation);
  const { count, items }: { count: number; items: readonly Found[] } = JSON.parse(stdout);
  expect({ count, stderr }).toEqual({ count: 6, stderr: '' });
  const found = (check: string) => items.find((each) => each.check === check);
  const failed = items.filter(({ status }) => status === 'fail').map(({ check }) => check);
  return { exitCode, items, found, failed };
}

/** A healthy service, except for the status of users/me. */
function service(user = 200): void {
  for (const origin of [IDENTITY, API]) nock(origin).persist().get('/').reply(401, {});
  nock(IDENTITY)
    .persist()
    .get('/api/v1/users/me')
    .reply(user, user === 200 ? { subject_id: 'ana-7', email: 'ana@chain.example' } : {});
  nock(API).persist().get('/inventory/v1/properties/$count').reply(200, { count: 1 });
}

function store(folder: string, credential: object = { token }, profile: object = {}): void {
  chmodSync(folder, 0o700);
  const chain = { identity_url: IDENTITY, base_url: API, auth: 'token', ...profile };
  const config = { version: 1, active_profile: 'chain', profiles: { chain } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const stored = { version: 1, profiles: { chain: { origins: [IDENTITY, API], ...credential } } };
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(stored), { mode: 0o600 });
}

/** Names, modes and contents of the files in a folder. */
const filesIn = (folder: string) =>
  readdirSync(folder).map((name) => {
    const { mode } = statSync(join(folder, name));
    return { name, mode, text: readFileSync(join(folder, name), 'utf8') };
  });

test('all checks of the sandbox succeed', async ({ folder }) => {
  nock.enableNetConnect('127.0.0.1');
  chmodSync(folder, 0o700);

  const { exitCode, items } = await examine('--sandbox', { folder, connect: connectUndici });

  expect({ exitCode, statuses: items.map(({ status }) => status) }).toEqual({
    exitCode: 0,
    statuses: ['ok', 'ok', 'ok', 'skipped', 'ok', 'ok'],
  });
});

test('every check of a valid profile reports its result in a line', async ({ folder }) => {
  store(folder);
  service();

  const { exitCode, stdout } = await cli('doctor', { folder });

  expect({ exitCode, lines: stdout.split('\n') }).toEqual({
    exitCode: 0,
    lines: [
      'program\tok\tinnctl 0.0.0-test, Node 20.19.0, linux\t',
      `files\tok\t${folder}\t`,
      `settings\tok\tprofile chain (profiles use), config_dir ${folder} (INNCTL_CONFIG_DIR), identity_url ${IDENTITY} (profile chain), base_url ${API} (profile chain), auth token (profile chain)\t`,
      'connection\tok\tidentity.chain.example answered with 401, api.chain.example answered with 401\t',
      'credentials\tok\tthe service accepts those of profile chain\t',
      'account\tok\tana@chain.example, ana-7\t',
      '',
    ],
  });
});

test('without a profile the credentials are missing: exit 4', async () => {
  const { exitCode, failed, found } = await examine('', {});

  expect({ exitCode, failed, credentials: found('credentials') }).toEqual({
    exitCode: 4,
    failed: ['credentials'],
    credentials: {
      check: 'credentials',
      status: 'fail',
      detail: 'No service is configured.',
      hint: 'Try it out with --sandbox, or log in at your service: innctl login',
    },
  });
});

describe('files', () => {
  test.for([
    ['config.json', '{', ['files', 'settings']],
    ['config.json', '{ "version": 2 }', ['files', 'settings']],
    ['credentials.json', '{ "profiles": 7 }', ['files', 'credentials']],
  ] as const)('%s with %s is reported: exit 2', async ([name, text, checks], { folder }) => {
    store(folder);
    service();
    writeFileSync(join(folder, name), text);

    expect(await examine('', { folder })).toMatchObject({ exitCode: 2, failed: checks });
  });

  test.for([
    ['credentials.json', 0o644, 'fail', 2],
    ['config.json', 0o664, 'warn', 0],
  ] as const)(
    '%s of mode %o is reported and left unchanged',
    async ([name, mode, status, exitCode], { folder }) => {
      store(folder);
      service();
      chmodSync(join(folder, name), mode);
      const before = filesIn(folder);

      const examined = await examine('', { folder });

      expect([examined.exitCode, examined.found('files')]).toEqual([
        exitCode,
        {
          check: 'files',
          status,
          detail: `${folder}/${name} is open to others (mode 0${mode.toString(8)})`,
          hint: `chmod go-rwx ${folder}/${name}`,
        },
      ]);
      expect(filesIn(folder)).toEqual(before);
    },
  );
});

describe('credentials', () => {
  test.for([
    ['lacks them', memoryKeyring()],
    ['cannot be reached', undefined],
  ] as const)('whose keyring %s: exit 4', async ([, keyring], { folder }) => {
    store(folder, { keyring: 'chain' });
    service();

    const examined = await examine('', { folder, ...(keyring && { keyring }) });

    expect(examined).toMatchObject({ exitCode: 4, failed: ['credentials'] });
  });

  test('that the service rejects: exit 4', async ({ folder }) => {
    store(folder);
    service(401);

    const { exitCode, failed, found } = await examine('', { folder });

    expect({ exitCode, failed, account: found('account')?.status }).toEqual({
      exitCode: 4,
      failed: ['credentials'],
      account: 'skipped',
    });
  });

  test('of an unexpected account: exit 4', async ({ folder }) => {
    store(folder, { token }, { expect_account: 'BOREAL' });
    service();

    const { exitCode, found } = await examine('', { folder });

    expect({ exitCode, detail: found('credentials')?.detail }).toEqual({
      exitCode: 4,
      detail: expect.stringContaining(
        'The expected account is BOREAL (profile chain), but the token of profile chain belongs to user ana-7',
      ),
    });
  });

  test('without a user: exit 0', async ({ folder }) => {
    store(folder);
    service(403);

    const { exitCode, found } = await examine('', { folder });

    expect({ exitCode, account: found('account')?.detail }).toEqual({
      exitCode: 0,
      account: 'no user, as with client credentials',
    });
  });
});

describe('the connection', () => {
  test('to an unreachable host: exit 7, and no token is sent', async () => {
    nock.enableNetConnect('127.0.0.1');
    const port = await closedPort();
    const origin = `http://127.0.0.1:${port}`;
    const env = { ...hotels, INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin };

    const { exitCode, failed, found } = await examine('', { env, connect: connectUndici });

    expect({ exitCode, failed, connection: found('connection') }).toEqual({
      exitCode: 7,
      failed: ['connection'],
      connection: {
        check: 'connection',
        status: 'fail',
        detail: `Could not reach 127.0.0.1:${port}: 127.0.0.1:${port} refused the connection.`,
        hint: 'Check the address (innctl config list), or try again later.',
      },
    });
    expect(found('credentials')?.status).toBe('skipped');
  });

  test('to a host that never answers fails after the timeout', async () => {
    nock.enableNetConnect('127.0.0.1');
    await using server = await httpServer(() => {});
    const env = { ...hotels, INNCTL_IDENTITY_URL: server.origin, INNCTL_BASE_URL: server.origin };

    const { exitCode, found } = await examine('--timeout 0.3', { env, connect: connectUndici });

    expect({ exitCode, detail: found('connection')?.detail }).toEqual({
      exitCode: 7,
      detail: `127.0.0.1:${server.port} did not answer within the time limit`,
    });
  });

  test('gets only GET, and no token for the root of a host', async ({ folder }) => {
    nock.enableNetConnect('127.0.0.1');
    const received: string[] = [];
    await using server = await httpServer((request, response) => {
      const way = request.headers.authorization ? 'with' : 'without';
      received.push(`${request.method} ${request.url} ${way} a token`);
      response.setHeader('content-type', 'application/json').end('{"subject_id":"ana-7"}');
    });
    const env = { INNCTL_IDENTITY_URL: server.origin, INNCTL_BASE_URL: server.origin, INNCTL_TOKEN: token };

    await cli('doctor', { folder, env, connect: connectUndici });

    expect(received).toEqual(['GET / without a token', 'GET /api/v1/users/me with a token']);
  });

  test('through a proxy shows no password', async ({ folder }) => {
    store(folder);
    service();
    const env = {
      HTTPS_PROXY: 'http://ana:secret-of-the-proxy@proxy.example:3128',
      NO_PROXY: 'api.chain.example',
    };

    const { found } = await examine('', { folder, env });

    expect(found('connection')?.detail).toBe(
      'identity.chain.example through http://proxy.example:3128 answered with 401, api.chain.example answered with 401',
    );
  });

  test.for([
    ['an invalid proxy URL', '', { HTTPS_PROXY: 'ftp://proxy' }],
    ['a missing CA file', '--ca-file /nowhere.pem', {}],
  ] as const)('with %s: exit 2', async ([, line, env], { folder }) => {
    store(folder);
    service();

    expect(await examine(line, { folder, env })).toMatchObject({ exitCode: 2, failed: ['connection'] });
  });
});

import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { leaveLock } from '../config/left-lock.ts';
import { test } from '../config/with-folder.ts';
import { cli, hotels, memoryKeyring, type Situation } from '../helpers/cli.ts';
import { closedPort, httpServer } from '../helpers/servers.ts';

const IDENTITY = 'https://identity.chain.example';
const API = 'https://api.chain.example';
const NOW = Date.parse('2026-05-01T12:00:00Z');
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
  expect({ count, stderr }).toEqual({ count: items.length, stderr: '' });
  const found = (check: string) => items.find((each) => each.check === check);
  const failed = items.filter(({ status }) => status === 'fail').map(({ check }) => check);
  return { exitCode, items, found, failed };
}

/** A healthy service, except for the given options. */
function service({
  list = 200,
  user = 200,
  count = 1,
  maxPageSize = 1_000,
  date = NOW,
}: {
  list?: number;
  user?: number;
  count?: number;
  maxPageSize?: number;
  date?: number;
} = {}) {
  const received: string[] = [];
  const headers = { date: new Date(date).toUTCString(), 'content-type': 'application/json' };
  for (const origin of [IDENTITY, API]) nock(origin).persist().get('/').reply(401, {}, headers);
  nock(IDENTITY)
    .persist()
    .get('/api/v1/users/me')
    .reply(user, user === 200 ? { subject_id: 'ana-7', email: 'ana@chain.example' } : {});
  nock(API)
    .persist()
    .get('/inventory/v1/properties')
    .query(true)
    .reply((uri) => {
      received.push(uri);
      if (list !== 200) return [list, {}];
      const size = Number(new URL(uri, API).searchParams.get('page_size'));
      if (size > maxPageSize) return [422, { messages: ['page_size is too large'] }];
      return [
        200,
        { count, items: Array.from({ length: Math.min(count, size) }, (_, index) => ({ id: `H${index}` })) },
      ];
    });
  return received;
}

function store(folder: string, credential: object | undefined = { token }, profile: object = {}): void {
  chmodSync(folder, 0o700);
  const chain = { identity_url: IDENTITY, base_url: API, auth: 'token', ...profile };
  const config = { version: 1, active_profile: 'chain', profiles: { chain } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const stored = { version: 1, profiles: { chain: { origins: [IDENTITY, API], ...credential } } };
  if (credential !== undefined)
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

  expect({ exitCode, statuses: [...new Set(items.map(({ status }) => status))] }).toEqual({
    exitCode: 0,
    statuses: ['ok', 'skipped'],
  });
});

test('every check of a valid profile reports its result', async ({ folder }) => {
  store(folder);
  service({ count: 3 });

  const { exitCode, items } = await examine('', { folder, now: NOW });

  expect({
    exitCode,
    items: items.map(({ check, status, detail }) => `${check}: ${status}: ${detail}`),
  }).toEqual({
    exitCode: 0,
    items: [
      'versions: ok: innctl 0.0.0-test, Node 20.19.0, linux',
      `config folder: ok: ${folder}`,
      `config.json: ok: ${folder}/config.json`,
      `credentials.json: ok: ${folder}/credentials.json`,
      'leftovers: ok: none',
      'TLS: ok: certificates are checked',
      'profile: ok: chain (profiles use)',
      `settings: ok: config_dir ${folder} (INNCTL_CONFIG_DIR), identity_url ${IDENTITY} (profile chain), base_url ${API} (profile chain), auth token (profile chain), output json (flag --output)`,
      'keyring: warn: the credential of profile chain is stored unencrypted in credentials.json',
      'proxy: ok: identity.chain.example directly, api.chain.example directly',
      'certificate authorities: ok: only those of Node',
      'identity host: ok: identity.chain.example answered with 401 in 0 ms',
      'inventory host: ok: api.chain.example answered with 401 in 0 ms',
      'clock: ok: this clock agrees with the hosts',
      'certificates: skipped: no host has one',
      'token: ok: the service accepts it',
      'user: ok: ana@chain.example, ana-7',
      'page size: ok: up to 1000 properties per page (there are 3)',
    ],
  });
});

test('a missing profile fails with a hint', async () => {
  const { exitCode, found, failed } = await examine('', {});

  expect({ exitCode, failed, profile: found('profile') }).toEqual({
    exitCode: 4,
    failed: ['profile', 'token'],
    profile: {
      check: 'profile',
      status: 'fail',
      detail: 'no profile is active, and no service is configured',
      hint: 'Try it out with --sandbox, or log in at your service: innctl login',
    },
  });
});

test('without a terminal it prints one row per check', async ({ folder }) => {
  chmodSync(folder, 0o700);
  const { exitCode, stdout } = await cli('doctor', { folder });

  expect({ exitCode, first: stdout.split('\n')[0] }).toEqual({
    exitCode: 4,
    first: 'versions\tok\tinnctl 0.0.0-test, Node 20.19.0, linux\t',
  });
});

describe('files', () => {
  test.for([
    ['config.json', '{'],
    ['credentials.json', '{ "profiles": 7 }'],
    ['config.json', '{ "version": 2 }'],
  ])('%s with %s is reported, and the other checks still run', async ([name, text], { folder }) => {
    store(folder);
    service();
    writeFileSync(join(folder, name ?? ''), text ?? '');

    const { exitCode, found } = await examine('', { folder, now: NOW });

    expect({ exitCode, status: found(name ?? '')?.status, others: found('leftovers')?.status }).toEqual({
      exitCode: 2,
      status: 'fail',
      others: 'ok',
    });
  });

  test('readable by other users are reported and left unchanged', async ({ folder }) => {
    store(folder);
    service();
    chmodSync(join(folder, 'credentials.json'), 0o644);
    chmodSync(join(folder, 'config.json'), 0o664);
    const draft = 'credentials.json.11111111-2222-4333-8444-555555555555.tmp';
    writeFileSync(join(folder, draft), '{}');
    const before = filesIn(folder);

    const { exitCode, found } = await examine('', { folder, now: NOW });

    expect({ exitCode, credentials: found('credentials.json'), config: found('config.json') }).toEqual({
      exitCode: 2,
      credentials: {
        check: 'credentials.json',
        status: 'fail',
        detail: `${folder}/credentials.json is open to others (mode 0644)`,
        hint: `chmod go-rwx ${folder}/credentials.json`,
      },
      config: expect.objectContaining({
        status: 'warn',
        detail: `${folder}/config.json is open to others (mode 0664)`,
      }),
    });
    expect(filesIn(folder)).toEqual(before);
  });

  test('left by killed processes are reported and left unchanged', async ({ folder }) => {
    store(folder);
    service();
    const draft = join(folder, 'credentials.json.11111111-2222-4333-8444-555555555555.tmp');
    writeFileSync(draft, '{}');
    utimesSync(draft, 0, 0);
    await leaveLock(join(folder, 'config.json'));

    const { exitCode, found } = await examine('', { folder, now: NOW });

    expect({ exitCode, leftovers: found('leftovers') }).toEqual({
      exitCode: 0,
      leftovers: {
        check: 'leftovers',
        status: 'warn',
        detail: `a killed innctl left ${folder}/config.json.lock and ${draft}; the next change removes it`,
      },
    });
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([basename(draft), 'config.json.lock']));
  });

  test('that are symbolic links are reported', async ({ folder }) => {
    store(folder);
    service();
    const there = join(folder, 'there.json');
    writeFileSync(there, readFileSync(join(folder, 'config.json')));
    const linked = join(folder, 'linked');
    mkdirSync(linked, { mode: 0o700 });
    symlinkSync(there, join(linked, 'config.json'));

    const { found } = await examine('', { folder: linked, now: NOW });

    expect(found('config.json')).toMatchObject({
      status: 'warn',
      detail: `${linked}/config.json is a symbolic link; innctl does not write through it`,
    });
  });
});

describe('the keyring', () => {
  const inKeyring = { keyring: 'chain' };

  test('contains the credential', async ({ folder }) => {
    store(folder, inKeyring);
    service();
    const keyring = memoryKeyring();
    await keyring.write('chain', JSON.stringify({ token }));

    const { exitCode, found } = await examine('', { folder, keyring, now: NOW });

    expect({ exitCode, keyring: found('keyring') }).toEqual({
      exitCode: 0,
      keyring: { check: 'keyring', status: 'ok', detail: 'contains the credential of profile chain' },
    });
  });

  test.for([
    ['lacks the credential', memoryKeyring(), 'works, but does not contain the credential of profile chain'],
    ['cannot be reached', undefined, 'The keyring of this system cannot be reached on this system.'],
  ] as const)('%s: exit 4', async ([, keyring, detail], { folder }) => {
    store(folder, inKeyring);
    service();

    const { exitCode, found } = await examine('', { folder, now: NOW, ...(keyring && { keyring }) });

    expect({ exitCode, keyring: found('keyring') }).toEqual({
      exitCode: 4,
      keyring: expect.objectContaining({ status: 'fail', detail }),
    });
  });
});

describe('the service', () => {
  test('rejects the token: exit 4', async ({ folder }) => {
    store(folder);
    service({ list: 401 });

    const { exitCode, failed, found } = await examine('', { folder, now: NOW });

    expect({ exitCode, failed, user: found('user')?.status }).toEqual({
      exitCode: 4,
      failed: ['token'],
      user: 'skipped',
    });
  });

  test('accepts the token of an unexpected account: exit 4', async ({ folder }) => {
    store(folder, { token }, { expect_account: 'BOREAL' });
    service();

    const { exitCode, found } = await examine('', { folder, now: NOW });

    expect({ exitCode, detail: found('token')?.detail }).toEqual({
      exitCode: 4,
      detail: expect.stringContaining(
        'The expected account is BOREAL (profile chain), but the token of profile chain belongs to user ana-7',
      ),
    });
  });

  test('has no user for the token: exit 0', async ({ folder }) => {
    store(folder);
    service({ user: 403 });

    const { exitCode, found } = await examine('', { folder, now: NOW });

    expect({ exitCode, user: found('user') }).toEqual({
      exitCode: 0,
      user: { check: 'user', status: 'ok', detail: 'no user, as with client credentials' },
    });
  });

  test.for([
    [{ count: 1_001 }, 'up to 1000 properties per page', 2],
    [{ count: 450, maxPageSize: 200 }, 'up to 200 properties per page', 4],
    [{ count: 3, maxPageSize: 100 }, 'up to 100 properties per page (there are 3)', 5],
    [{ count: 3, maxPageSize: 50 }, 'the service rejects a page of 100 properties', 5],
  ] as const)('with %j: %s', async ([facts, detail, requests], { folder }) => {
    store(folder);
    const received = service(facts);

    const { found } = await examine('', { folder, now: NOW });

    expect({ detail: found('page size')?.detail, requests: received.length }).toEqual({ detail, requests });
  });

  test('answers 503: exit 7', async ({ folder }) => {
    store(folder);
    service({ list: 503 });

    expect(await examine('', { folder, now: NOW })).toMatchObject({ exitCode: 7, failed: ['token'] });
  });

  test.for([
    [29, 0, 'ok', 'this clock agrees with the hosts'],
    [31, 0, 'warn', 'this clock is 31 s ahead of a host'],
    [-120, 0, 'warn', 'this clock is 120 s behind a host'],
    [301, 1, 'fail', 'this clock is 301 s ahead of a host'],
  ] as const)('has a clock %i s behind: exit %i', async ([seconds, exitCode, status, detail], { folder }) => {
    store(folder);
    service({ date: NOW - seconds * 1_000 });

    const examination = await examine('', { folder, now: NOW });

    expect({ exitCode: examination.exitCode, clock: examination.found('clock') }).toEqual({
      exitCode,
      clock: expect.objectContaining({ status, detail }),
    });
  });
});

test('reports the page size of a service that truncates larger pages', async ({ folder }) => {
  store(folder);
  for (const origin of [IDENTITY, API]) nock(origin).get('/').reply(200);
  nock(IDENTITY).get('/api/v1/users/me').reply(200, { subject_id: 'ana-7' });
  const items = Array.from({ length: 200 }, (_, index) => ({ id: `H${index}` }));
  nock(API).get('/inventory/v1/properties').query(true).times(2).reply(200, { count: 450, items });

  const { found } = await examine('', { folder, now: NOW });

  expect(found('page size')?.detail).toBe('up to 200 properties per page; the service cuts larger pages');
});

test('unreachable hosts: exit 7, and no token is sent', async () => {
  nock.enableNetConnect('127.0.0.1');
  const port = await closedPort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { ...hotels, INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin };

  const { exitCode, failed, found } = await examine('', { env, connect: connectUndici });

  expect({ exitCode, failed, host: found('inventory host'), token: found('token')?.status }).toEqual({
    exitCode: 7,
    failed: ['identity host', 'inventory host'],
    host: {
      check: 'inventory host',
      status: 'fail',
      detail: `Could not reach 127.0.0.1:${port}: 127.0.0.1:${port} refused the connection.`,
      hint: 'Check the address (innctl config list), or try again later.',
    },
    token: 'skipped',
  });
});

test('a host that never answers fails after the timeout', async () => {
  nock.enableNetConnect('127.0.0.1');
  await using server = await httpServer(() => {});
  const env = { ...hotels, INNCTL_IDENTITY_URL: server.origin, INNCTL_BASE_URL: server.origin };

  const { exitCode, failed, found } = await examine('--timeout 0.3', { env, connect: connectUndici });

  expect({ exitCode, failed, detail: found('identity host')?.detail }).toEqual({
    exitCode: 7,
    failed: ['identity host', 'inventory host'],
    detail: `127.0.0.1:${server.port} did not answer within the time limit`,
  });
});

test('sends only GET, and no token to the root of a host', async ({ folder }) => {
  nock.enableNetConnect('127.0.0.1');
  const received: string[] = [];
  await using server = await httpServer((request, response) => {
    received.push(
      `${request.method} ${request.url?.split('?')[0]} ${request.headers.authorization ? 'with' : 'without'} a token`,
    );
    response.setHeader('content-type', 'application/json').end('{"count":0,"items":[]}');
  });
  const env = { INNCTL_IDENTITY_URL: server.origin, INNCTL_BASE_URL: server.origin, INNCTL_TOKEN: token };

  await cli('doctor', { folder, env, connect: connectUndici });

  expect(received.toSorted()).toEqual([
    'GET / without a token',
    'GET / without a token',
    'GET /api/v1/users/me with a token',
    'GET /inventory/v1/properties with a token',
    'GET /inventory/v1/properties with a token',
  ]);
});

describe('proxies and certificate authorities', () => {
  test('a proxy password is not shown', async ({ folder }) => {
    store(folder);
    service();
    const env = {
      HTTPS_PROXY: 'http://ana:secret-of-the-proxy@proxy.example:3128',
      NO_PROXY: 'api.chain.example',
    };

    const { found } = await examine('', { folder, env, now: NOW });

    expect(found('proxy')?.detail).toBe(
      'identity.chain.example through http://proxy.example:3128 with a user name and password, api.chain.example directly',
    );
  });

  test('an invalid proxy URL: exit 2', async ({ folder }) => {
    store(folder);
    service();

    const { exitCode, found } = await examine('', { folder, env: { HTTPS_PROXY: 'ftp://proxy' }, now: NOW });

    expect({ exitCode, proxy: found('proxy')?.status, host: found('identity host')?.status }).toEqual({
      exitCode: 2,
      proxy: 'fail',
      host: 'skipped',
    });
  });

  test('a missing CA file: exit 2', async ({ folder }) => {
    store(folder);
    service();

    const { exitCode, found } = await examine('--ca-file /nowhere.pem', { folder, now: NOW });

    expect({ exitCode, authorities: found('certificate authorities') }).toEqual({
      exitCode: 2,
      authorities: {
        check: 'certificate authorities',
        status: 'fail',
        detail:
          'The file of trusted certificates /nowhere.pem, given by flag --ca-file, cannot be read: there is no such file (ENOENT).',
        hint: 'Give a file of PEM certificates (-----BEGIN CERTIFICATE-----).',
      },
    });
  });
});

import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { hotelsYaml, seeding } from '../helpers/seeding.ts';
import { httpServer } from '../helpers/servers.ts';
import { anaInBrowser, IDENTITY, machine, NOON, storeLogins } from './logins.ts';

onlyIntercepted();

const identity = hotels.INNCTL_IDENTITY_URL;
const api = hotels.INNCTL_BASE_URL;
const invite = 'invitations create --no-check ana@example.com --role Housekeeping --properties BER';

const ID = 'T-4711';
const head = { 'apaleo-tracking-id': ID };

/** Expects the request id in both error formats, text and JSON. */
async function expectId(line: string, prepare: () => void, situation: Situation = {}): Promise<void> {
  const all = { env: hotels, ...situation };
  prepare();
  const asText = await cli(line, all);
  expect(asText.stderr).toContain(`\nrequest id: ${ID}\n`);
  prepare();
  const { stderr } = await cli(`${line} --json`, all);
  expect(JSON.parse(stderr.slice(stderr.indexOf('{"error"'))).error).toMatchObject({ request_id: ID });
}

const roles = (status: number, body: unknown = '', headers: Record<string, string> = head, times = 1) =>
  nock(identity).get('/api/v1/roles').times(times).reply(status, JSON.stringify(body), headers);

describe('an error after an HTTP response shows the request id of the response', () => {
  test.each([401, 404, 501])('a %d', async (status) => {
    await expectId('roles list', () => roles(status));
  });

  test.each([429, 503])('a %d on the last attempt', async (status) => {
    const other = { 'apaleo-tracking-id': 'T-1' };

    await expectId('roles list --max-attempts 3', () => {
      roles(status, '', other, 2);
      roles(status);
    });
  });

  test.each<[string, string]>([
    ['invalid JSON', '{"roles":['],
    ['not a list', '{"roles":"all"}'],
    ['a list of non-records', '{"roles":[7]}'],
  ])('a response body: %s', async (_, body) => {
    await expectId('roles list', () => nock(identity).get('/api/v1/roles').times(5).reply(200, body, head));
  });

  test('a record with another id', async () => {
    const path = '/api/v1/identity/users/ana-1';

    await expectId('users update ana-1 --add-properties BER', () =>
      nock(identity).get(path).times(5).reply(200, { subject_id: 'ben-1', properties: [] }, head),
    );
  });

  test('an incomplete list', async () => {
    const page = (number: number, items: readonly object[], headers: Record<string, string>) =>
      nock(identity)
        .get('/api/v1/users')
        .query({ page_size: 100, page_number: number })
        .reply(200, { count: 9, items }, headers);

    await expectId('users get ana@example.com', () => {
      page(1, [{ subject_id: 'ben-1', email: 'ben@example.com' }], head);
      page(2, [], { 'apaleo-tracking-id': 'T-2' });
    });
  });

  test('HEAD', async () => {
    await expectId(
      'properties exists BER',
      () => nock(api).head('/inventory/v1/properties/BER').reply(403, '', head),
      { env: { ...hotels, INNCTL_DIALECT: 'apaleo' } },
    );
  });

  test.each<[string, number, unknown]>([
    ['an error', 500, ''],
    ['a success that reports an error', 200, { email: 'ana@example.com', messages: ['No.'] }],
  ])('a write whose outcome is unknown after %s and an unreadable list', async (_, status, body) => {
    await expectId(invite, () => {
      nock(identity).post('/api/v1/invitations').reply(status, JSON.stringify(body), head);
      nock(identity).get('/api/v1/invitations').reply(403, '', { 'apaleo-tracking-id': 'T-1' });
    });
  });

  test('`api --paginate`, where a further page is not a list', async () => {
    const page = (number: number) => nock(api).get('/units').query({ page_size: 1, page_number: number });

    await expectId('api GET /units --paginate -f page_size=1', () => {
      page(1).reply(200, { count: 2, items: [{ id: 1 }] });
      page(2).times(5).reply(200, { id: 2 }, head);
    });
  });
});

describe('a token that is not issued', () => {
  const withLogin = async (login: typeof machine) => {
    const folder = await temporaryFolder();
    await storeLogins(folder, { chain: login });
    return { folder, env: {}, now: NOON };
  };
  const token = (status: number, body: unknown) =>
    nock(IDENTITY).post('/connect/token').reply(status, JSON.stringify(body), head);

  test.each<[string, number, unknown]>([
    ['a rejected request', 400, { error: 'invalid_scope' }],
    ['503', 503, ''],
    ['a value that is not a string', 200, { access_token: 7 }],
    ['a body that is not a JSON object', 200, ['token']],
  ])('to client credentials: %s', async (_, status, body) => {
    const situation = await withLogin(machine);

    await expectId('roles list', () => token(status, body), situation);
  });

  test.each<[string, number, unknown]>([
    ['a rejected refresh token', 400, { error: 'invalid_grant' }],
    ['503', 503, ''],
  ])('to a signed-in user: %s', async (_, status, body) => {
    const { cached_token: __, ...facts } = anaInBrowser.facts ?? {};
    const over = { ...anaInBrowser, facts };

    for (const mode of ['', ' --json']) {
      const situation = await withLogin(over);
      token(status, body);
      expect((await cli(`roles list${mode}`, situation)).stderr).toContain(ID);
    }
  });
});

describe('a response whose body cannot be read completely', () => {
  test.each([
    ['truncated', 'cut', ''],
    ['too large', 'too_large', ' --max-body 0.001'],
  ])('%s', async (_, code, flag) => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { ...head, 'content-type': 'application/json', 'content-length': '9000' });
      if (code === 'cut') response.write('{"roles":[', () => response.destroy());
      else response.end(' '.repeat(9_000));
    });
    nock.enableNetConnect('127.0.0.1');
    const env = { ...hotels, INNCTL_IDENTITY_URL: server.origin };

    const { stderr } = await cli(`roles list --max-attempts 1 --json${flag}`, {
      env,
      connect: connectUndici,
    });

    expect(JSON.parse(stderr).error).toMatchObject({ code, request_id: ID });
  });
});

test('a failed row shows the request id in the report and the journal', async () => {
  nock.enableNetConnect('127.0.0.1');
  const service = await seeding('500:operation=createProperty');
  const file = await service.file('hotels.yaml', hotelsYaml('HAM'));

  const { stdout } = await service.innctl(`apply ${file} --yes --max-attempts 1 --json`);

  const [row] = JSON.parse(stdout).items;
  expect(row.error).toMatchObject({ request_id: expect.stringMatching(/^[\da-f-]{36}$/) });
  expect(row.error.message).toContain(`(request id ${row.error.request_id})`);
  const runs = JSON.parse((await service.innctl('runs list --json')).stdout).items;
  const shown = JSON.parse((await service.innctl(`runs show ${runs[0].run_id} --json`)).stdout).items;
  expect(shown).toEqual([expect.objectContaining({ request_id: row.error.request_id })]);
});

test('the result of a write shows the request id of a failed read-back', async () => {
  const line = 'users update a-1 --enable --json';
  nock(identity).get('/api/v1/identity/users/a-1').reply(200, { subject_id: 'a-1', enabled: false });
  nock(identity).patch('/api/v1/identity/users/a-1').reply(204);
  nock(identity).get('/api/v1/identity/users/a-1').reply(403, {}, head);
  const { stdout } = await cli(line, { env: hotels });

  expect(JSON.parse(stdout)).toMatchObject({ updated: true, verification: 'not_readable', request_id: ID });
});

test('auth status shows the request id of the failed check', async () => {
  nock(identity).get('/api/v1/users/me').reply(401, {}, head);
  const status = JSON.parse((await cli('auth status --json', { env: hotels })).stdout).items;

  expect(status[0].error).toMatchObject({ status: 401, request_id: ID });
});

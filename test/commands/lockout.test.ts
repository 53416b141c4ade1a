import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, cli, hotels, IDENTITY, type Situation } from '../helpers/cli.ts';
import { noPrompter } from '../helpers/no-prompter.ts';
import { user } from '../helpers/records.ts';

type User = Readonly<Record<string, unknown>>;
type Dialect = 'contract' | 'apaleo';

const ana: User = { ...user, isAccountAdmin: true };
const ben: User = { ...ana, subjectId: 'b-2', email: 'ben@example.com' };
const clara: User = { ...ana, subjectId: 'c-3', email: 'clara@example.com' };

let patches: unknown[] = [];
let requests: string[] = [];

beforeEach(() => {
  patches = [];
  requests = [];
  nock.disableNetConnect();
});

afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

/**
 * A service with these users, one per page.
 *
 * @param self the user that users/me returns, or an error status.
 */
function serve(users: readonly User[], self: User | number, total = users.length): void {
  const service = nock(IDENTITY).persist();
  service.get('/api/v1/users/me').reply(() => {
    requests.push('me');
    return typeof self === 'number' ? [self, {}] : [200, self];
  });
  service.get(/^\/api\/v1\/(identity\/)?users\/b(-|%2D)2$/i).reply(200, ben);
  service.get(/^\/api\/v1\/users\?page/).reply((uri) => {
    const number = Number(/page_?number=(\d+)/i.exec(uri)?.[1]);
    requests.push(`page ${number}`);
    return [200, { users: users.slice(number - 1, number), count: total }];
  });
  const isPatched = (_: string, body: unknown): readonly [number] => {
    patches.push(body);
    return [204];
  };
  service.put('/api/v1/users/b-2').reply(isPatched);
  service.delete('/api/v1/users/b-2').reply(isPatched);
  service.patch(/^\/api\/v1\/(identity\/)?users\/b(-|%2D)2$/i).reply(isPatched);
}

const run = (line: string, dialect: Dialect = 'contract', more: Situation = {}) =>
  cli(line, { ...more, env: { ...hotels, INNCTL_DIALECT: dialect, INNCTL_MAX_ATTEMPTS: '1' } });

const step = (path: string, value: unknown) => JSON.stringify([{ op: 'replace', path, value }]);

/** Every command line that disables or demotes Ben, with consent. */
const reductions: readonly (readonly [line: string, dialect: Dialect, more: () => Situation])[] = [
  ['users update b-2 --no-verify --disable --confirm b-2', 'contract', () => ({})],
  ['users update b-2 --no-verify --is-account-admin=false --confirm b-2', 'apaleo', () => ({})],
  [
    'users update b-2 --no-verify --patch \'[{"op":"replace","path":"/isAccountAdmin","value":false}]\' --confirm b-2',
    'contract',
    () => ({}),
  ],
  [
    'users update b-2 --no-verify --patch - --confirm b-2',
    'contract',
    () => ({ stdin: '[{"op":"copy","from":"/x","path":"/isAccountAdmin"}]' }),
  ],
  [
    'api PATCH /api/v1/identity/users/b-2 --input - --confirm b-2',
    'contract',
    () => ({ stdin: step('/isAccountAdmin', false) }),
  ],
  [
    'api patch /API/v1/Users/b%2D2 --input - --confirm b-2',
    'contract',
    () => ({ stdin: '[{"OP":"Replace","Path":"/ENABLED","VALUE":false}]' }),
  ],
  ['api PUT /api/v1/users/b-2 -F enabled=false --confirm b-2', 'apaleo', () => ({})],
  ['api DELETE /api/v1/users/b-2 --confirm b-2', 'apaleo', () => ({})],
];

describe.each(reductions)('%s (%s)', (line, dialect, more) => {
  test.each<[string, readonly User[], User | number, string]>([
    ['your own user', [ana, ben], ben, 'This would lock you out: ben@example.com is your own user.'],
    ['your own user, in different case', [ana, ben], { ...ben, subjectId: 'B-2' }, 'is your own user'],
    ['the last account admin', [ben], 403, 'No enabled account admin would be left without ben@example.com.'],
    [
      'the last enabled account admin',
      [{ ...ana, enabled: false }, ben],
      403,
      'No enabled account admin would',
    ],
  ])('is rejected for %s', async (_, users, self, reason) => {
    serve(users, self);

    const { exitCode, stdout, stderr } = await run(line, dialect, more());

    expect({ exitCode, stdout, patches }).toEqual({ exitCode: 11, stdout: '', patches: [] });
    expect(stderr).toContain(reason);
    expect(stderr).toContain('--allow-lockout ben@example.com');
  });

  test.each<[string, readonly User[], User | number]>([
    ['one of two account admins', [ana, ben], ana],
    ['one of two account admins with client credentials', [ana, ben], 403],
    [
      'a user listed before an account admin on a later page',
      [ben, { ...clara, isAccountAdmin: false }, ana],
      ana,
    ],
    ['a user who is no account admin', [{ ...ben, isAccountAdmin: false }, ana], ana],
  ])('is carried out for %s', async (_, users, self) => {
    serve(users, self);

    const { exitCode } = await run(line, dialect, more());

    expect({ exitCode, sent: patches.length, me: requests.filter((each) => each === 'me').length }).toEqual({
      exitCode: 0,
      sent: 1,
      me: 1,
    });
  });

  test('is carried out for your own user if --allow-lockout has the full address', async () => {
    serve([ben], ben);

    const { exitCode } = await run(`${line} --allow-lockout BEN@example.com`, dialect, more());

    expect({ exitCode, sent: patches.length, requests }).toEqual({ exitCode: 0, sent: 1, requests: [] });
  });
});

const disable = 'users update b-2 --no-verify --disable';

test.each<[string, readonly User[], User | number, number | undefined, number]>([
  ['users/me fails', [ana, ben], 500, undefined, 1],
  ['users/me has no subject id', [ana, ben], { enabled: true }, undefined, 1],
  ['the token is rejected', [ana, ben], 401, undefined, 4],
  ['the list is incomplete', [ben], ana, 5, 1],
])('nothing is sent if %s', async (_, users, self, total, exitCode) => {
  serve(users, self, total);

  const result = await run(`${disable} --confirm b-2`);

  expect({ exitCode: result.exitCode, patches }).toEqual({ exitCode, patches: [] });
});

test.each(['ben', 'ana@example.com', 'en@example.com'])(
  '--allow-lockout %j does not lift the rule',
  async (address) => {
    serve([ben], ben);

    const { exitCode } = await cli(
      ['users', 'update', 'b-2', '--disable', '--confirm', 'b-2', '--allow-lockout', address],
      { env: hotels },
    );

    expect({ exitCode, patches }).toEqual({ exitCode: 11, patches: [] });
  },
);

test('a dry run is rejected, too', async () => {
  serve([ben], 403);

  expect((await run(`${disable} --dry-run`)).exitCode).toBe(11);
});

test('account admins are checked again after the prompt', async () => {
  const users = [ana, ben];
  serve(users, 403);
  const prompter = {
    ...noPrompter,
    text: async () => {
      users.splice(0, 1, { ...ana, enabled: false });
      return 'b-2';
    },
  };

  const { exitCode, stderr } = await run(disable, 'contract', { prompter, answers: [] });

  expect({ exitCode, patches }).toEqual({ exitCode: 11, patches: [] });
  expect(stderr).toContain('No enabled account admin would be left');
});

test.each<[string, readonly Answer[]]>([
  ['disabled', [['enabled'], 'no']],
  ['demoted', [['is_account_admin'], 'no']],
])('the last account admin is not %s by the prompt', async (_, answers) => {
  serve([ben], 403);

  const { exitCode, stderr } = await run('users update b-2', 'apaleo', { answers });

  expect({ exitCode, patches }).toEqual({ exitCode: 11, patches: [] });
  expect(stderr).toContain('No enabled account admin would be left');
});

test.each([
  '--enable',
  '--patch \'[{"op":"replace","path":"/enabled","value":true}]\'',
  '--patch \'[{"op":"replace","path":"/firstName","value":"Ben"}]\'',
  '--add-properties BER',
  '--patch -',
])('changes that reduce no access do not check for lockout: %s', async (flags) => {
  serve([ben], 500);

  await run(`users update b-2 --no-verify ${flags}`, 'contract', {
    stdin: '[{"op":"test","path":"/enabled","value":false}]',
  });

  expect(requests).toEqual([]);
});

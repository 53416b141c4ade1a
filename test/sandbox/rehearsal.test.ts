import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SeedName } from '../../src/sandbox/seeds/names.ts';
import { openStore } from '../../src/sandbox/store.ts';
import { issueToken } from '../../src/sandbox/tokens.ts';
import { type DialectName, dialectNames } from '../../src/service/operations.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { freshFolder, sandbox } from './harness.ts';
import { hotel } from './hotel.ts';

const ROBERT = '7a2d3b5f-0001-4b7c-8d2e-000000000000';

/** A sandbox that is served, and the folder with which command lines use the same state. */
async function served(dialect: DialectName = 'contract', seed: SeedName = 'people') {
  const folder = await freshFolder();
  const running = await sandbox({
    folder: join(folder, 'state', 'sandbox'),
    dialect,
    now: Date.now,
    seed,
  });
  const store = await openStore({ folder: running.folder, seed: 'people', now: Date.now });
  return { ...running, cli: (line: string) => cli(line, { folder }), stored: () => store.read() };
}

const invitationsPath = { contract: '/api/v1/invitations', apaleo: '/api/v1/account/invitations' };
const created = {
  contract: (ms: number) => new Date(ms).toISOString(),
  apaleo: (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z'),
};
const userPath = { contract: '/api/v1/identity/users/', apaleo: '/api/v1/users/' };
const replace = (path: string, value: unknown) => ({ body: [{ op: 'replace', path, value }] });

describe.each(dialectNames)('sandbox accept, while the dialect %s is served', (dialect) => {
  test('makes an enabled user of an invitation, with its properties and roles', async () => {
    const { call, cli, stored } = await served(dialect);

    const { exitCode, stdout, stderr } = await cli('sandbox accept JONAS.keller@aurora.example --json');

    const { subject_id: id, ...facts } = JSON.parse(stdout);
    expect({ exitCode, stderr, facts }).toEqual({
      exitCode: 0,
      stderr: '',
      facts: { email: 'jonas.keller@aurora.example', accepted: true },
    });
    expect(stored().records.users.get(id)).toEqual({
      subject_id: id,
      first_name: 'Jonas',
      last_name: 'Keller',
      email: 'jonas.keller@aurora.example',
      enabled: true,
      is_account_admin: false,
      is_mfa_enabled: false,
      is_passkeys_enabled: false,
      properties: ['BER'],
      property_roles: [{ id: 'BER', roles: ['Housekeeping'] }],
    });
    expect(await call('GET', `${userPath[dialect]}${id}`)).toMatchObject({
      status: 200,
      body: { email: 'jonas.keller@aurora.example', enabled: true },
    });
    const { body } = await call('GET', invitationsPath[dialect]);
    expect(JSON.stringify(body)).not.toContain('jonas.keller');
  });

  test('of an address with a user adds the access, with the name of the role in the role list, and enables the user', async () => {
    const { call, cli, stored } = await served(dialect);
    const ben = () => [...stored().records.users.values()].filter(({ email }) => /^ben@/i.test(email));
    const [{ subject_id: id } = { subject_id: '' }] = ben();
    await call('PATCH', `${userPath[dialect]}${id}`, replace('/enabled', false));

    expect(await cli('sandbox accept ben@aurora.example')).toEqual(
      ended(0, 'ben@aurora.example accepted the invitation, and is a user now.\n'),
    );

    expect(ben().map(({ enabled, property_roles: roles }) => ({ enabled, roles }))).toEqual([
      {
        enabled: true,
        roles: [
          { id: 'BER', roles: ['FrontDesk'] },
          { id: 'MUC', roles: ['FrontDesk'] },
          { id: 'VIE', roles: ['FrontDesk'] },
        ],
      },
    ]);
  });

  test('of an account admin makes an account admin', async () => {
    const { cli, stored } = await served(dialect, 'small');

    const { stdout } = await cli('sandbox accept nora.fuchs@aurora.example --json');

    expect(stored().records.users.get(JSON.parse(stdout).subject_id)).toMatchObject({
      first_name: 'Nora',
      is_account_admin: true,
      properties: [],
    });
  });
});

describe('sandbox accept', () => {
  test.each([
    ['clara@aurora.example', 3, 'hint: innctl --sandbox invitations list'],
    ['__proto__', 3, 'There is no invitation to "__proto__" in the sandbox.'],
    [
      'paul.steiner@aurora.example',
      6,
      'hint: innctl --sandbox invitations resend paul.steiner@aurora.example',
    ],
    ['=1+1@aurora.example', 6, 'has expired: links are valid for 30 days.'],
  ])('rejects %s with exit %i, and changes nothing', async (email, code, sentence) => {
    const { cli, stored } = await served();
    const before = stored();

    const { exitCode, stdout, stderr } = await cli(`sandbox accept ${email}`);

    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stored()).toEqual(before);
  });
});

describe.each(dialectNames)('sandbox advance, while the dialect %s is served', (dialect) => {
  test('lets invitations expire, which stay listed and cannot be accepted', async () => {
    const { call, cli } = await served(dialect);
    const listed = async () => (await call('GET', invitationsPath[dialect])).body;
    const before = (await listed()) as { invitations: readonly { email: string; created: string }[] };

    expect(await cli('sandbox advance 26d')).toEqual(
      ended(0, 'Advanced the sandbox by 26d: 4 of 6 invitations have expired.\n'),
    );

    expect(await listed()).toEqual({
      ...before,
      invitations: before.invitations.map((each) => ({
        ...each,
        created: created[dialect](Date.parse(each.created) - 26 * 86_400_000),
      })),
    });
    expect((await cli('sandbox accept lea.wagner@aurora.example')).exitCode).toBe(6);
    expect((await cli('sandbox accept jonas.keller@aurora.example')).exitCode).toBe(0);
  });
});

describe('sandbox advance', () => {
  test('prints what has expired, in JSON', async () => {
    const { cli } = await served();

    expect(JSON.parse((await cli('sandbox advance 12h --json')).stdout)).toEqual({
      advanced: '12h',
      invitations: 6,
      expired: 3,
    });
  });

  test('lets idempotency keys expire, and no token', async () => {
    const { call, cli, token } = await served();
    const headers = { 'idempotency-key': 'one', authorization: `Bearer ${token}` };
    const create = (code: string) => call('POST', '/inventory/v1/properties', { headers, body: hotel(code) });
    expect((await create('ONE')).status).toBe(201);
    expect((await create('TWO')).status).toBe(422);

    await cli('sandbox advance 23h');
    expect((await create('TWO')).status).toBe(422);
    await cli('sandbox advance 2h');

    expect((await create('TWO')).status).toBe(201);
    await cli('sandbox advance 40d');
    expect((await call('GET', '/api/v1/users/me', { headers })).status).toBe(200);
  });

  test('stops at the year 2000, however often time passes', async () => {
    const { cli, call } = await served();
    for (const _ of [1, 2]) expect((await cli('sandbox advance 99999w')).exitCode).toBe(0);

    const { body } = await call('GET', '/api/v1/invitations');

    expect(
      new Set(
        (body as { invitations: readonly { created: string }[] }).invitations.map(({ created }) => created),
      ),
    ).toEqual(new Set(['2000-01-01T00:00:00.000Z']));
  });

  test.each(['31', '0d', '-1d', '1.5d', '1e3d', '30 d', '3m', '100000w', '٣d', 'd', ''])(
    'rejects %j with exit 2',
    async (typed) => {
      const { exitCode, stderr } = await cli(['sandbox', 'advance', '--', typed]);

      expect(exitCode).toBe(2);
      expect(stderr).toContain('It must be like 12h, 30d or 2w.');
    },
  );
});

test('the token of a disabled user is refused for reads and writes, and no token of a client', async () => {
  const { call, stored } = await served();
  const { secret } = stored().header;
  const use = (caller: Parameters<typeof issueToken>[0]) => ({
    headers: { authorization: `Bearer ${issueToken(caller, Date.now() + 60_000, secret)}` },
  });
  const robert = use({ kind: 'user', subjectId: ROBERT });
  const before = stored();

  const refused = await call('GET', '/api/v1/users/me', robert);

  const message = 'The user of the token is disabled.';
  expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  expect(refused).toMatchObject({
    status: 401,
    body: { error: { code: 'unauthorized', message, details: [] } },
  });
  const write = { ...replace('/enabled', true), ...robert };
  expect((await call('PATCH', `${userPath.contract}${ROBERT}`, write)).status).toBe(401);
  expect(stored()).toEqual(before);
  const client = use({ kind: 'client', clientId: 'sandbox' });
  expect((await call('GET', '/api/v1/roles', client)).status).toBe(200);
});

test('a caller of the sandbox who is disabled gets a hint', async () => {
  const situation = { folder: await freshFolder(), connect: connectUndici };
  const ana = 'ana@aurora.example';
  await cli(`--sandbox users disable ${ana} --confirm ${ana} --allow-lockout ${ana}`, situation);

  const { exitCode, stderr } = await cli('--sandbox users list', situation);

  expect(exitCode).toBe(4);
  expect(stderr).toContain('The user of the token is disabled');
  expect(stderr).toContain('hint: innctl sandbox reset\n');
});

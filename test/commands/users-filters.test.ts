import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { nobodyInvited } from '../helpers/administered.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { invitation, user } from '../helpers/records.ts';

const IDENTITY = 'https://identity.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const apaleo = { ...hotels, INNCTL_DIALECT: 'apaleo' };
const PAGE = 'pageSize=100&pageNumber=1';

const ANA = user;

onlyIntercepted();

/** The list is requested with exactly this query and shows Ana. */
function listsFor(query: string): void {
  nock(IDENTITY, AUTH)
    .get(`/api/v1/users?${query}`)
    .reply(200, { users: [ANA], count: 1 });
}

describe('users list in the dialect apaleo', () => {
  test.each([
    ['--email ana+hotel@example.com', 'email=ana%2Bhotel%40example.com'],
    ['--enabled', 'enabled=true'],
    ['--enabled=false', 'enabled=false'],
    ['--sort email', 'sort=email%3Aasc'],
    ['--sort lastname:desc', 'sort=lastname%3Adesc'],
    [
      '--sort "last_name:asc, firstname" --sort email:desc',
      'sort=lastname%3Aasc&sort=firstname%3Aasc&sort=email%3Adesc',
    ],
    [
      '--property BER,VIE --email ana@example.com --enabled --sort email',
      'propertyIds=BER&propertyIds=VIE&email=ana%40example.com&enabled=true&sort=email%3Aasc',
    ],
    ['--param sort=email --enabled', 'sort=email&enabled=true'],
  ])('%s sends ?%s', async (flags, query) => {
    listsFor(`${query}&${PAGE}`);

    expect(await cli(`users list --json --fields email ${flags}`, { env: apaleo })).toEqual({
      exitCode: 0,
      stdout: `${JSON.stringify({ count: 1, items: [{ email: 'ana@example.com' }] }, null, 2)}\n`,
      stderr: '',
    });
  });

  test.each([
    ['--enabled yes', '--enabled', '"yes" is neither true nor false'],
    [
      '--sort phone',
      '--sort',
      '"phone" is not a field to sort users by; write first_name, last_name or email',
    ],
    ['--sort frist_name', '--sort', '"frist_name" is not a field to sort users by; did you mean first_name?'],
    ['--sort email:up', '--sort', '"email:up" ends neither with :asc nor with :desc'],
    ['--sort first_name,firstname:desc', '--sort', 'names firstname twice'],
    ['--email ana@example.com --param email=x', '--param', 'email is given by a flag too: --email'],
    ['--enabled --param Enabled=x', '--param', 'Enabled is given by a flag too: --enabled'],
  ])('%s is rejected, and no request is sent', async (flags, field, reason) => {
    const { exitCode, stdout, stderr } = await cli(`users list --json ${flags}`, { env: apaleo });

    expect({ exitCode, stdout, details: JSON.parse(stderr).error.details }).toEqual({
      exitCode: 2,
      stdout: '',
      details: [{ field, reason }],
    });
  });
});

describe('filters that the service does not have', () => {
  const at = (id: string, ...roles: readonly string[]) => ({ id, roles });
  const users = [
    { subject_id: 'b-2', email: 'Ben@Example.com', first_name: 'Ben', last_name: 'Müller', enabled: true },
    { subject_id: 'c-3', email: 'cyd@example.com', enabled: false },
    { subject_id: 'd-4', email: 'dan@example.com', properties: ['BER'] },
    { subject_id: 'e-5', is_account_admin: true },
  ];
  const roles = [[at('BER', 'Auditor'), at('MUC', 'FrontDesk')], [at('BER', 'FrontDesk')]];
  const listed = () =>
    nock(IDENTITY, AUTH)
      .get('/api/v1/users?page_size=100&page_number=1')
      .reply(200, {
        users: users.map((each, index) => ({ ...each, property_roles: roles[index] })),
        count: 4,
      });

  test.each([
    ['--role FrontDesk', 'b-2\nc-3\n', '1 user without readable roles is'],
    ['--role FrontDesk --limit 1', 'b-2\n', '1 user without readable roles is'],
    ['--role Auditor,Cook --role FrontDesk --enabled', 'b-2\n', '1 user without a readable state is'],
    ['--enabled=false', 'c-3\n', '2 users without a readable state are'],
    ['--search "n muller"', 'b-2\n', '1 user without a name and an e-mail address is'],
    [
      '--search E.com --page-size 2 --page-number 2',
      'd-4\n',
      '1 user without a name and an e-mail address is',
    ],
    ['--email ben@example.com', 'b-2\n', '1 user without an e-mail address is'],
  ])('%s is answered here', async (flags, stdout, warning) => {
    listed();

    const result = await cli(`users list -q ${flags}`, { env: hotels });

    expect(result).toEqual({ exitCode: 0, stdout, stderr: `warning: ${warning} not listed.\n` });
  });

  test('those that the service has are sent, and the rest is answered here', async () => {
    const [cook, ana] = ['Cook', 'FrontDesk'].map((role) => ({ ...ANA, properties: [at('BER', role)] }));
    nock(IDENTITY, AUTH)
      .get(`/api/v1/users?enabled=true&${PAGE}`)
      .reply(200, { users: [{ ...cook, subjectId: 'f-6' }, ana], count: 2 });

    const line = 'users list -q --enabled --role FrontDesk --search ana';
    expect(await cli(line, { env: apaleo })).toEqual({ exitCode: 0, stdout: 'a-1\n', stderr: '' });
  });

  test.each([
    ['users list --role AccountAdmin', '--role: "AccountAdmin" is no role at a property'],
    ['users list --sort email --enabled', '--sort: needs dialect apaleo'],
  ])('%s is refused', async (line, message) => {
    expect(await cli(line, { env: hotels })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(`error: ${message}`),
    });
  });

  test('a role that the service does not list is refused with a suggestion', async () => {
    listed();
    nock(IDENTITY, AUTH)
      .get('/api/v1/roles')
      .reply(200, { roles: ['FrontDesk'] });

    expect(await cli('users list --role Frontdesk', { env: hotels })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringContaining('lists no role "Frontdesk"; did you mean FrontDesk?'),
    });
  });

  test('invitations are filtered by role and age', async () => {
    const invitations = [
      { email: 'ana@example.com', role: 'FrontOffice', roles: ['FrontDesk', 'Auditor'] },
      { email: 'ben@example.com', role: 'FrontDesk' },
      { email: 'cyd@example.com', role: 'FrontDesk', created: '2026-11-22T00:00:00Z' },
      { email: 'dan@example.com' },
    ].map((each) => ({ ...invitation, ...each }));
    nock(IDENTITY, AUTH).get('/api/v1/account/invitations').reply(200, { invitations });

    const line = 'invitations list --role FrontDesk --older-than 2d -q';
    const { stdout } = await cli(line, { env: apaleo, now: Date.UTC(2026, 10, 23) });
    expect(stdout).toBe('ana@example.com\nben@example.com\n');
  });
});

describe('a user named by e-mail where the service filters by e-mail', () => {
  const BEN = { ...user, subjectId: 'b-2', email: 'ben@example.com' };
  const filtered = (users: readonly object[], count = users.length) =>
    nock(IDENTITY, AUTH).get(`/api/v1/users?email=ben%40example.com&${PAGE}`).reply(200, { users, count });
  const whole = (users: readonly object[]) =>
    nock(IDENTITY, AUTH).get(`/api/v1/users?${PAGE}`).reply(200, { users, count: users.length });
  const get = () => cli('users get ben@example.com --json', { env: apaleo });
  const shown = () => nock(IDENTITY, AUTH).get('/api/v1/users/b-2').reply(200, BEN);

  test.each([
    ['the only entry', [BEN]],
    ['among others when the service ignores the filter', [ANA, BEN]],
  ])('is found with one page: %s', async (_, users) => {
    filtered(users);
    shown();

    expect(JSON.parse((await get()).stdout)).toMatchObject({ subject_id: 'b-2', email: 'ben@example.com' });
  });

  test.each([
    ['matches no user', [], 0],
    ['matches an address in another case', [{ ...user, subjectId: 'b-3', email: 'Ben@example.com' }], 1],
    ['returns fewer users than its count', [], 7],
  ])('is searched in the whole list when the filter %s', async (_, users, count) => {
    filtered(users, count);
    whole([ANA, BEN]);
    shown();

    expect((await get()).exitCode).toBe(0);
  });

  test('that does not exist is answered with the nearest address of the whole list', async () => {
    nock(IDENTITY, AUTH).get(`/api/v1/users?email=bne%40example.com&${PAGE}`).reply(204);
    whole([ANA, BEN]);
    nobodyInvited({ path: '/api/v1/account/invitations' });

    expect(await cli('users get bne@example.com', { env: apaleo })).toEqual({
      exitCode: 3,
      stdout: '',
      stderr:
        'error: There is no user with the e-mail address "bne@example.com".\nhint: Did you mean ben@example.com?\n',
    });
  });
});

import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { nobodyInvited } from '../helpers/administered.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { user } from '../helpers/records.ts';

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

test('the dialect contract rejects these flags by name, and advises no --param that it does not know', async () => {
  const line = 'users list --email ana@example.com --enabled false --sort email';

  expect(await cli(line, { env: hotels })).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^error: .*--email: .*--enabled: .*--sort: .*\nhint: innctl users list --help\n$/s,
    ),
  });
});

test('--param sends a parameter without a flag unchanged, and warns of each that the contract does not have', async () => {
  nock(IDENTITY, AUTH)
    .get('/api/v1/users?email=ana%40example.com&enabled=yes&enabled=no&page_size=100&page_number=1')
    .reply(200, { count: 0, items: [] });
  const line = 'users list --param email=ana@example.com --param enabled=yes --param enabled=no';

  expect(await cli(line, { env: hotels })).toEqual({
    exitCode: 0,
    stdout: '',
    stderr:
      'warning: --param email is not a known parameter here; the service may ignore it.\n' +
      'warning: --param enabled is not a known parameter here; the service may ignore it.\n',
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

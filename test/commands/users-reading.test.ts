import nock from 'nock';
import { expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const API = 'https://api.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };

const ana = {
  subjectId: 'a-1',
  firstName: 'Ana',
  lastName: 'Lindner',
  email: 'ana@example.com',
  enabled: true,
  isAccountAdmin: true,
  properties: [],
  shoeSize: 38,
};
const ben = {
  subjectId: 'b-2',
  firstName: 'Ben',
  lastName: 'Schuster',
  email: 'ben@example.com',
  enabled: false,
  isAccountAdmin: false,
  properties: [
    { id: 'BER', roles: ['FrontDesk'] },
    { id: 'MUC', roles: [] },
  ],
};

onlyIntercepted();

/** Mocks the list of users with this query as one page. */
const listing = (query: string, users: readonly unknown[], count = users.length) =>
  nock(IDENTITY, AUTH).get(`/api/v1/users${query}`).reply(200, { users, count });

test.each([
  ['--property-ids BER,VIE', '?property_ids=BER&property_ids=VIE&page_size=100&page_number=1'],
  ['--property-ids BER --property VIE,BER', '?property_ids=BER&property_ids=VIE&page_size=100&page_number=1'],
  ['--page-number 3 --page-size 7', '?page_size=7&page_number=3'],
  ['--limit 5', '?page_size=5&page_number=1'],
])('users list %s', async (flags, query) => {
  listing(query, [ben]);

  const result = await cli(`users list ${flags} -o ndjson`, { env: hotels });

  expect({ ...result, stdout: JSON.parse(result.stdout).subject_id }).toEqual(printed('b-2'));
});

test('an address of two users is ambiguous, and the error names both', async () => {
  const other = { ...ben, subjectId: 'b-3', enabled: true, lastName: 'Novak' };
  listing('?page_size=100&page_number=1', [ana, ben, other]);

  const result = await cli('users get ben@example.com --json', { env: hotels });

  expect({ ...result, stderr: JSON.parse(result.stderr) }).toEqual(
    ended(12, {
      error: {
        code: 'ambiguous',
        message: '2 users have the e-mail address "ben@example.com".',
        hint: 'Name the one you mean by the subject id.',
        details: [
          { field: 'subject_id', reason: 'b-2 (Ben Schuster, ben@example.com, disabled)' },
          { field: 'subject_id', reason: 'b-3 (Ben Novak, ben@example.com)' },
        ],
      },
    }),
  );
});

test('an unknown subject id is not found, and the nearest one is suggested', async () => {
  nock(IDENTITY)
    .get('/api/v1/identity/users/b-22')
    .reply(404, { messages: ['no such user'] });
  listing('?page_size=100&page_number=1', [{ ...ben, subjectId: 'b-12' }]);

  expect(await cli('users get b-22', { env: hotels })).toEqual(
    ended(
      3,
      'error: Could not get the user: no such user (404 from identity.example.com).\nhint: Did you mean b-12?\n',
    ),
  );
});

test.each([
  ['karl', 'innctl users list --all'],
  ['BEN', 'Did you mean ben@example.com?'],
])('an unknown name is answered with a matching address or the list command: %s', async (name, hint) => {
  nock(IDENTITY).get(`/api/v1/identity/users/${name}`).reply(404);
  listing('?page_size=100&page_number=1', [ana, ben]);

  expect((await cli(`users get ${name} --json`, { env: hotels })).stderr).toContain(JSON.stringify(hint));
});

test('users me with client credentials fails without any request', async () => {
  const env = {
    INNCTL_IDENTITY_URL: IDENTITY,
    INNCTL_BASE_URL: API,
    INNCTL_CLIENT_ID: 'nightly',
    INNCTL_CLIENT_SECRET: 'secret-of-nightly-123',
  };

  expect(await cli('users me', { env })).toEqual(
    ended(
      5,
      'error: Client credentials have no user.\n' + 'hint: Use a profile with the token of a person.\n',
    ),
  );
});

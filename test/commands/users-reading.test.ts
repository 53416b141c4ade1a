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

test('without a terminal users are rows of id, name, status and properties', async () => {
  listing('?page_size=100&page_number=1', [ana, ben]);

  expect(await cli('user ls', { env: hotels })).toEqual(
    printed(
      'a-1\tana@example.com\tAna\tLindner\ttrue\ttrue\t\t\n' +
        'b-2\tben@example.com\tBen\tSchuster\tfalse\tfalse\t\tBER: FrontDesk; MUC: none\n',
    ),
  );
});

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

test('an unknown property is reported with the nearest one', async () => {
  nock(IDENTITY)
    .get('/api/v1/users?property_ids=BEER&page_size=100&page_number=1')
    .reply(422, { messages: ['property BEER is not known'] });
  nock(API)
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .reply(200, {
      count: 2,
      items: [
        { id: 'BER', name: 'BER' },
        { id: 'VIE', name: 'VIE' },
      ],
    });

  expect(await cli('users list --property BEER', { env: hotels })).toEqual(
    ended(
      6,
      'error: Could not list the users: property BEER is not known (422 from identity.example.com).\n' +
        'hint: Did you mean BER?\n',
    ),
  );
});

test('users get prints every field', async () => {
  nock(IDENTITY, AUTH)
    .get('/api/v1/identity/users/b-2')
    .reply(200, { ...ben, properties: ['BER', 'MUC'] });

  expect(await cli('users get b-2', { env: { ...hotels, NO_COLOR: '1' }, columns: 80 })).toEqual(
    printed(
      'Subject id:    b-2\nFirst name:    Ben\nLast name:     Schuster\nE-mail:        ben@example.com\n' +
        'Enabled:       no\nAccount admin: no\nProperties:    BER, MUC\n',
    ),
  );
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

test('a 403 for users me hints that the token may have no user', async () => {
  nock(IDENTITY)
    .get('/api/v1/users/me')
    .reply(403, { messages: ['no user'] });

  expect(await cli('users me', { env: hotels })).toEqual(
    ended(
      5,
      'error: Could not get the current user: no user (403 from identity.example.com).\n' +
        'hint: A token from client credentials belongs to no user: use the token of a person, or ask for the missing right.\n',
    ),
  );
});

test('other errors of users me have no such hint', async () => {
  nock(IDENTITY).get('/api/v1/users/me').reply(404);

  expect((await cli('users me', { env: hotels })).stderr).not.toContain('client credentials');
});

test.each<[string | readonly string[], string]>([
  ['users list --page-size 5 --param pageSize=7', '--param: pageSize is given by a flag too: --page-size'],
  ['users list --property BER --param propertyIds=MUC', '--param: propertyIds is given by a flag too'],
  ['users list --param pageSize=7 --param page_size=7', '--param: page_size is given twice'],
  ['users list --param pageNumber=x', '--page-number: "x" is not a whole number from 1'],
  ['users list --param pageNumber=2 --limit 3', '--page-number gives exactly one page'],
  ['users list --param propertyIds=a/b', '--param: "a/b" has characters that no id has'],
  ['users get ana@', 'email: "ana@" is not an e-mail address'],
])('%s: exit code 2, and no request is sent', async (line, message) => {
  expect(await cli(line, { env: hotels })).toEqual(ended(2, expect.stringContaining(message)));
});

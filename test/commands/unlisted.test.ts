import nock from 'nock';
import { expect, test } from 'vitest';
import { API, apaleo, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { property } from '../helpers/records.ts';

onlyIntercepted();

const listed = (items: readonly unknown[], reply = 200) =>
  nock(API)
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .reply(reply, reply === 200 ? { count: items.length, items } : { messages: ['no'] });

const BERLIN = { id: 'B-1', code: 'BER', name: 'Grand Hotel' };

test.each([
  ['users list --property ber', '/api/v1/users?property_ids=ber&page_size=100&page_number=1'],
  ['invitations list --property ber', '/api/v1/invitations?property_id=ber'],
])('an empty list for an unknown property exits with 3: %s', async (line, path) => {
  for (const _ of ['a table', 'JSON']) {
    nock(IDENTITY).get(path).reply(204);
    listed([BERLIN]);
  }

  expect(await cli(line, { env: hotels })).toEqual(
    ended(3, 'error: The service lists no property "ber"; did you mean B-1?\nhint: innctl properties list\n'),
  );
  expect(await cli(`${line} --json`, { env: hotels })).toMatchObject({ exitCode: 3, stdout: '' });
});

test('for a property name instead of an id the error suggests the id', async () => {
  nock(IDENTITY).get('/api/v1/users?property_ids=fontenay&page_size=100&page_number=1').reply(204);
  listed([{ ...BERLIN, name: { en: 'Fontenay' } }]);

  expect(await cli('users list --property fontenay', { env: hotels })).toMatchObject({
    exitCode: 3,
    stderr:
      'error: The service lists no property "fontenay"; did you mean B-1?\nhint: innctl properties list\n',
  });
});

test.each([
  ['its id', 'B-1', [BERLIN]],
  ['its code', 'BER', [BERLIN]],
])('an empty list for a property given by %s succeeds', async (_, word, items) => {
  nock(IDENTITY).get(`/api/v1/users?property_ids=${word}&page_size=100&page_number=1`).reply(204);
  listed(items);

  expect(await cli(`users list --property ${word} --json`, { env: hotels })).toEqual(
    printed('{\n  "count": 0,\n  "items": []\n}\n'),
  );
});

test('when the property list cannot be read, a warning replaces the error', async () => {
  nock(IDENTITY).get('/api/v1/users?property_ids=ber&page_size=100&page_number=1').reply(204);
  listed([], 403);

  expect(await cli('users list --property ber', { env: hotels })).toEqual(
    ended(0, expect.stringMatching(/^warning: .* It may exist: .*403.*\.\n/)),
  );
});

test('properties are not requested when a user matches, and stderr mentions account admins and invitations', async () => {
  const ask = (flags: string, user: object) => {
    nock(IDENTITY)
      .get('/api/v1/users?property_ids=BER&page_size=100&page_number=1')
      .reply(200, { count: 1, items: [{ subject_id: 'a-1', ...user }] });
    return cli(`users list --property BER ${flags}`, { env: hotels });
  };

  expect((await ask('', {})).stderr).toBe(
    'Account admins and open invitations may reach BER too: innctl access report --property BER\n',
  );
  expect((await ask('', { isAccountAdmin: true })).stderr).toBe(
    'Account admins and open invitations may reach BER too: innctl access report --property BER\n',
  );
  expect((await ask('--json', {})).stderr).toBe('');
});

test('archived properties count as existing in the dialect apaleo', async () => {
  nock(IDENTITY).get('/api/v1/users?propertyIds=OLD&pageSize=100&pageNumber=1').reply(204);
  nock(API)
    .get('/inventory/v1/properties?includeArchived=true&pageSize=100&pageNumber=1')
    .reply(200, { count: 1, properties: [{ ...property, id: 'OLD', code: 'OLD' }] });
  expect((await cli('users list --property OLD', { env: apaleo })).exitCode).toBe(0);
});

test.each(['--country-code AQ', '--param country_code=AQ'])(
  'properties list %s exits with 3 when the service lists no such country',
  async (flags) => {
    nock(API).get('/inventory/v1/properties?countryCode=AQ&pageSize=100&pageNumber=1').reply(204);
    nock(API)
      .get('/inventory/v1/types/countries')
      .reply(200, { countryCodes: ['AT', 'DE'] });

    expect(await cli(`properties list ${flags}`, { env: apaleo })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('The service lists no country "AQ"'),
    });
  },
);

import nock from 'nock';
import { expect, test } from 'vitest';
import { API, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { property, unit, user } from '../helpers/records.ts';

const invitations = {
  invitations: [
    {
      email: 'ana@example.com',
      isAccountAdmin: false,
      invitedBy: 'ben@example.com',
      created: '2026-10-11T08:00:00Z',
      properties: ['BER'],
      role: 'Housekeeping',
      shoeSize: 38,
    },
  ],
};

onlyIntercepted();

test('known fields of invitations are listed in snake_case, unknown ones unchanged', async () => {
  nock(IDENTITY).get('/api/v1/invitations').query({ property_id: 'BER' }).reply(200, invitations);

  const result = await cli('invitations list --property-id BER --json', { env: hotels });

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
    printed({
      count: 1,
      items: [
        {
          email: 'ana@example.com',
          is_account_admin: false,
          invited_by: 'ben@example.com',
          created: '2026-10-11T08:00:00Z',
          properties: ['BER'],
          role: 'Housekeeping',
          shoeSize: 38,
        },
      ],
    }),
  );
});

test.each(['--property-id BER --property-id BER', '--property BER', '--property-id BER --property BER'])(
  'a repeated property is one filter: %s',
  async (flags) => {
    nock(IDENTITY).get('/api/v1/invitations?property_id=BER').reply(200, invitations);

    expect((await cli(`invite ls ${flags}`, { env: hotels })).exitCode).toBe(0);
  },
);

test('an invitation with only roles shows them in the role column', async () => {
  const listed = { email: 'ana@example.com', roles: ['FrontDesk', 'Auditor'], properties: ['BER'] };
  nock(IDENTITY)
    .get('/api/v1/invitations')
    .reply(200, { invitations: [listed] });

  const { stdout } = await cli('invitations list', { env: hotels });

  expect(stdout).toBe('ana@example.com\tFrontDesk, Auditor\tBER\t\t\t\n');
});

test('an empty body is an empty list', async () => {
  nock(API).get('/inventory/v1/properties?page_size=100&page_number=1').reply(204);

  expect(await cli('properties list --json', { env: hotels })).toEqual(
    printed('{\n  "count": 0,\n  "items": []\n}\n'),
  );
});

test.each([
  [
    'invitations list',
    IDENTITY,
    '/api/v1/invitations',
    { invitations: [{ email: 'a@x.org' }, { email: 'b@x.org' }] },
  ],
  ['roles list', IDENTITY, '/api/v1/roles', { roles: ['Auditor', 'Housekeeping'] }],
  ['countries list', API, '/inventory/v1/types/countries', { countryCodes: ['AT', 'DE'] }],
])('--limit truncates unpaginated lists locally: %s', async (line, host, path, body) => {
  nock(host).get(path).reply(200, body);

  const { stdout } = await cli(`${line} --limit 1 --json`, { env: hotels });

  expect(JSON.parse(stdout)).toMatchObject({ count: 2, has_more: true, items: { length: 1 } });
});

test('all pages are read by default, and --all is accepted', async () => {
  const items = Array.from({ length: 250 }, (_, index) => ({ id: `H${index}`, name: 'H' }));
  for (const flags of ['', ' --all']) {
    for (const number of [1, 2, 3]) {
      nock(API)
        .get(`/inventory/v1/properties?page_size=100&page_number=${number}`)
        .reply(200, { count: 250, items: items.slice((number - 1) * 100, number * 100) });
    }

    const { stdout } = await cli(`properties list --json${flags}`, { env: hotels });

    expect(JSON.parse(stdout)).toEqual({ count: 250, items });
  }
});

test.each([
  ['properties list --param pageSize=7', API, '/inventory/v1/properties?page_size=7&page_number=1'],
  ['properties list --param pageNumber=2', API, '/inventory/v1/properties?page_size=100&page_number=2'],
  [
    'users list --param property-ids=BER,VIE --param page_size=3',
    IDENTITY,
    '/api/v1/users?property_ids=BER&property_ids=VIE&page_size=3&page_number=1',
  ],
  ['invitations list --param propertyId=BER', IDENTITY, '/api/v1/invitations?property_id=BER'],
])('a --param with a flag of its own acts as that flag, in either spelling: %s', async (line, host, path) => {
  nock(host)
    .get(path)
    .reply(200, { count: 3, items: [{ id: 'BER', name: 'B', email: 'ana@example.com', subject_id: 'a-1' }] });
  if (path.includes('page_number=1')) {
    nock(host).get(path.replace('page_number=1', 'page_number=2')).reply(200, { count: 3, items: [] });
  }

  expect((await cli(`${line} -o ndjson`, { env: hotels })).exitCode).toBe(0);
});

test.each<[string, string]>([
  ['properties list --limit 0', '--limit: "0" is not a whole number from 1'],
  ['properties list --all --limit 5', '--all and --limit contradict each other'],
  ['properties list --all --page-number 2', 'it cannot be combined with --all'],
  ['properties list --param a --param =b', '"a" is not name=value\n  --param: "=b" is not name=value'],
  ['properties list --json -o tsv', 'contradict each other'],
  ['properties list --sandbox -p chain', '--sandbox and --profile "chain" contradict each other'],
  ['invitations list --property BER,VIE', 'one property at a time'],
  ['invitations list --property-id BER --property VIE', 'one property at a time'],
  [
    'invitations list --property BER --param propertyId=BER',
    'propertyId is given by a flag too: --property-id',
  ],
  ['invitations list --param propertyId=BER,VIE', 'one property at a time'],
  ['roles list --page-number 2 --param page_number=2', 'page_number is given by a flag too: --page-number'],
])('%s: exit 2 and nothing is sent', async (line, message) => {
  expect(await cli(line, { env: hotels })).toEqual(ended(2, expect.stringContaining(message)));
});

test.each<[string, Record<string, string>, number, string]>([
  ['nothing is configured', {}, 4, 'No service is configured'],
  ['a URL is missing', { INNCTL_BASE_URL: hotels.INNCTL_BASE_URL }, 2, 'INNCTL_IDENTITY_URL: is missing'],
  [
    'the token is missing',
    { INNCTL_BASE_URL: hotels.INNCTL_BASE_URL, INNCTL_IDENTITY_URL: hotels.INNCTL_IDENTITY_URL },
    4,
    'Not logged in',
  ],
])('if %s nothing is sent', async (_, env, exitCode, message) => {
  expect(await cli('properties list', { env })).toEqual(ended(exitCode, expect.stringContaining(message)));
});

test.each([
  ['contract', 'invitations list', 'state'],
  ['apaleo', 'users list', 'Enabled'],
  ['apaleo', 'properties list', 'city'],
])('in the dialect %s, %s warns of the unknown --param %s and sends it', async (dialect, line, name) => {
  const sent = nock(/example\.com/)
    .get(/./)
    .query((query) => query[name] === '1')
    .reply(200, []);
  // Of a list with a count.
  nock(/example\.com/)
    .get(/count$/)
    .reply(200, '0');

  const { exitCode, stderr } = await cli(`${line} --param ${name}=1`, {
    env: { ...hotels, INNCTL_DIALECT: dialect },
  });

  expect({ exitCode, stderr, isSent: sent.isDone() }).toEqual({
    exitCode: 0,
    stderr: `warning: --param ${name} is not a known parameter here; the service may ignore it.\n`,
    isSent: true,
  });
  nock.cleanAll();
});

test.each([
  ['users list', 'sort=email%3Aasc', user],
  ['users list', 'propertyIds=BER', user],
  ['properties list', 'country_code=DE', property],
  ['units list', 'text_search=2', unit],
])('in the dialect apaleo, %s knows --param %s', async (line, param, record) => {
  nock(/example\.com/)
    .get(/./)
    .query(true)
    .reply(200, { count: 1, items: [record] });

  const { exitCode, stderr } = await cli(`${line} --param ${param} --limit 1 --json`, {
    env: { ...hotels, INNCTL_DIALECT: 'apaleo' },
  });

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

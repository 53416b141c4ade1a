import nock from 'nock';
import { expect, test } from 'vitest';
import type { Connect, ConnectOptions } from '../../src/model/ports.ts';
import { WireFailure } from '../../src/service/retry.ts';
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

test.each([
  ['no attempt is left', '--max-attempts 1', '1', 'allow more tries with --max-attempts'],
  ['the time is too short', '--timeout 5', '60', 'give more time with --timeout'],
])('the hint after Retry-After names the flag that helps: %s', async (_, flag, retryAfter, advice) => {
  nock(hotels.INNCTL_IDENTITY_URL).get('/api/v1/roles').reply(429, '', { 'retry-after': retryAfter });

  const { exitCode, stderr } = await cli(`roles list --json ${flag}`, { env: hotels });

  expect({ exitCode, hint: JSON.parse(stderr).error.hint }).toEqual({
    exitCode: 7,
    hint: `Try again then, or ${advice}.`,
  });
});

/** A service that is silent for as long as it is waited for; and what the transport was opened with. */
function silent() {
  const opened: ConnectOptions[] = [];
  const connect: Connect = async (options) => {
    opened.push(options);
    return {
      request: async () => {
        throw new WireFailure('timeout', `${options.headTimeoutMs / 1000} s passed.`, { sent: true });
      },
      close: async () => {},
    };
  };
  return { connect, opened };
}

test.each<[string, Readonly<Record<string, string>>, number]>([
  ['', {}, 30_000],
  ['--timeout 90', {}, 90_000],
  ['', { INNCTL_TIMEOUT: '90.0005' }, 90_001],
])(
  'an answer is waited for as long as --timeout is (%j, %j), and the hint names it',
  async (flag, env, waitMs) => {
    const { connect, opened } = silent();

    const run = await cli(`roles list --max-attempts 1 ${flag}`, { env: { ...hotels, ...env }, connect });

    expect(opened.map(({ headTimeoutMs, idleTimeoutMs }) => [headTimeoutMs, idleTimeoutMs])).toEqual([
      [waitMs, waitMs],
    ]);
    expect(run).toEqual(
      ended(
        7,
        `error: Could not list the roles: ${waitMs / 1000} s passed.\nhint: Give more time with --timeout.\n`,
      ),
    );
  },
);

test('a list without pages that is too large names --max-body', async () => {
  const connect: Connect = async () => ({
    request: async ({ maxBytes }) => {
      throw new WireFailure('too-large', `more than ${maxBytes} bytes.`, { sent: true });
    },
    close: async () => {},
  });

  const { exitCode, stderr } = await cli('invitations list --json', { env: hotels, connect });

  expect({ exitCode, ...JSON.parse(stderr).error }).toMatchObject({ exitCode: 1, code: 'too_large' });
  expect(JSON.parse(stderr).error.hint).toBe('Accept more with --max-body.');
});

import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';

const IDENTITY = 'https://identity.example.com';
const API = 'https://api.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };

onlyIntercepted();

const innctl = (line: string, situation: Situation = {}) => cli(line, { env: hotels, ...situation });

const invite = () => innctl('invite create --no-check ana@example.com --is-account-admin --yes');

const TO_NOTHING = 'this invitation gives access to nothing';

const INVITED = ended(0, 'Invited ana@example.com.\n');

test('the request body has exactly the fields of the contract', async () => {
  nock(IDENTITY, AUTH)
    .post('/api/v1/invitations', {
      email: 'ana@example.com',
      properties: ['BER', 'VIE'],
      role: 'Housekeeping',
    })
    .reply(200, { email: 'ana@example.com' });

  const result = await innctl(
    'invitations create --no-check ana@example.com --role Housekeeping --properties BER,VIE --json',
  );

  expect(result).toEqual(
    printed(
      `${JSON.stringify(
        { email: 'ana@example.com', properties: ['BER', 'VIE'], role: 'Housekeeping', invited: true },
        null,
        2,
      )}\n`,
    ),
  );
});

test.each([
  [
    '--role Housekeeping',
    { role: 'Housekeeping' },
    `warning: Without --is-account-admin, or --role and --properties, ${TO_NOTHING}.\n`,
  ],
  ['--no-access', {}, ''],
])('an invitation without access is sent with %s', async (flags, body, warning) => {
  nock(IDENTITY, AUTH)
    .post('/api/v1/invitations', { email: 'ana@example.com', ...body })
    .reply(200, { email: 'ana@example.com' });

  const result = await innctl(`invitations create --no-check ana@example.com ${flags}`);

  expect(result).toEqual(ended(0, `${warning}Invited ana@example.com.\n`));
});

test.each([
  ['', `Without a role, properties or --is-account-admin, ${TO_NOTHING}: add them, or --no-access.`],
  ['--role Housekeeping --no-access', '--no-access contradicts the access that the invitation gives.'],
])('an invitation to nothing must be wanted: %j', async (flags, message) => {
  const { exitCode, stderr } = await innctl(`invitations create ana@example.com ${flags}`);

  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`error: ${message}\n`)]);
});

test("a terminal prompts for e-mail and properties, chosen from the service's list", async () => {
  nock(API, AUTH)
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .reply(200, {
      count: 2,
      items: [
        { id: 'BER', name: 'Berlin' },
        { id: 'VIE', name: { en: 'Vienna' } },
      ],
    });
  nock(IDENTITY, AUTH)
    .post('/api/v1/invitations', { email: 'ana@example.com', properties: ['VIE'], role: 'Housekeeping' })
    .reply(200, { email: 'ana@example.com' });

  const result = await innctl('invite create --no-check --role Housekeeping', {
    answers: ['not an address', 'ana@example.com', ['VIE'], true],
  });

  expect(result).toEqual(
    ended(
      0,
      'This will be sent to identity.example.com:\n' +
        'E-mail:     ana@example.com\n' +
        'Properties: VIE\n' +
        'Role:       Housekeeping\n' +
        'Invited ana@example.com.\n' +
        'Equivalent command: innctl invite create --no-check --role Housekeeping --email ana@example.com --properties VIE\n',
    ),
  );
});

test('a terminal prompts for the role as text, and properties need their flag, when their lists are forbidden', async () => {
  nock(IDENTITY, AUTH).get('/api/v1/roles').reply(403, {});
  nock(API, AUTH).get('/inventory/v1/properties?page_size=100&page_number=1').reply(403, {});

  const result = await innctl('invite create --no-check ana@example.com', { answers: [' ', ' Auditor '] });

  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--propert') });
});

test('another error while reading a list ends the prompts', async () => {
  nock(IDENTITY, AUTH).get('/api/v1/roles').reply(404);

  expect((await innctl('invite create --no-check ana@example.com', { answers: [] })).exitCode).toBe(3);
});

test.each<[string, boolean, number]>([
  ['no', false, 11],
  ['yes', true, 0],
])(
  'without a chosen property the prompt asks for confirmation, answered with %s',
  async (_, answer, exitCode) => {
    nock(API, AUTH)
      .get('/inventory/v1/properties?page_size=100&page_number=1')
      .reply(200, { count: 1, items: [{ id: 'BER', name: 'BER' }] });
    if (answer) nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(200, { email: 'ana@example.com' });
    const questions: string[] = [];
    const prompter = {
      ...noPrompter,
      chooseSeveral: async () => [],
      confirm: async (question: string) => {
        questions.push(question);
        return answer;
      },
    };

    const result = await cli('invite create --no-check ana@example.com --role Auditor', {
      ...{ env: hotels, answers: [], prompter },
    });

    expect({ exitCode: result.exitCode, questions }).toEqual({
      exitCode,
      questions: ['Without a property this invitation gives access to nothing. Invite anyway?'],
    });
  },
);

test('a missing e-mail prints the same command with a placeholder', async () => {
  expect(await innctl("invite create --no-check --role 'Front desk' --property BER,MUC")).toEqual(
    ended(
      2,
      'error: email: is missing\n' +
        "hint: innctl invite create --no-check --role 'Front desk' --property BER,MUC --email EMAIL\n",
    ),
  );
});

test.each<[string, string, string]>([
  ['invite create', 'email: is missing', 'no e-mail and no terminal'],
  ['invite create --no-check ana@example', '"ana@example" is not an e-mail address', 'a domain of one label'],
  [
    'invite create --no-check ana@example.com --email ben@example.com',
    'one person is invited at a time',
    'two e-mails',
  ],
  [
    'invite create --no-check --email ana@example.com --email ana@example.com',
    '--email is given twice, as "ana@example.com" and "ana@example.com"',
    'an e-mail twice',
  ],
  [
    'invite create --no-check ana@example.com --role Auditor --role Housekeeping',
    '--role is given twice, as "Auditor" and "Housekeeping"; it takes one value.',
    'two roles',
  ],
  [
    'invite create --no-check ana@example.com --role Auditor,Housekeeping BER',
    '--role: takes one role; give several as --roles (dialect apaleo)',
    'a list of roles',
  ],
  [
    'invite create --no-check ana@example.com --is-account-admin ben@example.com',
    '"ben@example.com" is neither',
    'a second address',
  ],
])('%s: exit 2 and nothing is sent', async (line, message) => {
  const result = await innctl(line);

  expect(result).toEqual(ended(2, expect.stringContaining(message)));
});

/** A service that rejects invitations with this status and lists roles and properties. */
function rejects(status: number): void {
  nock(IDENTITY, AUTH)
    .post('/api/v1/invitations')
    .reply(status, { messages: ['no'] });
  nock(IDENTITY, AUTH)
    .get('/api/v1/roles')
    .reply(200, { roles: ['AccountAdmin', 'Auditor', 'Housekeeping'] });
  nock(API, AUTH)
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .reply(200, {
      count: 3,
      items: [
        { id: 'BER', name: 'BER' },
        { id: 'MUC', name: 'MUC' },
        { id: 'VIE', name: 'VIE' },
      ],
    });
}

test.each([400, 404, 422])('a rejection (%i) gets the likely intended value as a hint', async (status) => {
  rejects(status);

  const result = await innctl(
    'invite create --no-check ana@example.com --role Auditr --properties MUC,VIA,BEE',
  );

  expect(result.stdout).toBe('');
  expect(result.stderr).toBe(
    `error: Could not create the invitation: no (${status} from identity.example.com).\n` +
      'hint: Did you mean Auditor for Auditr, VIE for VIA, BER for BEE?\n',
  );
});

test('a rejection that does not concern a listed value reads no list', async () => {
  nock(IDENTITY, AUTH)
    .post('/api/v1/invitations')
    .reply(409, { messages: ['is already invited'] });

  const result = await innctl('invite create --no-check ana@example.com --role Auditr --property BRE');

  expect(result).toEqual(
    ended(6, 'error: Could not create the invitation: is already invited (409 from identity.example.com).\n'),
  );
});

test('a lost answer is settled by reading the list, and only one invitation is sent', async () => {
  const created = new Date().toISOString();
  nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(500);
  nock(IDENTITY, AUTH)
    .get('/api/v1/invitations')
    .reply(200, {
      invitations: [
        { email: 'ANA@example.com', invitedBy: 'ben@example.com', isAccountAdmin: true, created },
      ],
    });

  const result = await innctl('invite create --no-check ana@example.com --is-account-admin --yes --json');

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
    printed({
      email: 'ANA@example.com',
      invited_by: 'ben@example.com',
      is_account_admin: true,
      created,
      invited: true,
    }),
  );
});

test('a success response with error null is a success', async () => {
  nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(200, { email: 'ana@example.com', error: null });

  expect(await invite()).toEqual(INVITED);
});

test.each([
  ['--is-account-admin=false --no-access', false],
  ['--is-account-admin=true', true],
])('%s sets is_account_admin explicitly', async (flag, value) => {
  const { stdout } = await innctl(`invite create --no-check ana@example.com ${flag} --dry-run --json`);

  expect(JSON.parse(stdout).requests[0].body).toEqual({ email: 'ana@example.com', is_account_admin: value });
});

const unconfirmed = [
  ['an error', 200, '{"error":"nope"}'],
  ['an error beside the address', 200, '{"email":"ana@example.com","error":"nope"}'],
  ['a list', 200, '[]'],
  ['null', 200, 'null'],
  ['another address', 200, '{"email":"ben@example.com"}'],
  ['no address', 200, '{}'],
  ['a null address', 200, '{"email":null}'],
  ['something else', 201, '{"ok":true}'],
  ['an empty body', 200, ''],
  ['an empty body with status 201', 201, ''],
  ['an empty body with status 204', 204, ''],
  ['plain text', 200, 'OK'],
  ['a placeholder for the address', 200, '{"email":"string"}'],
] as const;

test('a success response with the address in another case confirms the invitation', async () => {
  nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(200, { email: 'ANA@example.com' });

  const { exitCode, stdout } = await innctl(
    'invite create --no-check ana@example.com --is-account-admin --yes --json',
  );

  expect([exitCode, JSON.parse(stdout).email]).toEqual([0, 'ANA@example.com']);
});

test.each(unconfirmed)(
  'a success response with %s does not confirm the invitation',
  async (_, status, body) => {
    nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(status, body);
    nock(IDENTITY, AUTH).get('/api/v1/invitations').times(3).reply(200, { invitations: [] });

    const result = await invite();

    expect(result).toEqual(
      ended(
        8,
        expect.stringMatching(
          /^error: Could not create the invitation: the service answered with .+ \(20\d from identity\.example\.com\)\. The outcome is unknown: .+\nhint: innctl invitations resend ana@example.com --yes\n$/,
        ),
      ),
    );
  },
);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();
const dateHeader = (ms: number) => ({ date: new Date(Date.now() + ms).toUTCString() });

describe('after a 503 with Retry-After', () => {
  const answers503 = () =>
    nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(503, '', { 'retry-after': '1' });
  const shown = (times: number, ...invitations: readonly object[]) =>
    nock(IDENTITY, AUTH).get('/api/v1/invitations').times(times).reply(200, { invitations }, dateHeader(0));

  test('a listed invitation is not sent again', async () => {
    answers503();
    shown(1, { email: 'ana@example.com', is_account_admin: true, created: fromNow(0) });

    expect(await invite()).toEqual(INVITED);
  });

  test.each<[string, readonly object[]]>([
    ['is not listed', []],
    ['is listed with an older date', [{ email: 'ana@example.com', created: fromNow(-DAY_MS) }]],
  ])('an invitation that %s is sent again', async (_, invitations) => {
    answers503();
    shown(1, ...invitations);
    nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(200, { email: 'ana@example.com' });

    expect(await invite()).toEqual(INVITED);
  });

  test('nothing is sent again if the list contains an invitation without a date', async () => {
    answers503();
    shown(4, { email: 'ana@example.com' });

    expect(await invite()).toEqual(
      ended(
        8,
        expect.stringContaining(
          'the service was not available (503), and it could not be determined whether it was carried out',
        ),
      ),
    );
  });

  test('nothing is sent again if the list cannot be read', async () => {
    answers503();
    nock(IDENTITY, AUTH).get('/api/v1/invitations').twice().reply(403);

    expect((await invite()).exitCode).toBe(8);
  });
});

const MIA = { email: 'mia@example.com', role: 'Housekeeping' };

describe('invite <address> is invitations create, and further words are properties', () => {
  test.each([
    ['invite mia@example.com --role Housekeeping BER VIE', ['BER', 'VIE']],
    ['invite --role Housekeeping mia@example.com BER VIE', ['BER', 'VIE']],
    ['invite mia@example.com BER --role Housekeeping VIE', ['BER', 'VIE']],
    ['invite --role=Housekeeping --email mia@example.com', undefined],
    ['invite --quiet mia@example.com --role Housekeeping BER', ['BER']],
    ['--json invitation mia@example.com BER VIE --role Housekeeping', ['BER', 'VIE']],
    ['invitations mia@example.com BER,VIE MUC --role Housekeeping', ['BER', 'VIE', 'MUC']],
    ['invitations create mia@example.com BER VIE --role Housekeeping', ['BER', 'VIE']],
    ['invite new mia@example.com --role Housekeeping -- BER', ['BER']],
    ['invite mia@example.com BER --role Housekeeping --properties VIE', ['BER', 'VIE']],
    ['invite mia@example.com BER --role Housekeeping --property BER,MUC', ['BER', 'MUC']],
    ['invite mia@example.com --role Housekeeping --properties BER VIE', ['VIE', 'BER']],
  ])('%s', async (line, properties) => {
    const body = properties === undefined ? MIA : { ...MIA, properties };
    nock('https://identity.example.com', AUTH)
      .post('/api/v1/invitations', body)
      .reply(200, { email: 'mia@example.com' });

    const { exitCode } = await cli(line.replace('--role', '--no-check --role'), { env: hotels });
    expect(exitCode).toBe(0);
  });

  test('--help shows the page of invitations create', async () => {
    const page = await cli('invitations create --help');

    expect(await cli('invite mia@example.com --help')).toEqual(page);
    expect(page.stdout).toContain('Usage: innctl invitations create [email] [properties...] [flags]\n');
  });
});

describe('nothing is sent', () => {
  test.each([
    [
      'invite mia@example.com ana@example.com --role Housekeeping',
      'The e-mail addresses differ (email "mia@example.com", argument "ana@example.com"); one person is invited at a time.',
    ],
    ['invite mia@example.com a/b --role Housekeeping', 'properties: "a/b" has characters that no id has'],
    ["invite mia@example.com '' --role Housekeeping", 'properties: must not be empty'],
    ['invite mia@example.com [] --role Housekeeping', 'properties: "[]" has characters that no id has'],
    ['invite create BER mia@example.com', expect.stringContaining('e-mail')],
    ['invite --role Housekeeping delete mia@example.com', "unknown option '--role'"],
    ['invite list mia@example.com', "too many arguments for 'list'. Expected 0 arguments but got 1."],
    ['roles mia@example.com', "unknown command 'mia@example.com'"],
  ])('%s', async (line, message) => {
    const { exitCode, stdout, stderr } = await cli(`${line} --json`, { env: hotels });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(JSON.parse(stderr).error.message).toEqual(message);
  });
});

import nock from 'nock';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
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
    'invite create --no-check ana@example.com --is-account-admin --yes',
    { email: 'ana@example.com', is_account_admin: true },
  ],
  [
    'invitation new --email ana@example.com --is-account-admin --yes --no-check',
    { email: 'ana@example.com', is_account_admin: true },
  ],
  [
    'invitations create --no-check ana@example.com --role Auditor --properties "BER, VIE" --property " BER"',
    { email: 'ana@example.com', properties: ['BER', 'VIE'], role: 'Auditor' },
  ],
  [
    'invitations create --no-check ana@example.com --role Auditor --properties BER --property VIE --property BER',
    { email: 'ana@example.com', properties: ['BER', 'VIE'], role: 'Auditor' },
  ],
  [
    'invite create --no-check --email ana@example.com ana@example.com --is-account-admin --yes --role Auditor --property BER',
    { email: 'ana@example.com', properties: ['BER'], is_account_admin: true, role: 'Auditor' },
  ],
])('%s', async (line, body) => {
  nock(IDENTITY, AUTH).post('/api/v1/invitations', body).reply(200, { email: 'ana@example.com' });

  const result = await innctl(line);

  expect(result).toEqual(INVITED);
});

test('an invitation without access is sent with a warning', async () => {
  nock(IDENTITY, AUTH)
    .post('/api/v1/invitations', { email: 'ana@example.com' })
    .reply(200, { email: 'ana@example.com' });

  const result = await innctl('invitations create --no-check ana@example.com');

  expect(result).toEqual(
    ended(
      0,
      'warning: Without --is-account-admin, or --role and --properties, the person will see nothing.\nInvited ana@example.com.\n',
    ),
  );
});

/** A role that is given is judged before the first question. */
const listsRoles = () =>
  nock(IDENTITY, AUTH)
    .get('/api/v1/roles')
    .reply(200, { count: 2, items: [{ name: 'Housekeeping' }, { name: 'Auditor' }] });

test("a terminal prompts for e-mail and properties, chosen from the service's list", async () => {
  listsRoles();
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
    answers: ['not an address', 'ana@example.com', ['VIE'], 'y'],
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

test('the prompt offers many properties at once', async () => {
  listsRoles();
  const items = Array.from({ length: 145_000 }, (_, index) => ({ id: `H${index}`, name: 'H' }));
  nock(API, AUTH)
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .reply(200, { count: items.length, items });
  nock(IDENTITY, AUTH)
    .post('/api/v1/invitations', { email: 'ana@example.com', properties: ['H144999'], role: 'Housekeeping' })
    .reply(200, { email: 'ana@example.com' });

  const result = await innctl('invite create --no-check ana@example.com --role Housekeeping', {
    answers: [['H144999'], 'y'],
  });

  expect(result.exitCode).toBe(0);
});

test.each<[string, nock.Body]>([
  ['are forbidden', {}],
  ['are forbidden with a reason', { messages: ['not yours'] }],
])('a terminal prompts for role and properties as text when their lists %s', async (_, body) => {
  nock(IDENTITY, AUTH).get('/api/v1/roles').reply(403, body);
  nock(API, AUTH).get('/inventory/v1/properties?page_size=100&page_number=1').reply(403, body);
  nock(IDENTITY, AUTH)
    .post('/api/v1/invitations', { email: 'ana@example.com', properties: ['BER', 'VIE'], role: 'Auditor' })
    .reply(200, { email: 'ana@example.com' });

  const result = await innctl('invite create --no-check ana@example.com', {
    answers: [' ', ' Auditor ', 'BER,,VIE', 'a/b', ' BER, VIE, BER ', 'y'],
  });

  expect(result.exitCode).toBe(0);
});

test('another error while reading a list ends the prompts', async () => {
  nock(IDENTITY, AUTH).get('/api/v1/roles').reply(404);

  expect((await innctl('invite create --no-check ana@example.com', { answers: [] })).exitCode).toBe(3);
});

test.each<[string, string, number]>([
  ['no', '', 11],
  ['yes', 'y', 0],
])(
  'without a chosen property the prompt asks for confirmation, answered with %s',
  async (_, answer, exitCode) => {
    listsRoles();
    nock(API, AUTH)
      .get('/inventory/v1/properties?page_size=100&page_number=1')
      .reply(200, { count: 1, items: [{ id: 'BER', name: 'BER' }] });
    if (answer) nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(200, { email: 'ana@example.com' });
    const questions: string[] = [];
    const prompter = {
      ...noPrompter,
      chooseSeveral: async () => [],
      text: async (question: string) => {
        questions.push(question);
        return answer;
      },
    };

    const result = await cli('invite create --no-check ana@example.com --role Auditor', {
      ...{ env: hotels, answers: [], prompter },
    });

    expect({ exitCode: result.exitCode, questions }).toEqual({
      exitCode,
      questions: ['Without a property the person will see nothing. Invite anyway? (y/N/edit)'],
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

test('editing asks again with the answers before as defaults, and only the last ones are sent', async () => {
  nock(IDENTITY, AUTH).get('/api/v1/roles').reply(200, ['Auditor']);
  nock(API, AUTH)
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .twice()
    .reply(200, {
      count: 2,
      items: [
        { id: 'BER', name: 'BER' },
        { id: 'VIE', name: 'VIE' },
      ],
    });
  nock(IDENTITY, AUTH)
    .post('/api/v1/invitations', { email: 'ana@example.com', role: 'Auditor', properties: ['VIE'] })
    .reply(200, { email: 'ana@example.com' });
  const defaults: unknown[] = [];
  const typed = ['anna@example.com', 'edit', 'ana@example.com', 'y'];
  const chosenLists = [['BER'], ['VIE']];

  const result = await innctl('invite create --no-check --role Auditor', {
    answers: [],
    prompter: {
      ...noPrompter,
      text: async (question, { initial } = {}) => {
        defaults.push([question, initial]);
        return typed.shift() ?? '';
      },
      chooseSeveral: async (question, _, { chosen } = {}) => {
        defaults.push([question, chosen]);
        return chosenLists.shift() ?? [];
      },
    },
  });

  expect({ exitCode: result.exitCode, defaults }).toEqual({
    exitCode: 0,
    defaults: [
      ['E-mail address to invite', undefined],
      ['Properties', []],
      ['Send it? (y/N/edit)', undefined],
      ['E-mail address to invite', 'anna@example.com'],
      ['Properties', ['BER']],
      ['Send it? (y/N/edit)', undefined],
    ],
  });
  expect(result.stderr).toMatch(
    /Equivalent command: innctl invite create --no-check --role Auditor --email ana@example\.com --properties VIE\n$/,
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
    'invite create --no-check ana@example.com --is-account-admin ben@example.com',
    '"ben@example.com" is neither',
    'a second address',
  ],
])('%s: exit 2 and nothing is sent', async (line, message) => {
  const result = await innctl(line);

  expect(result).toEqual(ended(2, expect.stringContaining(message)));
});

test('a dry run shows the request and sends none', async () => {
  const result = await innctl('invite create --no-check ana@example.com --is-account-admin -n --json');

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
    printed({
      dry_run: true,
      requests: [
        {
          method: 'POST',
          url: 'https://identity.example.com/api/v1/invitations',
          headers: {
            accept: 'application/json',
            'accept-encoding': 'identity',
            'user-agent': 'innctl/0.0.0-test',
            authorization: 'Bearer [redacted]',
            'content-type': 'application/json',
          },
          body: { email: 'ana@example.com', is_account_admin: true },
        },
      ],
    }),
  );
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

test('a single likely value is suggested without its flag name', async () => {
  nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(422);
  nock(IDENTITY, AUTH)
    .get('/api/v1/roles')
    .reply(200, { roles: ['Auditor'] });

  const result = await innctl('invite create --no-check ana@example.com --role auditor');

  expect(result.stderr).toContain('hint: Did you mean Auditor?\n');
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

test.each<[string, object, number]>([
  ['created just now', { created: new Date().toISOString() }, 0],
  ['created just now with the role', { created: new Date().toISOString(), roles: ['Auditor'] }, 0],
  ['created just now with another role', { created: new Date().toISOString(), roles: ['Housekeeping'] }, 8],
  ['created just now without a role', { created: new Date().toISOString(), roles: [] }, 8],
  ['without a date', {}, 8],
  ['with an invalid date', { created: 'today' }, 8],
  ['with a date that is a number', { created: Date.now() }, 8],
])('a lost answer and a listed invitation %s', async (_, fields, exitCode) => {
  nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(500);
  nock(IDENTITY, AUTH)
    .get('/api/v1/invitations')
    .times(exitCode === 0 ? 1 : 3)
    .reply(200, { invitations: [{ email: 'ana@example.com', properties: ['BER'], ...fields }] });

  const result = await innctl('invite create --no-check ana@example.com --role Auditor --property BER');

  expect(result.exitCode).toBe(exitCode);
});

test('a success response with error null is a success', async () => {
  nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(200, { email: 'ana@example.com', error: null });

  expect(await invite()).toEqual(INVITED);
});

test.each([
  ['--is-account-admin=false', false],
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

test.each([
  ['{"email":"ana@example.com"}', 0],
  ['{"email":"string"}', 8],
  ['{"email":"pending"}', 8],
])('the dialect apaleo confirms by address: %s', async (body, code) => {
  nock(IDENTITY, AUTH).post('/api/v1/account/invitations').reply(200, body);
  nock(IDENTITY, AUTH).get('/api/v1/account/invitations').times(3).reply(200, { invitations: [] });
  const env = { ...hotels, INNCTL_DIALECT: 'apaleo' };

  const { exitCode } = await cli('invite create --no-check ana@example.com --is-account-admin --yes', {
    env,
  });

  nock.cleanAll();
  expect(exitCode).toBe(code);
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

test.each<[string, string, Readonly<Record<string, string>>, number]>([
  ['now, without a time zone', fromNow(0).slice(0, -1), dateHeader(0), 0],
  ['now, by a server clock that is half a day slow', fromNow(-DAY_MS / 2), dateHeader(-DAY_MS / 2), 0],
  ['an hour ago, without a time zone', fromNow(-HOUR_MS).slice(0, -5), dateHeader(0), 8],
  ['20 days ago, in a response dated 1970', fromNow(-20 * DAY_MS), { date: new Date(0).toUTCString() }, 8],
  ['two days ago, in a response of the same date', fromNow(-2 * DAY_MS), dateHeader(-2 * DAY_MS), 8],
  ['20 days ago, in a response without a date', fromNow(-20 * DAY_MS), {}, 8],
  ['in 2099', '2099-01-01T00:00:00Z', dateHeader(0), 8],
  ['in 2099, in a response without a date', '2099-01-01T00:00:00Z', {}, 8],
])('a lost answer and an invitation created %s', async (_, created, headers, exitCode) => {
  vi.stubEnv('TZ', 'America/Los_Angeles');
  onTestFinished(() => void vi.unstubAllEnvs());
  const invited = { email: 'ana@example.com', is_account_admin: true, created };
  nock(IDENTITY, AUTH).post('/api/v1/invitations').reply(504);
  nock(IDENTITY, AUTH)
    .get('/api/v1/invitations')
    .times(exitCode === 0 ? 1 : 3)
    .reply(200, { invitations: [invited] }, headers);

  expect((await invite()).exitCode).toBe(exitCode);
});

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

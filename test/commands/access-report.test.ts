import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../src/people/access-document.ts';
import { ana, ben, paul, serveAccess } from '../helpers/account.ts';
import { cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const now = Date.parse('2026-11-23T12:00:00Z');

const karl = {
  ...ben,
  subjectId: 'u-karl',
  firstName: 'Karl',
  lastName: 'Lorenz',
  email: 'karl@example.com',
};

const berlin = { id: 'BER', code: 'BER', name: { en: 'Hotel Berlin' } };
const vienna = { id: 'VIE', code: 'VIE', name: { en: 'Hotel Wien' } };

const everybody = [
  ana,
  ben,
  { ...karl, enabled: false, properties: [{ id: 'VIE', roles: ['Housekeeping'] }] },
];

const account = (some: Parameters<typeof serveAccess>[0] = {}) =>
  serveAccess({ users: everybody, properties: [vienna, berlin], ...some });

const report = (line = '', columns?: number) =>
  cli(`access report ${line} --color never`, {
    env: hotels,
    now,
    ...(columns === undefined ? {} : { columns }),
  });

onlyIntercepted();

test('a terminal shows people and properties as a matrix, with what its codes mean', async () => {
  account();

  const result = await report('', 80);

  expect(result).toEqual(
    printed(`\
Name          E-mail            State     BER   VIE
Ana Berg      ana@example.com   active    *     *
Ben Schuster  ben@example.com   active    FD    -
Karl Lorenz   karl@example.com  disabled  ·     (HK)
              paul@example.com  invited   (AU)  ·

AU Auditor        HK Housekeeping   - no role         ( ) not now
FD FrontDesk      * account admin   ? not shown
`),
  );
});

test('a list of people follows where the matrix does not fit', async () => {
  const hotels = Array.from({ length: 9 }, (_, index) => ({
    id: `HOTEL${index}`,
    code: `HOTEL${index}`,
    name: 'x',
  }));
  const everywhere = hotels.map(({ id }) => ({ id, roles: ['FrontDesk'] }));
  account({ users: [ana, { ...ben, properties: everywhere }], properties: hotels });

  const { stdout } = await report('', 90);

  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^┌/),
    expect.stringMatching(/^│ E-mail +│ State +│ Access +│/),
    expect.stringMatching(/^├/),
    expect.stringMatching(/^│ ana@example.com +│ active +│ account admin/),
    expect.stringContaining('HOTEL0, HOTEL1, HOTEL2, HOT…'),
    expect.stringMatching(/^│ paul@example.com +│ invited +│ BER: Auditor/),
    expect.stringMatching(/^└/),
    '',
  ]);
});

test('a report of one property has account admins, disabled people and invitations, with their roles', async () => {
  account();

  const { stdout, exitCode } = await report('--property VIE', 80);

  expect(exitCode).toBe(0);
  expect(stdout).toBe(`\
Name          E-mail            State     VIE
Ana Berg      ana@example.com   active    *
Ben Schuster  ben@example.com   active    -
Karl Lorenz   karl@example.com  disabled  (HK)

HK Housekeeping   - no role         ( ) not now
* account admin   ? not shown
`);
});

test('a report of one person has the user and the invitation', async () => {
  account({ invitations: [{ ...paul, email: 'Ben@Example.com' }] });

  const { stdout } = await report('--user BEN@example.com -o tsv --fields email,state,property,roles,source');

  expect(stdout).toBe(`\
ben@example.com\tactive\tBER\tFrontDesk\tuser
ben@example.com\tactive\tVIE\t\tuser
Ben@Example.com\tinvited\tBER\tAuditor\tinvitation
`);
});

test.each([
  ['access BER', 'access report --property BER'],
  ['access BER,VIE', 'access report --property BER,VIE'],
  ['access ben@example.com', 'access report --user ben@example.com'],
  ['--json access BER', 'access report --property BER --json'],
])('%s is short for %s', async (short, long) => {
  account();
  account();

  const results = [await cli(short, { env: hotels, now }), await cli(long, { env: hotels, now })];

  expect(results[0]).toEqual(results[1]);
  expect(results[0]?.exitCode).toBe(0);
});

test('csv has one fact a row, in columns that programs rely on', async () => {
  account({ users: [{ ...ben, firstName: '=cmd()', lastName: '\u001b[31m' }] });

  const result = await report('-o csv');

  expect(result).toEqual(
    printed(`\
email,name,subject_id,state,account_admin,property,property_name,roles,mfa,passkeys,invited_by,since,age_days,source
ben@example.com,'=cmd() \\u{1b}[31m,u-ben,active,false,BER,Hotel Berlin,FrontDesk,false,false,,,,user
ben@example.com,'=cmd() \\u{1b}[31m,u-ben,active,false,VIE,Hotel Wien,,false,false,,,,user
paul@example.com,,,invited,false,BER,Hotel Berlin,Auditor,,,ana@example.com,2026-10-01T08:00:00Z,53,invitation
`),
  );
});

test('the rows of a review begin with an id, and end with what is decided', async () => {
  account();

  const { stdout } = await report('--for-review -o csv');

  const [head, first] = stdout.split('\n');
  expect(head).toMatch(/^row_id,email,.*,source,decision,reviewer,comment$/);
  expect(first).toMatch(/^[\w:-]{8,},ana@example.com,.*,user,,,$/);
});

test('two reports of the same account differ in `made` alone, and are read again', async () => {
  account();
  account();

  const [one, other] = [
    await report('--json'),
    await cli('access report --json', { env: hotels, now: now + 5_000 }),
  ];

  const [first, second] = [
    await readDocument(one.stdout, 'one.json'),
    await readDocument(other.stdout, 'other.json'),
  ];
  expect(first.access).toEqual({
    version: 1,
    made: '2026-11-23T12:00:00.000Z',
    identity_url: 'https://identity.example.com',
    base_url: 'https://api.example.com',
    dialect: 'contract',
    actor: 'ana@example.com',
    complete: true,
    unknown: 0,
    properties: [
      { id: 'BER', name: 'Hotel Berlin' },
      { id: 'VIE', name: 'Hotel Wien' },
    ],
  });
  expect(first.count).toBe(5);
  expect({ ...second, access: { ...second.access, made: first.access.made } }).toEqual(first);
});

test('a report of a part says so, and does not pass for the account', async () => {
  account();

  const { stdout } = await report('--property BER --user ben@example.com --json');

  expect(JSON.parse(stdout)).toMatchObject({
    access: { selected: { properties: ['BER'], user: 'ben@example.com' } },
    count: 1,
  });
  await expect(readDocument(stdout, 'part.json')).rejects.toThrow('part.json: access.selected');
});

describe('an incomplete list is an error, and no report', () => {
  test.each([['users', { count: 5 }, 'the service counts 5 users and listed 3']])(
    '%s',
    async (_, lists, sentence) => {
      account(lists);
      // A walk ends with a page that has nothing new.
      if ('count' in lists)
        nock(IDENTITY).get('/api/v1/users').query(true).reply(200, { users: [], count: 5 });

      const result = await report('--json');

      expect(result).toMatchObject({ exitCode: 1, stdout: '' });
      expect(result.stderr).toContain(sentence);
    },
  );
});

describe('users whose list shows a part', () => {
  const { properties: _, ...bare } = ben;

  test('are read alone', async () => {
    account({ users: [ana, bare, { ...karl, properties: ['VIE'] }] });
    const users = nock(IDENTITY);
    users.get('/api/v1/identity/users/u-ben').reply(200, {
      ...bare,
      properties: ['BER', 'VIE'],
      propertyRoles: [{ id: 'BER', roles: ['Auditor'] }],
    });
    users.get('/api/v1/identity/users/u-karl').reply(200, { ...karl, properties: ['VIE'] });

    const result = await report('-o tsv --fields email,property,roles');

    expect(result).toEqual({
      exitCode: 0,
      stderr: 'warning: The service does not show the whole access of 1 entry.\n',
      stdout: `\
ana@example.com\t*\t
ben@example.com\tBER\tAuditor
ben@example.com\tVIE\t
karl@example.com\tVIE\t?
paul@example.com\tBER\tAuditor
`,
    });
  });

  test('and cannot be read, are an error', async () => {
    account({ users: [bare] });
    nock(IDENTITY).get('/api/v1/identity/users/u-ben').reply(403, {});

    expect(await report('-o csv')).toMatchObject({ exitCode: 5, stdout: '' });
  });
});

test.each([
  ['--property BRE', 'There is no property "BRE".', 'Did you mean BER?'],
  ['--user bne@example.com', 'has the e-mail address "bne@example.com"', 'Did you mean ben@example.com?'],
])('%s is not found, with a suggestion', async (line, sentence, hint) => {
  account();

  const result = await report(line);

  expect(result).toMatchObject({ exitCode: 3, stdout: '' });
  expect(result.stderr).toContain(sentence);
  expect(result.stderr).toContain(hint);
});

test.each([
  ['', 'invited'],
  ['--invitation-days 54', 'invited'],
  ['--invitation-days 53', 'expired'],
])('an invitation of 53 days is, with "%s", %s', async (line, state) => {
  account({ users: [ana] });

  const { stdout } = await report(`${line} --user paul@example.com --json`);

  expect(JSON.parse(stdout).items).toEqual([expect.objectContaining({ state, age_days: 53 })]);
});

test('in the dialect apaleo invitations expire after 30 days', async () => {
  serveAccess({ dialect: 'apaleo', users: [ana] });
  const env = { ...hotels, INNCTL_DIALECT: 'apaleo' };

  const { stdout } = await cli('access report -o tsv --fields email,state,property', { env, now });

  expect(stdout).toBe('ana@example.com\tactive\t*\npaul@example.com\texpired\tBER\n');
});

test('a token that belongs to no user leaves the actor open', async () => {
  account({ users: [ana], invitations: [], properties: [], selfStatus: 403 });

  const { stdout } = await report('--json');

  expect(JSON.parse(stdout).access.actor).toBeNull();
});

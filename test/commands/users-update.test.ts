import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { administered } from '../helpers/administered.ts';
import { API, cli, hotels, IDENTITY, type Situation } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const HEADERS = {
  reqheaders: { authorization: 'Bearer token-of-ana-1234567890', 'content-type': 'application/json' },
};
const BEN = '/api/v1/identity/users/b-2';
const CONFIRMED = ended(0, 'Updated user b-2: confirmed.\n');

onlyIntercepted();

const innctl = (line: string | readonly string[], situation: Situation = {}) =>
  cli(line, { env: hotels, ...situation });

/** The service expects exactly this patch of Ben. */
const patching = (body: readonly unknown[]) =>
  nock(IDENTITY, HEADERS)
    .patch(BEN, (sent) => JSON.stringify(sent) === JSON.stringify(body))
    .reply(204);

/** The service returns Ben with these fields, once. */
const showing = (fields: object) =>
  nock(IDENTITY)
    .get(BEN)
    .reply(200, { subjectId: 'b-2', email: 'ben@example.com', ...fields });

/** The service lists these users. */
const listing = (...users: readonly object[]) =>
  nock(IDENTITY).get('/api/v1/users?page_size=100&page_number=1').reply(200, { users, count: users.length });

describe('the request', () => {
  test.each<[string, readonly unknown[], object]>([
    ['--enable', [{ op: 'replace', path: '/enabled', value: true }], { enabled: true }],
    [
      '--set-properties BER,VIE',
      [{ op: 'add', path: '/properties', value: ['BER', 'VIE'] }],
      { properties: ['VIE', 'BER'] },
    ],
    [
      '--set-properties BER --set-properties VIE,BER --enable',
      [
        { op: 'replace', path: '/enabled', value: true },
        { op: 'add', path: '/properties', value: ['BER', 'VIE'] },
      ],
      { enabled: true, properties: ['BER', 'VIE'] },
    ],
    [
      `--patch '[{"op":"replace","path":"/properties","value":["BER","MUC"]}]'`,
      [{ op: 'replace', path: '/properties', value: ['BER', 'MUC'] }],
      { properties: ['BER', 'MUC'] },
    ],
    [
      `--patch '[{"op":"replace","path":"/firstName","value":"Ben"}]' --patch '[{"op":"add","path":"/nickName","value":false}]'`,
      [
        { op: 'replace', path: '/firstName', value: 'Ben' },
        { op: 'add', path: '/nickName', value: false },
      ],
      { firstName: 'Ben', nickName: false },
    ],
    ['--patch \'[{"op":"remove","path":"/nickName"}]\'', [{ op: 'remove', path: '/nickName' }], {}],
  ])('users update %s', async (flags, body, shown) => {
    if (!flags.includes('remove')) showing({ properties: ['BER'] });
    patching(body);
    showing(shown);

    expect(await innctl(`users update b-2 ${flags}`)).toEqual(CONFIRMED);
  });

  test.each([
    ['--add-properties VIE', ['BER', 'MUC'], ['BER', 'MUC', 'VIE']],
    ['--property VIE,BER', ['BER', 'MUC'], ['BER', 'MUC', 'VIE']],
    ['--add-properties VIE --property MUC', ['BER'], ['BER', 'VIE', 'MUC']],
    ['--add-properties VIE', [], ['VIE']],
    ['--add-properties VIE', null, ['VIE']],
    ['--add-properties VIE', ['BER', 'BER'], ['BER', 'VIE']],
    ['--add-properties VIE', [{ id: 'BER', roles: ['Auditor'] }], ['BER', 'VIE']],
  ])('%s keeps the current properties: %j', async (flags, before, sent) => {
    showing({ properties: before });
    patching([{ op: 'add', path: '/properties', value: sent }]);
    showing({ properties: sent });

    expect(await innctl(`users update b-2 ${flags}`)).toEqual(CONFIRMED);
  });

  test('--json reports the user, the sent values and the verification', async () => {
    listing({ subjectId: 'b-2', email: 'ben@example.com' });
    for (let attempt = 1; attempt <= 2; attempt += 1) showing({ properties: ['BER'] });
    patching([
      { op: 'replace', path: '/enabled', value: true },
      { op: 'add', path: '/properties', value: ['BER', 'VIE'] },
    ]);
    showing({ enabled: true, properties: ['BER', 'VIE'] });

    const result = await innctl('users update BEN@example.com --enable --add-properties VIE --json');

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
      printed({
        subject_id: 'b-2',
        email: 'ben@example.com',
        updated: true,
        properties: ['BER', 'VIE'],
        added: ['VIE'],
        removed: [],
        verification: 'confirmed',
      }),
    );
  });

  test('only other fields are sent for a user who has all properties already', async () => {
    for (let attempt = 1; attempt <= 2; attempt += 1) showing({ properties: ['BER', 'VIE'], enabled: false });
    patching([{ op: 'replace', path: '/enabled', value: true }]);
    showing({ properties: ['BER', 'VIE'], enabled: true });

    expect(await innctl('users update b-2 --add-properties VIE --enable')).toEqual(CONFIRMED);
  });
});

describe('the read-back', () => {
  test('warns about a concurrent change with the sent, current and missing properties', async () => {
    showing({ properties: ['BER'] });
    patching([{ op: 'add', path: '/properties', value: ['BER', 'VIE'] }]);
    for (let attempt = 1; attempt <= 3; attempt += 1) showing({ properties: ['MUC'] });

    expect(await innctl('users update b-2 --add-properties VIE')).toEqual(
      ended(
        0,
        'warning: Somebody else changed the properties of user b-2 meanwhile: MUC are there now.\n' +
          'Updated user b-2, who is without VIE now: not yet visible (/properties).\n',
      ),
    );
  });

  test('confirms with one read when another client only added properties', async () => {
    showing({ properties: ['BER'] });
    patching([{ op: 'add', path: '/properties', value: ['BER', 'VIE'] }]);
    showing({ properties: ['BER', 'MUC', 'VIE'] });

    const { exitCode, stdout, stderr } = await innctl('users update b-2 --add-properties VIE --json');

    expect({ exitCode, stdout: JSON.parse(stdout), stderr }).toEqual({
      exitCode: 0,
      stdout: {
        subject_id: 'b-2',
        updated: true,
        properties: ['BER', 'MUC', 'VIE'],
        added: ['VIE'],
        removed: [],
        sent_properties: ['BER', 'VIE'],
        verification: 'confirmed',
        changed_meanwhile: true,
      },
      stderr:
        'warning: Somebody else changed the properties of user b-2 meanwhile: BER, MUC, VIE are there now.\n',
    });
  });
});

describe('the reference to the user', () => {
  test.each([
    ['--set-properties BEER,VIE'],
    ['--add-properties BEER'],
    [`--patch '[{"op":"add","path":"/properties","value":["VIE","BEER"]}]'`],
  ])('an unknown property is reported with the nearest one: %s', async (flags) => {
    showing({ properties: ['VIE'] });
    nock(IDENTITY)
      .patch(BEN)
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

    const { exitCode, stderr } = await innctl(`users update b-2 ${flags}`);

    expect({ exitCode, hint: /hint: .*/.exec(stderr)?.[0] }).toEqual({
      exitCode: 6,
      hint: expect.stringMatching(/^hint: Did you mean BER( for BEER)?\?$/),
    });
  });
});

describe('disabling requires confirmation by name', () => {
  const disabling: readonly (readonly [string, string])[] = [
    ['--disable', 'disables'],
    ['--patch \'[{"op":"replace","path":"/enabled","value":false}]\'', 'disables'],
    ['--patch \'[{"op":"remove","path":"/enabled"}]\'', 'may disable'],
  ];

  test.each(disabling)('without a terminal and --confirm: %s', async (flags, does) => {
    showing({ enabled: true });
    administered();

    expect(await innctl(`users update b-2 ${flags} --yes`)).toEqual(
      ended(
        11,
        `error: This ${does} user b-2. That needs consent by name.\n` +
          `hint: To consent, for which --yes is not enough: innctl users update b-2 ${flags} --yes --confirm b-2\n`,
      ),
    );
  });

  test.each(['b-3', '', 'y', 'B-2'])('the typed name %j does not match: nothing is sent', async (answer) => {
    showing({ enabled: true });
    administered();
    const env = { ...hotels, NO_COLOR: '1' };

    expect(await innctl('users update b-2 --disable', { answers: [answer], env })).toEqual(
      ended(11, `error: ${JSON.stringify(answer)} is not b-2; nothing was done.\n`),
    );
  });

  test.each([
    ['b-2', 0, 'Updated user ben@example.com.\n'],
    ['b-3', 11, 'error: This disables user ben@example.com. --confirm says "b-3", not "ben@example.com".\n'],
  ])('--confirm takes the subject id of a user named by e-mail: %s', async (name, exitCode, stderr) => {
    listing({ subjectId: 'b-2', email: 'ben@example.com' });
    showing({ enabled: true });
    administered();
    if (exitCode === 0) patching([{ op: 'replace', path: '/enabled', value: false }]);

    const line = `users update ben@example.com --disable --no-verify --confirm ${name}`;

    expect(await innctl(line)).toEqual(ended(exitCode, stderr));
  });
});

describe('invalid input is rejected before any request', () => {
  test.each<[string | readonly string[], string]>([
    ['users update b-2', 'No changes given'],
    ['users update b-2 --no-verify', 'No changes given'],
    ['users update b-2 --enable --disable', '--disable: contradicts --enable'],
    ['users update b-2 --add-properties BER --set-properties VIE', '--set-properties: sets all properties'],
    ['users update b-2 --property BER --set-properties VIE', '--set-properties: sets all properties'],
    [
      'users update b-2 --enable --patch \'[{"op":"replace","path":"/enabled","value":true}]\'',
      '/enabled: is changed by two flags',
    ],
    [
      'users update b-2 --set-properties ""',
      '--set-properties: must not be empty; for no properties at all write []',
    ],
    [
      'users update b-2 --patch \'[{"op":"add","path":"/enabled","value":null}]\'',
      'add /enabled: null is neither true nor false',
    ],
    [
      'users update b-2 --patch \'[{"op":"replace","path":"/Enabled","value":1}]\'',
      'replace /Enabled: 1 is neither true nor false',
    ],
    [
      `users update b-2 --patch '[{"op":"replace","path":"/properties","value":"BER"}]'`,
      'replace /properties: "BER" is not a list of property ids',
    ],
    [
      'users update b-2 --patch \'[{"op":"add","path":"/properties","value":null}]\'',
      'add /properties: null is not a list of property ids',
    ],
    [
      `users update b-2 --patch '[{"op":"add","path":"/properties","value":["BER",7]}]'`,
      'add /properties: 7 is not a property id',
    ],
    [
      `users update b-2 --patch '[{"op":"add","path":"/properties","value":["a/b"]}]'`,
      'add /properties: "a/b" has characters that no id has',
    ],
  ])('%s', async (line, message) => {
    expect(await innctl(line)).toEqual(ended(2, expect.stringContaining(message)));
  });

  test('all errors are reported at once', async () => {
    const result = await innctl(
      'users update .. --enable --disable --add-properties a/b --patch /nowhere --json',
    );

    expect({ ...result, stderr: JSON.parse(result.stderr).error.details }).toEqual(
      ended(2, [
        { field: 'subject_id', reason: '".." is not an id' },
        { field: '--add-properties', reason: '"a/b" has characters that no id has' },
        { field: '--disable', reason: 'contradicts --enable: give one of them' },
      ]),
    );
  });
});

describe('protected users', () => {
  const guarded = (pattern: string): Situation => ({ env: { ...hotels, INNCTL_PROTECT: pattern } });
  const blocked = (name: string, pattern: string) =>
    ended(
      11,
      `error: Could not update the user: ${name} is protected by ${pattern} (INNCTL_PROTECT); nothing was sent.\n` +
        'hint: innctl config list\n',
    );

  test('are rejected by the typed reference before any request', async () => {
    const line = 'users update ben@example.com --enable --disable --patch /nowhere';

    expect(await innctl(line, guarded('ben@*'))).toEqual(blocked('ben@example.com', 'ben@*'));
  });

  test('cannot be changed by their subject id: the e-mail is read', async () => {
    showing({});

    expect(await innctl('users update b-2 --disable', guarded('ben@*'))).toEqual(
      blocked('ben@example.com', 'ben@*'),
    );
  });

  test('cannot be changed by their e-mail: the subject id is looked up', async () => {
    listing({ subjectId: 'b-2', email: 'Ben@example.com' });
    showing({});

    expect(await innctl('users update ben@example.com --disable', guarded('b-2'))).toEqual(
      blocked('b-2', 'b-2'),
    );
  });

  test('do not affect other users, who are read before confirmation', async () => {
    showing({});
    administered();
    patching([{ op: 'replace', path: '/enabled', value: false }]);

    const line = 'users update b-2 --disable --confirm ben@example.com --no-verify --json';
    const { exitCode, stdout } = await innctl(line, guarded('ana@*'));

    expect({ exitCode, stdout: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      stdout: { subject_id: 'b-2', email: 'ben@example.com', updated: true },
    });
  });

  test('are not changed when they cannot be read', async () => {
    nock(IDENTITY).get(BEN).reply(403);

    expect((await innctl('users update b-2 --enable', guarded('ana@*'))).exitCode).toBe(5);
  });
});

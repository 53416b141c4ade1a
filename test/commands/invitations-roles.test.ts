import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { type Answer, API, AUTH, apaleo, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { property, invitation as shown } from '../helpers/records.ts';

const PATH = '/api/v1/account/invitations';
const ANA = { email: 'ana@example.com' };

onlyIntercepted();

/** The service accepts exactly this body. */
const accepts = (body: object) =>
  nock(IDENTITY, AUTH)
    .post(PATH, { ...ANA, ...body })
    .reply(200, ANA);

const create = (line: string, answers?: readonly Answer[]) =>
  cli(`invitations create --no-check ana@example.com ${line}`, {
    env: apaleo,
    ...(answers === undefined ? {} : { answers }),
  });

const listsRoles = (...roles: readonly string[]) =>
  nock(IDENTITY, AUTH).get('/api/v1/roles').reply(200, { roles });

const listsProperties = () =>
  nock(API, AUTH)
    .get('/inventory/v1/properties?pageSize=100&pageNumber=1')
    .reply(200, { count: 1, properties: [property] });

async function fileOf(name: string, text: string): Promise<string> {
  const folder = await temporaryFolder();
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const invited = { exitCode: 0, stdout: '', stderr: 'Invited ana@example.com.\n' };

describe('several roles with the dialect apaleo', () => {
  test.each([
    ['--roles Housekeeping,Auditor', { roles: ['Housekeeping', 'Auditor'] }],
    ['--roles " Housekeeping , Auditor "', { roles: ['Housekeeping', 'Auditor'] }],
    ['--roles Housekeeping --roles Auditor,Housekeeping', { roles: ['Housekeeping', 'Auditor'] }],
    ['--roles Housekeeping', { roles: ['Housekeeping'] }],
    ['--role Housekeeping --roles Auditor', { role: 'Housekeeping', roles: ['Auditor'] }],
    ['--role FrontDesk --roles Auditor', { roles: ['FrontDesk', 'Auditor'] }],
    ['--role FrontDesk', { roles: ['FrontDesk'] }],
  ])('%s', async (flags, body) => {
    accepts({ properties: ['BER'], ...body });

    expect(await create(`--properties BER ${flags}`)).toEqual(invited);
  });

  test.each([
    ['ana.yaml', 'email: ana@example.com\nproperties: [BER]\nroles: [Housekeeping, Auditor]\n'],
    ['extra.yaml', 'email: ana@example.com\nproperties: [BER]\nextra: {roles: [Housekeeping, Auditor]}\n'],
    ['ana.json', '{"email": "ana@example.com", "properties": ["BER"], "roles": ["Housekeeping", "Auditor"]}'],
  ])('are read from %s', async (name, text) => {
    accepts({ properties: ['BER'], roles: ['Housekeeping', 'Auditor'] });

    expect(await create(`--file ${await fileOf(name, text)}`)).toEqual(invited);
  });

  test('without a property give no access, nor does a property without a role', async () => {
    accepts({ roles: ['Auditor'] });
    accepts({ properties: ['BER'] });

    for (const flags of ['--roles Auditor', '--properties BER'])
      expect((await create(flags)).stderr).toContain('this invitation gives access to nothing');
  });

  test('that are misspelt get the closest role as a hint', async () => {
    nock(IDENTITY, AUTH)
      .post(PATH)
      .reply(422, { messages: ['no'] });
    listsRoles('Housekeeping', 'Auditor');
    listsProperties();

    const { exitCode, stderr } = await create('--roles Auditr,Housekeping --properties BER');

    expect({ exitCode, stderr }).toEqual({
      exitCode: 6,
      stderr: expect.stringContaining('hint: Did you mean Auditor for Auditr, Housekeeping for Housekeping?'),
    });
  });

  test.each([
    ['roles: Auditor', 'must be a list of roles: [Housekeeping, Auditor]'],
    ['roles: [[Auditor]]', 'item 1: must be a text, and is a list'],
    ['extra: {roles: [Auditor]}\nroles: [Housekeeping]', 'is given twice: roles is also given outside extra'],
    ['roles: [Auditor, "a\\u0007b"]', 'item 2: has control or invisible characters'],
  ])('a file with %s is rejected, and nothing is sent', async (text, reason) => {
    const path = await fileOf('ana.yaml', `${text}\n`);

    const { exitCode, stdout, stderr } = await create(`--json --file ${path}`);

    expect({ exitCode, stdout, details: JSON.parse(stderr).error.details }).toEqual({
      exitCode: 2,
      stdout: '',
      details: [{ field: `${path}: ${text.startsWith('extra') ? 'extra.' : ''}roles`, reason }],
    });
  });
});

describe('prompts with the dialect apaleo', () => {
  test('offer several of the listed roles, account admin last', async () => {
    listsRoles('AccountAdmin', 'Auditor', 'a,b', 'Housekeeping');
    listsProperties();
    accepts({ roles: ['Auditor', 'Housekeeping'], properties: ['BER'] });

    expect(await create('', [['Auditor', 'Housekeeping'], ['BER'], true])).toEqual(
      ended(
        0,
        `This will be sent to identity.example.com:
E-mail:     ana@example.com
Roles:      Auditor, Housekeeping
Properties: BER
Invited ana@example.com.
Equivalent command: innctl invitations create --no-check ana@example.com --roles Auditor,Housekeeping --properties BER
`,
      ),
    );
  });

  test('send a single chosen role as role', async () => {
    listsRoles('Auditor');
    listsProperties();
    accepts({ role: 'Auditor', properties: ['BER'] });

    const { exitCode, stderr } = await create('', [['Auditor'], ['BER'], true]);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('--role Auditor --properties BER\n'),
    });
  });

  test('offer no role with a comma, and do not list account admin first', async () => {
    listsRoles('AccountAdmin', 'a,b', 'Auditor');

    const { exitCode, stderr } = await create('', [['Nobody']]);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('"Nobody" is not offered: Auditor, AccountAdmin'),
    });
  });

  test('read one role as text if the list is forbidden', async () => {
    nock(IDENTITY, AUTH).get('/api/v1/roles').reply(403, {});
    accepts({ role: 'Night Desk', properties: ['BER'] });

    const answers = [' ', ' Night Desk ', true];
    const { exitCode, stderr } = await create('--properties BER', answers);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining("--role 'Night Desk'\n"),
    });
  });

  test.each(['--role Auditor', '--roles Auditor'])('do not ask for roles with %s', async (flag) => {
    listsProperties();
    nock(IDENTITY, AUTH).post(PATH).reply(200, ANA);

    expect((await create(flag, [['BER'], true])).exitCode).toBe(0);
  });
});

describe('an invitation with a lost answer', () => {
  const created = new Date().toISOString();

  /** The service answers the create with a 500 and lists this invitation from then on. */
  function answers500ThenLists(invitation: object): void {
    nock(IDENTITY, AUTH).post(PATH).reply(500);
    nock(IDENTITY, AUTH)
      .get(PATH)
      .times(9)
      .optionally()
      .reply(200, {
        invitations: [
          { ...shown, ...ANA, isAccountAdmin: false, properties: ['BER'], created, ...invitation },
        ],
      });
  }

  test.each([
    ['--roles Auditor,Housekeeping', { roles: ['Housekeeping', 'Auditor'] }],
    ['--roles Auditor,Housekeeping', { role: 'Auditor', roles: ['Housekeeping', 'Auditor'] }],
    ['--roles FrontDesk,Auditor', { role: 'FrontOffice', roles: ['FrontDesk', 'Auditor'] }],
    ['--role FrontDesk', { role: 'FrontOffice', roles: ['FrontDesk'] }],
    ['--role Auditor --roles Housekeeping', { role: 'Auditor', roles: ['Housekeeping'] }],
    ['--roles Auditor', {}],
  ])('with %s matches the listed %j', async (flags, listed) => {
    answers500ThenLists(listed);

    expect((await create(`--properties BER ${flags}`)).exitCode).toBe(0);
  });

  test.each([
    ['--roles Auditor,Housekeeping', { roles: ['Auditor'] }],
    ['--roles Auditor', { role: 'FrontOffice', roles: ['FrontDesk'] }],
    ['--role Auditor --roles Housekeeping', { role: 'Auditor', roles: [] }],
    ['--roles Auditor', { roles: [] }],
  ])('with %s does not match the listed %j', async (flags, listed) => {
    answers500ThenLists(listed);

    expect((await create(`--properties BER ${flags}`)).exitCode).toBe(8);
  });
});

describe('invitations list', () => {
  const invitations = [
    { ...shown, role: 'FrontOffice', roles: ['FrontDesk', 'Auditor'] },
    { ...shown, email: 'ben@example.com', roles: ['Housekeeping'] },
    { ...shown, email: 'cai@example.com', role: 'Auditor', roles: [] },
    { ...shown, email: 'dia@example.com' },
  ];

  test('shows all roles of each invitation with the dialect apaleo', async () => {
    nock(IDENTITY, AUTH).get(PATH).reply(200, { invitations });

    const { stdout } = await cli('invitations list -o csv', { env: apaleo });

    expect(
      stdout.split('\n').map((line) =>
        line
          .split(/,(?! )/)
          .slice(0, 2)
          .join(),
      ),
    ).toEqual([
      'email,roles',
      'ana@example.com,"FrontDesk, Auditor"',
      'ben@example.com,Housekeeping',
      'cai@example.com,Auditor',
      'dia@example.com,',
      '',
    ]);
  });

  test('still accepts the old field name in --fields', async () => {
    nock(IDENTITY, AUTH).get(PATH).reply(200, { invitations });

    const { stdout } = await cli('invitations list --fields email,role -o csv --limit 1', { env: apaleo });

    expect(stdout).toContain('ana@example.com,FrontOffice');
  });
});

describe('with the contract dialect', () => {
  test('roles under extra are sent unchanged', async () => {
    nock(IDENTITY, AUTH)
      .post('/api/v1/invitations', { ...ANA, roles: 5 })
      .reply(200, ANA);
    const path = await fileOf('ana.yaml', 'email: ana@example.com\nextra: {roles: 5}\n');

    expect(
      (await cli(['invitations', 'create', '--no-check', '--file', path], { env: hotels })).exitCode,
    ).toBe(0);
  });
});

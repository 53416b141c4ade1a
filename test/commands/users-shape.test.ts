import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { user } from '../helpers/records.ts';

onlyIntercepted();

const places = [
  { id: 'BER', roles: ['FrontDesk', 'Auditor'] },
  { id: 'MUC', roles: ['Auditor'] },
  { id: 'VIE', roles: [] },
];
const ben = { ...user, subjectId: 'b-2', email: 'ben@example.com', isMfaEnabled: true, shoeSize: 38 };
const listed = { ...ben, properties: places };
const single = { ...ben, properties: places.map(({ id }) => id), propertyRoles: places };
const shape = {
  subject_id: 'b-2',
  first_name: 'Ana',
  last_name: 'Berg',
  email: 'ben@example.com',
  enabled: true,
  is_account_admin: false,
  is_mfa_enabled: true,
  is_passkeys_enabled: false,
  shoeSize: 38,
  properties: ['BER', 'MUC', 'VIE'],
  property_roles: places,
};

describe.each(['contract', 'apaleo'])('in the dialect %s', (dialect) => {
  const env = { ...hotels, INNCTL_DIALECT: dialect };
  const path = dialect === 'contract' ? '/api/v1/identity/users/b-2' : '/api/v1/users/b-2';
  const serve = (served: object) => {
    nock(IDENTITY)
      .get('/api/v1/users')
      .query(true)
      .reply(200, { users: [served], count: 1 });
    nock(IDENTITY).get(path).reply(200, served);
    nock(IDENTITY).get('/api/v1/users/me').reply(200, served);
  };
  const run = (flags: string) =>
    Promise.all(['users list', 'users get b-2', 'users me'].map((line) => cli(`${line} ${flags}`, { env })));

  test.each([
    ['in a list', listed],
    ['as one record', single],
  ])('a user has the same shape in users list and users get when served as %s', async (_, served) => {
    serve(served);

    const [list, one, me] = (await run('--json')).map(({ stdout }) => JSON.parse(stdout));

    expect([list.items[0], one, me]).toEqual([shape, shape, shape]);
  });

  test('a table cell shows the roles of each property as one text', async () => {
    serve(listed);
    const [list, one] = await run('-o csv');

    const text = '"BER: FrontDesk, Auditor; MUC: Auditor; VIE: none"';
    expect(list?.stdout).toContain(`,true,${text}\n`);
    expect(one?.stdout).toContain(
      `\nis_mfa_enabled,true\nis_passkeys_enabled,false\nshoeSize,38\nproperties,${text}\n`,
    );
    expect(one?.stdout).not.toContain('property_roles');
  });

  test.each([
    [{ properties: ['BER', 'MUC'] }, '\tBER, MUC\n'],
    [{ properties: ['BER'], propertyRoles: [{ id: 'MUC', roles: ['Auditor'] }] }, '\tBER; MUC: Auditor\n'],
    [{ propertyRoles: [{ id: 'MUC', roles: ['Auditor'] }] }, '\tMUC: Auditor\n'],
    [{}, '\t\n'],
  ])('a list prints %j as far as it is readable', async (more, cell) => {
    nock(IDENTITY)
      .get('/api/v1/users')
      .query(true)
      .reply(200, { users: [{ ...ben, ...more }], count: 1 });

    const { exitCode, stdout } = await cli('users list', { env });

    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: `b-2\tben@example.com\tAna\tBerg\ttrue\tfalse\ttrue${cell}`,
    });
  });

  test('--fields selects fields of the JSON', async () => {
    nock(IDENTITY)
      .get('/api/v1/users')
      .query(true)
      .thrice()
      .reply(200, { users: [listed], count: 1 });

    const json = await cli('users list --fields property_roles --json', { env });
    const cells = await cli('users list --fields properties,property_roles', { env });
    const found = await cli("users list --query 'items[].property_roles[].roles[]'", { env });

    expect(JSON.parse(json.stdout).items).toEqual([{ property_roles: places }]);
    expect(cells.stdout).toBe('BER, MUC, VIE\tBER: FrontDesk, Auditor; MUC: Auditor; VIE: none\n');
    expect(JSON.parse(found.stdout)).toEqual(['FrontDesk', 'Auditor', 'Auditor']);
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { type Answer, cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { watched } from '../helpers/watched.ts';
import { freshFolder } from '../sandbox/harness.ts';

const [ANA, BEN, EMMA] = ['ana@aurora.example', 'ben@aurora.example', 'emma@aurora.example'];

let folder = '';
/** The bodies of the requests that may change something. */
let bodies: unknown[] = [];

beforeEach(async () => {
  folder = await freshFolder();
  bodies = [];
});

const connect = watched(({ method, body }) => {
  if (method === 'PATCH') bodies.push(JSON.parse(String(body)));
});

async function innctl(line: string, answers?: readonly Answer[], dialect = 'apaleo') {
  const env = { INNCTL_DIALECT: dialect };
  return cli(`--sandbox ${line}`, { folder, connect, env, ...(answers && { answers }) });
}

const userOf = async (email: string) => {
  const { properties, property_roles: roles } = JSON.parse(
    (await innctl(`users get ${email} --json`)).stdout,
  );
  return { properties, roles };
};

describe.each(['apaleo', 'contract'])('dialect %s', (dialect) => {
  test('grant adds properties, says where roles are missing, and sends nothing twice', async () => {
    const line = `users grant ${BEN} VIE,BER --json`;

    const done = await innctl(line, undefined, dialect);
    const again = await innctl(line, undefined, dialect);

    expect([done.exitCode, JSON.parse(done.stdout)]).toMatchObject([
      9,
      { updated: true, added: ['VIE'], removed: [], without_roles: ['VIE'], verification: 'confirmed' },
    ]);
    const { message, warnings } = JSON.parse(done.stderr).error;
    const text = "no role at VIE and will see nothing there; set roles in the service's web app.";
    expect([message, warnings]).toEqual([`${BEN} has ${text}`, [`${BEN} will have ${text}`]]);
    expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([0, { updated: false, added: [] }]);
    expect(bodies).toEqual([
      [{ op: dialect === 'apaleo' ? 'replace' : 'add', path: '/properties', value: ['BER', 'MUC', 'VIE'] }],
    ]);
  });

  test('an update that does not ask for roles says once where they are missing', async () => {
    const line = `users update ${BEN} --set-properties BER,VIE --yes --json`;

    const { stderr } = await innctl(line, undefined, dialect);

    expect(stderr.match(/no role at VIE/g)).toHaveLength(1);
  });

  test('revoke names the roles that are lost, and asks', async () => {
    const line = `users revoke ${BEN} --property MUC`;
    const text =
      `This takes away MUC from user ${BEN}. ` +
      'The roles there are removed too, and cannot be restored through the API: FrontDesk at MUC.';

    const refused = await innctl(line, undefined, dialect);
    const declined = await innctl(line, [false], dialect);
    const unsent = [...bodies];
    const done = await innctl(`${line} --yes --json`, undefined, dialect);

    expect([refused.exitCode, declined.exitCode, unsent]).toEqual([11, 11, []]);
    expect(refused.stderr).toContain(text);
    expect([done.exitCode, JSON.parse(done.stdout)]).toMatchObject([
      0,
      { updated: true, removed: ['MUC'], removed_roles: [{ id: 'MUC', roles: ['FrontDesk'] }] },
    ]);
    expect((await userOf(BEN)).properties).toEqual(['BER']);
  });

  test('revoke --all leaves no property; an account admin keeps full access, which is said', async () => {
    await innctl(`users grant ${ANA} --property BER`, undefined, dialect);

    const ben = await innctl(`users revoke ${BEN} --all --yes --json`, undefined, dialect);
    const ana = await innctl(`users revoke ${ANA} --all --yes --json`, undefined, dialect);

    expect(JSON.parse(ben.stdout)).toMatchObject({ removed: ['BER', 'MUC'] });
    expect(JSON.parse(ana.stdout)).toMatchObject({ removed: ['BER'] });
    expect(ben.stderr).not.toContain('account admin');
    expect(ana.stderr).toContain(`${ANA} is an account admin, and keeps full access to every property.`);
    expect([(await userOf(BEN)).properties, (await userOf(ANA)).properties]).toEqual([[], []]);
  });
});

test.each([
  ['a dry run of one', `${BEN} --property VIE -n`, 0, ['VIE']],
  ['a dry run of several', `${BEN} ${EMMA} --property VIE -n`, 0, ['VIE', 'VIE']],
  ['several', `${BEN} ${EMMA} --property VIE --yes`, 9, ['VIE', 'VIE']],
  ['an account admin', `${ANA} --property VIE`, 0, []],
  ['without reading back', `${BEN} --property VIE --no-verify`, 9, ['VIE']],
])('a grant says where there will be no role: %s', async (_, line, exitCode, ids) => {
  const result = await innctl(`users grant ${line} --json`);

  const { items, ...one } = JSON.parse(result.stdout);
  const roleless = [items ?? one].flat().flatMap(({ without_roles: found = [] }) => found);
  expect([result.exitCode, roleless]).toEqual([exitCode, ids]);
});

test('with several users the sum of the plan says it, and nothing else is needed for exit 9', async () => {
  const { exitCode, stderr } = await innctl(`users grant ${BEN} ${EMMA} --property VIE --yes`);

  expect(exitCode).toBe(9);
  expect(stderr).toContain(`without a role: 2 (${BEN}: VIE; ${EMMA}: VIE)\n`);
  expect(stderr.indexOf('without a role')).toBeLessThan(stderr.indexOf('Applied: 2 changed.'));
  expect(stderr).toMatch(/hint: Set the roles there; to check: innctl --sandbox access report\n$/);
});

test('at a terminal the properties are asked for', async () => {
  const granted = await innctl(`users grant ${BEN}`, [['VIE']]);
  const revoked = await innctl(`users revoke ${BEN} ${EMMA}`, [['BER'], true]);
  const none = await innctl(`users grant ${BEN}`, [[]]);

  expect(granted.stderr).toContain(
    `Equivalent command: innctl --sandbox users grant ${BEN} --property VIE\n`,
  );
  expect(revoked.stderr).toContain(
    `Equivalent command: innctl --sandbox users revoke ${BEN} ${EMMA} --property BER\n`,
  );
  expect([granted.exitCode, revoked.exitCode, none.exitCode]).toEqual([9, 0, 2]);
  expect((await userOf(BEN)).properties).toEqual(['MUC', 'VIE']);
});

test.each([
  [`grant ${BEN}`, 2, '--property: is missing'],
  ['grant ben VIE', 3, `Did you mean ${BEN}?`],
  [`grant ${BEN} VIE,a/b`, 2, 'properties: "a/b"'],
  [`grant ${BEN} --property BER,a/b`, 2, '--property'],
  [`grant ${BEN} --property=`, 2, '--property'],
  [`grant ${BEN} --property NOWHERE`, 6, 'NOWHERE'],
  [`grant nobody@aurora.example --property BER`, 3, 'users list'],
  [`revoke ${BEN} --all --property BER`, 2, '--all: removes all properties'],
  [`revoke ${BEN} --property NOWHERE --yes`, 3, 'NOWHERE'],
  [
    `revoke ${BEN} nobody@aurora.example --property BER --yes`,
    3,
    'nobody@aurora.example: there is no such user',
  ],
])('users %s is refused, and nothing is changed', async (words, exitCode, text) => {
  const before = await userOf(BEN);

  expect(await innctl(`users ${words}`)).toEqual(ended(exitCode, expect.stringContaining(text)));
  expect(await userOf(BEN)).toEqual(before);
});

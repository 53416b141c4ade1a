import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Answer, cli } from '../helpers/cli.ts';
import { documentsOf } from '../helpers/evidence.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { seeding } from '../helpers/seeding.ts';
import { watched } from '../helpers/watched.ts';

const MIA = 'mia@example.com';
const [ANA, BEN, CLARA, EMMA] = ['ana', 'ben', 'clara', 'emma'].map((name) => `${name}@aurora.example`);
const [GRETA, HANNA, KARL, LUKAS, ROBERT] = ['greta', 'hanna', 'karl', 'lukas', 'robert'].map(
  (name) => `${name}@aurora.example`,
);
const JONAS = 'jonas.keller@aurora.example';

let folder = '';
/** The writes: method, and body. */
let writes: (readonly [string, unknown])[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  await cli('sandbox reset --seed people --yes', { folder });
  writes = [];
});

const connect = watched(({ method, url, body }) => {
  if (method !== 'GET' && !url.endsWith('/token')) writes.push([method, JSON.parse(String(body))]);
});

async function innctl(line: string, answers?: readonly Answer[], dialect = 'apaleo') {
  const env = { INNCTL_DIALECT: dialect };
  return cli(`--sandbox people onboard ${line}`, { folder, connect, env, ...(answers && { answers }) });
}

describe.each(['apaleo', 'contract'])('dialect %s', (dialect) => {
  const set = dialect === 'apaleo' ? 'replace' : 'add';
  // The public service takes newer names of roles in a list alone.
  const newer = (role: string) => (dialect === 'apaleo' ? { roles: [role] } : { role });

  test('nobody is invited, without a question; the same command does nothing more', async () => {
    const line = `${MIA} --role Housekeeping --properties BER,VIE`;

    const done = await innctl(line, undefined, dialect);
    const again = await innctl(line, undefined, dialect);

    expect([done.exitCode, again.exitCode]).toEqual([0, 0]);
    expect(done.stderr).toContain(`  + invitation ${MIA}: Housekeeping at BER, VIE\n`);
    expect(again.stderr).toContain(
      `There is nothing to do: 1 unchanged.\n${MIA}: is already invited, created `,
    );
    expect(writes).toEqual([['POST', { email: MIA, role: 'Housekeeping', properties: ['BER', 'VIE'] }]]);
  });

  test('an enabled user gains the properties, without a question; roles that are lacking are named', async () => {
    const { exitCode, stdout, stderr } = await innctl(
      `${HANNA?.toUpperCase()} --role FrontDesk --property BER,HAM --json`,
      undefined,
      dialect,
    );

    expect(exitCode).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({
      notes: [`${HANNA}: lacks FrontDesk at BER, HAM; set roles in the service's web app.`],
      items: [
        {
          kind: 'user',
          name: HANNA,
          action: 'change',
          added: ['HAM'],
          without_roles: ['HAM'],
          verification: 'confirmed',
        },
      ],
    });
    expect(stderr).toContain(`${HANNA} has no role at HAM and will see nothing there`);
    expect(writes).toEqual([
      ['PATCH', [{ op: set, path: '/properties', value: ['BER', 'MUC', 'VIE', 'HAM'] }]],
    ]);
  });

  test('a plan says where a user will have no role, also where nothing is to be sent', async () => {
    await innctl(`${BEN} --role FrontDesk --properties VIE`, undefined, dialect);

    const planned = await innctl(
      `${BEN} --role FrontDesk --properties VIE,HAM,BER -n --json`,
      undefined,
      dialect,
    );
    const left = await innctl(`${BEN} --role FrontDesk --properties VIE --json`, undefined, dialect);
    const none = await innctl(`${BEN} --role FrontDesk --properties BER --json`, undefined, dialect);

    expect(JSON.parse(planned.stdout).items).toMatchObject([
      { added: ['HAM'], without_roles: ['HAM', 'VIE'] },
    ]);
    expect([left.exitCode, JSON.parse(left.stdout).items]).toMatchObject([9, [{ without_roles: ['VIE'] }]]);
    expect([none.exitCode, JSON.parse(none.stdout).items[0].without_roles]).toEqual([0, undefined]);
  });

  test('a disabled user is enabled, after a question', async () => {
    const line = `${KARL} --properties BER,MUC`;

    const refused = await innctl(line, undefined, dialect);
    const declined = await innctl(line, [false], dialect);
    const unsent = [...writes];
    const done = await innctl(`${line} --yes`, undefined, dialect);

    expect([refused.exitCode, declined.exitCode, done.exitCode, unsent]).toEqual([11, 11, 9, []]);
    expect(refused.stderr).toContain('      enabled: false → true\n');
    expect(writes).toEqual([
      [
        'PATCH',
        [
          { op: 'replace', path: '/enabled', value: true },
          { op: set, path: '/properties', value: ['BER', 'MUC'] },
        ],
      ],
    ]);
  });

  test.each<[string, string, number, string]>([
    [
      'an account admin',
      `${ANA} --role Auditor --properties VIE`,
      0,
      `${ANA}: is an account admin, and reaches every`,
    ],
    [
      'who has all of it',
      `${LUKAS} --role Accountant --properties MUC`,
      0,
      'There is nothing to do: 1 unchanged.\n',
    ],
    ['a disabled account admin', `${ROBERT} --properties BER`, 6, 'who would get full access back'],
    [
      'who is invited alike',
      `${JONAS} --role Housekeeping --property BER`,
      0,
      `${JONAS}: is already invited`,
    ],
    [
      'who is invited otherwise',
      `${JONAS} --role Auditor --property BER`,
      6,
      'is already invited, and differs in role',
    ],
    ['with two users', `${GRETA} --role Auditor --property BER`, 12, 'Greta@aurora.example'],
    ['new, without a role', `${MIA} --properties BER`, 6, 'an invitation without a role gives nothing'],
    [
      'with a role that does not exist',
      `${MIA} --role Housekeping --property BER`,
      6,
      'did you mean "Housekeeping"?',
    ],
    [
      'at a misspelt property',
      `${MIA} --role Auditor --property BRE`,
      6,
      'no property has the id or code "BRE"',
    ],
  ])('nothing is sent for somebody %s', async (_, line, exitCode, text) => {
    const result = await innctl(line, undefined, dialect);

    expect([result.exitCode, writes]).toEqual([exitCode, []]);
    expect(result.stderr).toContain(text);
  });

  test('somebody is invited with the access of a colleague, but not with full access', async () => {
    const done = await innctl(`${MIA} ${EMMA} --like ${HANNA} --yes`, undefined, dialect);
    const invited = await innctl(`eva@example.com --like ${JONAS}`, undefined, dialect);
    const ofAdmin = await innctl(`tom@example.com --like ${ANA}`, undefined, dialect);

    expect([done.exitCode, invited.exitCode, ofAdmin.exitCode]).toEqual([9, 0, 0]);
    expect(writes).toEqual([
      ['POST', { email: MIA, ...newer('Accountant'), properties: ['BER', 'MUC', 'VIE'] }],
      ['PATCH', [{ op: set, path: '/properties', value: ['BER', 'MUC', 'VIE'] }]],
      ['POST', { email: 'eva@example.com', role: 'Housekeeping', properties: ['BER'] }],
      ['POST', { email: 'tom@example.com', role: 'PropertyAdmin', properties: ['BER'] }],
    ]);
  });

  test('roles that differ by property are not united: --at chooses', async () => {
    const line = `${MIA} --like ${CLARA}`;

    const refused = await innctl(line, undefined, dialect);
    const chosen = await innctl(`${line} --at MUC`, undefined, dialect);

    expect([refused.exitCode, chosen.exitCode]).toEqual([6, 0]);
    expect(refused.stderr).toContain(
      `the roles of ${CLARA} differ by property: PropertyAdmin at BER; FrontDesk at MUC.`,
    );
    expect(refused.stderr).toContain(`hint: innctl --sandbox people onboard ${line} --at BER\n`);
    expect(writes).toEqual([['POST', { email: MIA, ...newer('FrontDesk'), properties: ['MUC'] }]]);
  });
});

test('several roles of a colleague need a service that takes them', async () => {
  const line = `${MIA} --like ${LUKAS}`;

  const contract = await innctl(line, undefined, 'contract');
  const unsent = [...writes];
  const apaleo = await innctl(line);

  expect([contract.exitCode, unsent, apaleo.exitCode]).toEqual([6, [], 0]);
  expect(contract.stderr).toContain(
    'the service takes one role for an invitation, not Accountant and FrontDesk',
  );
  expect(writes).toEqual([['POST', { email: MIA, roles: ['Accountant', 'FrontDesk'], properties: ['MUC'] }]]);
});

test('full access by role needs consent', async () => {
  const line = `${MIA} --role AccountAdmin --properties BER`;

  const refused = await innctl(line);

  expect([refused.exitCode, writes]).toEqual([11, []]);
  expect(refused.stderr).toContain(`gives full access: 1 (${MIA})`);
});

test('several people have one plan; whoever cannot get it stops all', async () => {
  const dry = await innctl(
    `${MIA} ${BEN} ${MIA.toUpperCase()} --role Auditor --properties HAM --dry-run --json`,
  );
  const refused = await innctl(`${MIA} ${BEN} --role Auditor --properties HAM`);
  const mixed = await innctl(`${MIA} ${JONAS} --role Auditor --properties HAM --yes`);

  expect(JSON.parse(dry.stdout).items).toMatchObject([
    { action: 'create', kind: 'invitation', name: MIA },
    {
      action: 'change',
      kind: 'user',
      name: BEN,
      reason: expect.stringContaining('is invited as well as a user'),
    },
  ]);
  expect([refused.exitCode, mixed.exitCode, writes]).toEqual([11, 6, []]);
});

test.each([
  [MIA, '--role: is missing'],
  ['mia --role Auditor --properties BER', 'email "mia"'],
  [`${MIA} --role Auditor --properties a/b`, '--properties'],
  [`${MIA} --role Auditor`, '--properties: is missing'],
  [`${MIA} --like ${BEN} --properties BER`, '--like: takes over roles and properties'],
  [`${MIA} --role Auditor --properties BER --at BER`, '--at: is for --like'],
])('people onboard %s: exit 2, nothing is sent', async (line, text) => {
  const { exitCode, stdout, stderr } = await innctl(line);

  expect([exitCode, stdout, writes]).toEqual([2, '', []]);
  expect(stderr).toContain(text);
});

test('of two colleagues with one address the subject id names one', async () => {
  const both = await innctl(`${MIA} --like ${GRETA}`);
  const [id] = /7a2d3b5f-[-\w]+/.exec(both.stderr) ?? [];
  const one = await innctl(`${MIA} --like ${id}`);

  expect([both.exitCode, one.exitCode]).toEqual([12, 0]);
  expect(writes).toEqual([['POST', { email: MIA, role: 'Housekeeping', properties: ['HAM'] }]]);
});

describe('a file', () => {
  async function fileOf(...lines: readonly string[]): Promise<string> {
    const path = join(folder, 'joiners.csv');
    await writeFile(path, `${lines.join('\r\n')}\r\n`);
    return path;
  }

  test('with the words of a spreadsheet is carried out row by row', async () => {
    const path = await fileOf(
      'E-Mail;Rolle;Hotels;wie',
      `${MIA};Housekeeping;BER,VIE;`,
      `eva@example.com;;;${HANNA}`,
      `${KARL};;MUC;`,
      'tom@example.com;Auditor;NOWHERE;',
      `ida@example.com;;;${CLARA}`,
      `${GRETA};Auditor;BER;`,
    );

    const refused = await innctl(`--file ${path}`);
    const unsent = [...writes];
    const { exitCode, stdout } = await innctl(`--file ${path} --yes --json`);
    const again = await innctl(`--file ${path} --yes`);

    expect([refused.exitCode, unsent, exitCode, again.exitCode]).toEqual([11, [], 9, 9]);
    expect(
      JSON.parse(stdout).items.map((row: Record<string, unknown>) => [
        row['file_row'],
        row['action'],
        row['outcome'],
      ]),
    ).toEqual([
      [2, 'create', 'done'],
      [3, 'create', 'done'],
      [4, 'change', 'done'],
      [5, 'conflict', 'failed'],
      [6, 'conflict', 'failed'],
      [7, 'conflict', 'failed'],
    ]);
    expect(writes).toHaveLength(3);
  });

  test('of addresses alone gets what the flags give', async () => {
    const path = await fileOf('email', MIA, 'eva@example.com');

    const { exitCode } = await innctl(`--file ${path} --like ${HANNA} --at BER --yes`);

    expect(exitCode).toBe(0);
    expect(writes.map(([, body]) => body)).toEqual([
      { email: MIA, roles: ['Accountant'], properties: ['BER'] },
      { email: 'eva@example.com', roles: ['Accountant'], properties: ['BER'] },
    ]);
  });

  test.each<[readonly string[], string]>([
    [['email,role,properties', 'mia,Auditor,BER'], 'row 2: email'],
    [['email,role,properties,like', `${MIA},Auditor,BER,${HANNA}`], 'row 2: like'],
    [['email,role,properties,at', `${MIA},Auditor,BER,BER`], 'row 2: at'],
    [['email,role,hotel,pay', `${MIA},Auditor,,1`], 'row 2: properties: is missing'],
    [['email,role,hotel,pay', `${MIA},Auditor,NONE,1`], 'row 2: properties: no property'],
    [['email,role,hotel,pay', `${MIA},Auditr,BER,1`], 'row 2: role: the service has no role "Auditr"'],
    [['email,rolle,hotel,salary', `${MIA},Auditor,BER,1`], 'salary'],
    [['email,role,properties', `${MIA},=cmd|'/c calc'!A1\u0007,BER`], 'row 2: role'],
    [['email,role,properties', `${MIA},Auditor,BER`, `${MIA.toUpperCase()},Auditor,BER`], 'row 3'],
  ])('that is wrong is refused as a whole: %j', async (lines, text) => {
    const path = await fileOf(...lines);

    const { exitCode, stderr } = await innctl(`--file ${path} --yes`);

    expect([exitCode, writes]).toEqual([2, []]);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('\u0007');
  });
});

test('evidence says nothing of invitations after the run if their list is incomplete', async () => {
  const { innctl: run, writes: sent, folder: home } = await seeding();
  const kept = join(home, 'evidence');
  const gap = { status: 200, body: '{"invitations":[],"count":5}' };
  const instead = (path: string) => (sent.length > 0 && path.endsWith('/invitations') ? gap : undefined);
  const line = `people onboard ${MIA} --role Auditor --properties MUC --evidence ${kept}`;

  const { exitCode } = await run(line, { instead });

  const [{ after }] = await documentsOf(kept);
  expect([exitCode, sent.length, after]).toEqual([0, 1, { user: null, invitations: null }]);
});

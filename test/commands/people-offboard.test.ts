import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { writeXlsx } from 'hucre/xlsx';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import { acceptInvitation, type InvitationRecord, type UserRecord } from '../../src/sandbox/people.ts';
import { openStore } from '../../src/sandbox/store.ts';
import type { DialectName } from '../../src/service/operations.ts';
import { type Answer, cli, type Situation } from '../helpers/cli.ts';
import { outcomes } from '../helpers/ended.ts';
import { documentsOf, linesOf } from '../helpers/evidence.ts';
import { parseFault, startSandbox } from '../helpers/fault-front.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { watched } from '../helpers/watched.ts';

const [ANA, BEN, EMMA] = ['ana@aurora.example', 'ben@aurora.example', 'emma@aurora.example'];
const [ANA_ID, BEN_ID] = ['6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01', '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01'];
const GONE = 'gone@aurora.example';

let folder = '';
/** The requests that may change something, without repeats of the one before. */
let writes: string[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  writes = [];
});

const connect = watched(({ method, url, body }) => {
  if (method === 'GET' || url.endsWith('/token')) return;
  const write = `${method} ${decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')}${body === undefined ? '' : ` ${body}`}`;
  if (writes.at(-1) !== write) writes.push(write);
});

interface Served {
  readonly dialect?: DialectName;
  readonly faults?: readonly string[];
  readonly answers?: readonly Answer[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command line against a served sandbox. */
async function innctl(
  words: readonly string[],
  { dialect = 'apaleo', faults = [], env, ...situation }: Served = {},
) {
  const state = { folder: stateFolder(), now: Date.now, dialect };
  const sandbox = await startSandbox({ ...state, faults: faults.map(parseFault) });
  try {
    return await cli(words, {
      ...situation,
      ...{ folder, connect },
      env: {
        ...{ INNCTL_IDENTITY_URL: sandbox.url, INNCTL_BASE_URL: sandbox.url, INNCTL_TOKEN: sandbox.token },
        ...{ INNCTL_DIALECT: dialect, INNCTL_MAX_ATTEMPTS: '2', ...env },
      },
    });
  } finally {
    await sandbox.close();
  }
}

/** The same state as the sandbox of the program, whose target is always the same. */
const atSandbox = (words: readonly string[], more: Situation = {}) =>
  cli(['--sandbox', ...words], { folder, connect, env: { INNCTL_DIALECT: 'apaleo' }, ...more });

const stateFolder = () => join(folder, 'state', 'sandbox');

/** The state of the sandbox, open to be changed behind the back of the service. */
async function stored() {
  const store = await openStore({ folder: stateFolder(), seed: 'small', now: Date.now });
  const users = () => store.read().records.users;
  return {
    user: (id: string) => users().get(id),
    withEmail: (email: string) =>
      [...users().values()].filter((user) => user.email.toLowerCase() === email.toLowerCase()),
    invited: () => [...store.read().records.invitations.keys()],
    change: (id: string, fields: Partial<UserRecord>) =>
      store.write(({ users: all }) => {
        const user = { ...all.get(id), ...fields } as UserRecord;
        return { status: 204, changes: [{ put: ['users', id, user] }] };
      }),
    invite: (email: string, fields: Partial<InvitationRecord> = {}) =>
      store.write(() => {
        const created = new Date(Date.now() - 86_400_000).toISOString();
        const access = {
          is_account_admin: false,
          properties: ['BER'],
          role: 'Housekeeping',
          roles: ['Housekeeping'],
        };
        const record: InvitationRecord = { email, invited_by: ANA, created, ...access, ...fields };
        return { status: 200, changes: [{ put: ['invitations', email.toLowerCase(), record] }] };
      }),
  };
}

type Stored = Awaited<ReturnType<typeof stored>>;

type Request = Readonly<Partial<Record<'method' | 'status' | 'failure', string>>>;

/** The documents of the evidence, in their order. */
const evidence = () => documentsOf(join(folder, 'evidence'));

const leave = (who: string, ...more: readonly string[]) => ['people', 'offboard', who, ...more];

/** The flags that keep evidence in the folder of the test. */
const kept = () => ['--evidence', join(folder, 'evidence')];

/** Whom the table offboards: how the account is before, and which fields one patch takes away; `locked`: nobody may. */
const people: Readonly<
  Record<
    string,
    { who: string; prepare?: (state: Stored) => Promise<unknown>; takes: readonly string[]; locked?: true }
  >
> = {
  nobody: { who: GONE, takes: [] },
  user: { who: BEN, takes: ['enabled'] },
  disabled: { who: BEN, takes: [], prepare: ({ change }) => change(BEN_ID, { enabled: false }) },
  admin: {
    who: BEN,
    takes: ['enabled', 'isAccountAdmin'],
    prepare: ({ change }) => change(BEN_ID, { is_account_admin: true }),
  },
  self: {
    who: ANA,
    takes: [],
    locked: true,
    prepare: ({ change }) => change(BEN_ID, { is_account_admin: true }),
  },
  'last admin': {
    who: BEN,
    takes: [],
    locked: true,
    prepare: async ({ change }) => {
      await change(BEN_ID, { is_account_admin: true });
      await change(ANA_ID, { is_account_admin: false });
    },
  },
};

/** What the service does with each write: whether it is carried out, the exit code, and the outcome of a row. */
const answers = {
  ok: { fault: undefined, isDone: true, exit: 0, outcome: 'done' },
  422: { fault: '500:status=422', isDone: false, exit: 9, outcome: 'failed' },
  'dropped before': { fault: 'drop-before:', isDone: false, exit: 8, outcome: 'unknown' },
  'dropped after': { fault: 'drop-after:', isDone: true, exit: 0, outcome: 'done' },
  429: { fault: '429:retry-after=1', isDone: false, exit: 7, outcome: 'failed' },
} as const;

// The keys of the table are the answers by definition.
const answered = Object.keys(answers) as (keyof typeof answers)[];
const cases = (['apaleo', 'contract'] as const).flatMap((dialect) =>
  Object.keys(people).flatMap((person) =>
    ['no', 'one'].flatMap((invitation) =>
      answered.map((answer) => ({ dialect, person, invitation, answer })),
    ),
  ),
);

test.each(cases)(
  '$dialect: $person with $invitation invitation, answer $answer',
  async ({ dialect, person, invitation, answer }) => {
    const { who, prepare, takes, locked } = people[person] ?? { who: '', takes: [] };
    const { fault, isDone, exit, outcome } = answers[answer];
    const state = await stored();
    await prepare?.(state);
    if (invitation === 'one') await state.invite(who.toUpperCase());
    const faults =
      fault === undefined
        ? []
        : ['updateUser', 'deleteInvitation'].map(
            (id) => `${fault}${fault.endsWith(':') ? '' : ','}operation=${id}`,
          );
    const words = leave(who, '--confirm', who, '--yes', '--json', ...kept());

    const ended = await innctl(words, { dialect, faults });

    // The contract has no operation for the flag of an account admin.
    const fields = takes.filter((field) => dialect === 'apaleo' || field === 'enabled');
    const patch = fields.map((field) => ({ op: 'replace', path: `/${field}`, value: false }));
    const isWithdrawn = invitation === 'one' && locked === undefined;
    const planned = [
      ...(patch.length === 0 ? [] : [`PATCH ${BEN_ID} ${JSON.stringify(patch)}`]),
      ...(isWithdrawn ? [`DELETE ${who.toUpperCase()}`] : []),
    ];
    const isNobody = person === 'nobody' && invitation === 'no';
    const expected = isNobody ? 3 : locked ? 11 : planned.length === 0 ? 0 : exit;
    expect([ended.exitCode, writes]).toEqual([expected, planned]);
    const documents = await evidence();
    const known = isNobody || locked ? [] : [documents[0]];
    expect(documents).toEqual(known);
    if (documents[0] !== undefined) {
      const { before, after, verdicts, requests, person: about, actor } = documents[0];
      expect(about.email).toBe(person === 'nobody' ? who.toUpperCase() : who);
      expect(actor.email).toBe(ANA);
      expect(before.invitations).toHaveLength(invitation === 'one' ? 1 : 0);
      const isUnchanged = patch.length === 0 && person !== 'nobody';
      expect(verdicts.map((verdict: { readonly outcome: string }) => verdict.outcome)).toEqual([
        ...(isUnchanged ? ['unchanged'] : []),
        ...planned.map(() => outcome),
      ]);
      const sent = (requests as readonly Request[]).map(({ method }) => method);
      expect([...new Set(sent)]).toEqual(planned.map((each) => each.split(' ')[0]));
      expect((requests as readonly Request[]).every(({ status, failure }) => status ?? failure)).toBe(true);
      if (isDone) expect([after.user?.enabled ?? false, after.invitations]).toEqual([false, []]);
      else expect(after.user?.enabled).toBe(before.user?.enabled);
    }
    const user = state.user(BEN_ID);
    if (who === BEN && !locked) {
      expect(user?.enabled).toBe(patch.length > 0 && !isDone);
      expect(user?.properties).toEqual(['BER', 'MUC']);
    }
    expect(state.invited().includes(who)).toBe(invitation === 'one' && !(isWithdrawn && isDone));
    const verified =
      documents.length === 0 ? undefined : await innctl(['evidence', 'verify', join(folder, 'evidence')]);
    expect(verified?.exitCode ?? 0).toBe(0);
  },
);

const file = async (name: string, text: string) => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

describe('people named on the command line', () => {
  test('an invitation alone is withdrawn after a yes, and withdrawn once', async () => {
    const invited = 'lea.wagner@aurora.example';

    const asked = await atSandbox(leave(invited));
    const done = await atSandbox(leave(invited, '--yes', '--json'));
    const again = await atSandbox(leave(invited, '--yes', '--json'));
    const other = await atSandbox(leave(`${invited}x`, '--yes'));

    expect([asked.exitCode, done.exitCode, again.exitCode, other.exitCode]).toEqual([11, 0, 0, 3]);
    expect(outcomes(again.stdout)).toEqual([[invited, 'same', 'done']]);
    expect(writes).toEqual([`DELETE ${invited}`]);
  });

  test('--strip takes the properties in the same patch, and names the roles that are lost', async () => {
    const done = await innctl(leave(BEN, '--strip', '--confirm', BEN), { answers: [] });

    expect(done.stderr).toContain(`takes properties away: 1 (${BEN}: takes away BER`);
    expect(writes).toHaveLength(1);
    expect(writes[0]).toContain(
      '{"op":"replace","path":"/enabled","value":false},{"op":"replace","path":"/properties","value":[]}',
    );
    expect((await stored()).user(BEN_ID)).toMatchObject({ enabled: false, properties: [] });
  });

  test('a person may be named by subject id, and is taken once', async () => {
    const done = await innctl(leave(BEN_ID, BEN, '--confirm', BEN, '--json'));

    expect(outcomes(done.stdout)).toEqual([[BEN, 'change', 'done']]);
  });

  test('a repeat that has only the invitation left is confirmed by name too, in any case', async () => {
    const { change, invite } = await stored();
    await change(BEN_ID, { enabled: false });
    await invite(BEN);

    const other = await innctl(leave(BEN, '--confirm', EMMA));
    const unsent = [...writes];
    const done = await innctl(leave(BEN, '--confirm', BEN.toUpperCase()));

    expect([other.exitCode, unsent, done.exitCode]).toEqual([11, [], 0]);
    expect(writes).toEqual([`DELETE ${BEN}`]);
    expect((await stored()).invited()).not.toContain(BEN);
  });

  test('an address confirms in any case, also that a disabled user is no account admin any more', async () => {
    const { change } = await stored();
    const other = await innctl(leave(BEN, '--confirm', 'BEN'));
    const done = await innctl(leave(BEN, '--confirm', BEN.toUpperCase()));
    await change(BEN_ID, { enabled: false, is_account_admin: true });

    const demoted = await innctl(leave(BEN, '--confirm', BEN.toUpperCase()));

    expect([other, done, demoted].map(({ exitCode }) => exitCode)).toEqual([11, 0, 0]);
    expect(writes).toHaveLength(2);
  });

  test('says what it cannot tell', async () => {
    const done = await innctl(leave(BEN, '--confirm', BEN, '--json'));
    await (await stored()).change(BEN_ID, { enabled: true, is_account_admin: true });
    const contract = await innctl(leave(BEN, '--confirm', BEN, '--json'), { dialect: 'contract' });

    expect(JSON.parse(done.stdout).cannot_tell).toEqual([
      expect.stringContaining('up to an hour'),
      expect.stringContaining('apps'),
    ]);
    expect(JSON.parse(contract.stdout).cannot_tell).toContain(
      'The account admin flag of users stays, because no operation of the service changes it.',
    );
  });

  test.each([
    ['users', '{"users":[],"count":5}'],
    ['invitations', '{"invitations":[],"count":5}'],
  ])('an incomplete list of %s is an error, and nothing is sent', async (noun) => {
    const id = noun === 'users' ? 'listUsers' : 'listInvitations';

    const ended = await innctl(leave(BEN, '--confirm', BEN), {
      dialect: 'contract',
      faults: [`answer:body=count,operation=${id}`],
    });

    expect([ended.exitCode, writes]).toEqual([1, []]);
    expect(ended.stderr).toContain(`the service counts`);
  });
});

describe('people of a file', () => {
  test('a German table: reason and ticket of each row are in its evidence', async () => {
    const path = await file(
      'leavers.csv',
      `E-Mail;Austrittsgrund;Ticketnummer;Abteilung\n${BEN};Rente;HR-7;Empfang\nEMMA@aurora.example;;;x\n`,
    );
    const given = ['--map', 'Abteilung=', '--reason', 'November', '--yes', ...kept()];
    const words = ['people', 'offboard', '--file', path, ...given];

    const few = await innctl([...words, '--max-deletes', '1']);
    const done = await innctl([...words, '--max-deletes', '2', '--json']);

    expect([few.exitCode, few.stderr]).toEqual([11, expect.stringContaining('needs --max-deletes 2')]);
    expect(outcomes(done.stdout)).toEqual([
      [BEN, 'change', 'done'],
      [EMMA, 'change', 'done'],
    ]);
    const told = (await evidence()).map(({ person, reason, ticket }) => [person.email, reason, ticket]);
    expect(told.toSorted()).toEqual([
      [BEN, 'Rente', 'HR-7'],
      [EMMA, 'November', undefined],
    ]);
  });

  test('the folder of evidence is named as it was typed', async () => {
    const path = await file('leavers.csv', `email\n${BEN}\nnobody@aurora.example\n`);
    const typed = relative(process.cwd(), join(folder, 'evidence'));

    const words = ['people', 'offboard', '--file', path, '--evidence', typed, '--yes', '--max-deletes', '1'];
    const { stderr } = await innctl(words);

    expect(stderr).toContain(`Evidence: 1 document in ${typed}.\n`);
    expect(stderr).toContain(` --evidence ${typed}`);
    expect(stderr).not.toContain(` ${join(folder, 'evidence')}`);
  });

  test.each([
    ['Name,Emial,Austritt', '--map Emial=email'],
    ['x@example.com,y', undefined],
  ])(
    'the columns %j without one of addresses are refused with the line that names it',
    async (header, map) => {
      const words = ['people', 'offboard', '--file', await file('leavers.csv', `${header}\nx,y,z\n`)];

      const { exitCode, stderr } = await innctl(words);

      expect(exitCode).toBe(2);
      const [, hint] = stderr.split('\nhint: ');
      expect(hint?.trim()).toBe(map && `innctl ${words.join(' ')} ${map}`);
      expect(writes).toEqual([]);
    },
  );

  test.each<[string, string, readonly string[]]>([
    ['a.csv', 'Name,Grund\nx,y\n', ['row 1', 'has no column email', '--map HEADER=email']],
    [
      'a.csv',
      'email\nben@aurora.example\nBEN@aurora.example\nnot an address\n\n',
      ['is given at', 'row 4: email'],
    ],
    ['a.csv', 'email,reason\nben@aurora.example\n', ['row 2: has 1 cell']],
    ['a.json', '[{"email":"ben@aurora.example","Austritt":"2099-01-01"}]', ['Austritt: is not a column']],
    ['a.csv', 'email,Austritt,Exit date\nx,y,z\n', ['until: is given twice, as "Austritt" and "Exit date"']],
    ['a.csv', 'email,Austritt\nben@aurora.example,bald\n', ['row 2: until: "bald" is not a plain day']],
    ['a.csv', 'E-Mail,Austritt\nben@aurora.example,2020-01-01\nBEN@aurora.example,\n', ['is given at']],
    ['a.yaml', '- email: [ben@aurora.example]\n', ['line 1: email: must be a text']],
    ['a.ndjson', '{"email":"ben@aurora.example"}\n{"reason":"x"}\n', ['line 2: email: is missing']],
  ])('%s: %j is refused with its place, and nothing is sent', async (name, text, reasons) => {
    const path = await file(name, text);

    const words = ['people', 'offboard', '--file', path, '--yes', '--max-deletes', '9', ...kept()];
    const ended = await innctl(words);

    expect([ended.exitCode, writes, await evidence()]).toEqual([2, [], []]);
    for (const reason of reasons) expect(ended.stderr).toContain(reason);
  });

  const leavers = async (path: string, ...words: readonly string[]) => {
    const line = ['people', 'offboard', '--dry-run', '--json', '--file', path, ...words];
    const { exitCode, stdout, stderr } = await innctl(line);
    const { items = [] } = JSON.parse(stdout || '{}') as { items?: readonly { readonly name: string }[] };
    return { exitCode, names: items.map(({ name }) => name), stderr };
  };
  const leftOut = (path: string, rows: string) =>
    `warning: Left out of ${path}: ${rows} whose last day is today or later, or empty.\n`;

  test('an export of all employees: only who has left is a leaver, and further columns are not asked for', async () => {
    const path = await file(
      'hr.csv',
      '\ufeffPersonalnr;Nachname;E-Mail;Austrittsdatum (geplant);Austrittsgrund;Eintrittsdatum;\n' +
        `1;"Schuster, Dr.";${BEN.toUpperCase()};31.12.2020;Rente;1.1.2000;\n;;;;;;\n` +
        `2;Petrov;ivan@aurora.example;31.12.2099;;;\n3;Roth;${EMMA};;;;\n4;x;;-;;;\n5;Berg;${ANA};2099-01-01;;;\n`,
    );

    expect(await leavers(path)).toEqual({
      exitCode: 0,
      names: [BEN],
      stderr: expect.stringContaining(leftOut(path, '4 rows')),
    });
  });

  test.each([
    ['until', '2020-12-31', []],
    ['Exit date', '12/31/2020', []],
    ['Last day', '31/12/2020', []],
    ['letzter Arbeitstag', '2020-12-31 00:00:00', []],
    ['Ende der Beschäftigung', '31.12.2020', []],
    ['Weg ab', '1.2.2020', ['--map', 'Weg ab=until']],
  ])('the last day is in a column %s: %s', async (header, day, words) => {
    const path = await file('hr.csv', `email;${header}\n${BEN};${day}\n${EMMA};2099-12-31\n`);

    expect(await leavers(path, ...words)).toEqual({
      exitCode: 0,
      names: [BEN],
      stderr: expect.stringContaining(leftOut(path, '1 row')),
    });
  });

  test('a workbook has days as dates, and a list has them as texts', async () => {
    const rows = [
      ['email', 'Austritt', 'Nr'],
      [BEN, new Date(Date.UTC(2020, 11, 31)), 7],
      [EMMA, new Date(Date.UTC(2099, 11, 31)), 8],
    ];
    const sheet = join(folder, 'hr.xlsx');
    await writeFile(sheet, await writeXlsx({ sheets: [{ name: 'HR', rows }] }));
    const list = await file(
      'hr.json',
      JSON.stringify([
        { email: BEN, until: '2020-12-31' },
        { email: EMMA, until: null },
      ]),
    );

    expect([(await leavers(sheet)).names, (await leavers(list)).names]).toEqual([[BEN], [BEN]]);
  });

  test.each([
    ['a header that no table has', 'Weg=until', '--map: no table has a column "Weg"'],
    ['a column that there is not', 'Weg ab=untl', 'untl: is not a column of this file; did you mean until?'],
  ])('--map with %s is refused', async (_, word, reason) => {
    const path = await file('hr.csv', `email;Weg ab\n${BEN};2099-12-31\n`);

    const { exitCode, stderr } = await innctl(['people', 'offboard', '--file', path, '--map', word, '--yes']);

    expect([exitCode, writes]).toEqual([2, []]);
    expect(stderr).toContain(reason);
  });

  test.each([
    ['yaml', `- email: ${BEN}\n  reason: left\n- {email: ${EMMA}}\n`],
    ['json', JSON.stringify([{ email: BEN }, { email: EMMA }])],
    ['ndjson', `${JSON.stringify({ email: BEN })}\n${JSON.stringify({ email: EMMA })}\n`],
    ['csv', `email;reason\n${BEN};\n${EMMA};x\n`],
  ])('%s is read from stdin, too', async (name, stdin) => {
    const path = await file(`leavers.${name}`, stdin);
    const words = ['people', 'offboard', '--dry-run', '--json', '--file'];

    const [named, piped] = [await innctl([...words, path]), await innctl([...words, '-'], { stdin })];

    for (const { exitCode, stdout } of [named, piped]) {
      const { items } = JSON.parse(stdout) as { items: readonly { name: string; action: string }[] };
      expect([exitCode, items.map(({ name: who, action }) => `${action} ${who}`)]).toEqual([
        0,
        [`change ${BEN}`, `change ${EMMA}`],
      ]);
    }
    expect(writes).toEqual([]);
  });
});

describe('evidence', () => {
  test('--reason and --ticket without it are refused', async () => {
    const ended = await innctl(leave(BEN, '--reason', 'x', '--ticket', 'y'));

    expect([ended.exitCode, ended.stderr]).toEqual([
      2,
      expect.stringContaining('--ticket: is for the evidence'),
    ]);
  });
});

test.each([
  [['people', 'offboard', BEN, '--file', 'x.csv'], 'cannot be given together'],
  [['people', 'offboard', '--file', 'x.csv', '--confirm', BEN], '--confirm is for people named'],
  [['people', 'offboard', '..', 'a@b'], 'subject_id ".."'],
])('%j is refused', async (words, message) => {
  const ended = await innctl(words);

  expect([ended.exitCode, ended.stderr, writes]).toEqual([2, expect.stringContaining(message), []]);
});

test('hostile names reach a terminal only as text', async () => {
  await (await stored()).change(BEN_ID, {
    email: 'b\u001b[31m\u202e@aurora.example',
    first_name: '=cmd|calc',
  });

  const ended = await innctl(leave(BEN_ID, '--confirm', BEN_ID, ...kept()), { answers: [] });

  expect(ended.exitCode).toBe(0);
  expect(ended.stdout + ended.stderr).not.toMatch(/\p{Cf}|m\u202e/u);
  expect((await linesOf(join(folder, 'evidence'))).join('')).not.toMatch(/[\p{C}]/u);
});

describe('an invitation that is accepted before it is withdrawn', () => {
  /** The person accepts right before the withdrawal, as somebody who clicks the link in the mail. */
  function acceptedMeanwhile(): Situation {
    const accepting: Connect = async (options) => {
      const transport = await connect(options);
      return {
        ...transport,
        request: async (request) => {
          if (request.method === 'DELETE') {
            const email = decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
            const store = await openStore({ folder: stateFolder(), seed: 'small', now: Date.now });
            await store.write((records) => acceptInvitation(email, Date.now(), records));
          }
          return transport.request(request);
        },
      };
    };
    return { connect: accepting };
  }

  const offboarding = (...more: readonly string[]) => leave(GONE, '--yes', '--json', ...more, ...kept());

  test('off-boarding ends with 9, and the same command disables the user', async () => {
    await (await stored()).invite(GONE);

    const ended = await atSandbox(offboarding(), acceptedMeanwhile());
    const again = await atSandbox(offboarding('--confirm', GONE));

    expect([ended.exitCode, outcomes(ended.stdout)]).toEqual([9, [[GONE, 'delete', 'failed']]]);
    expect(ended.stderr).toContain('it was accepted, and the person is a user now.');
    expect([again.exitCode, outcomes(again.stdout)]).toEqual([0, [[GONE, 'change', 'done']]]);
    expect((await stored()).withEmail(GONE)).toMatchObject([{ enabled: false }]);
    expect((await evidence()).map(({ after }) => after.user?.enabled)).toEqual([true, false]);
  });

  test('a review does not disable who accepted, and its evidence shows the user', async () => {
    await (await stored()).invite(GONE);
    const { stdout } = await atSandbox('access report --for-review -o csv'.split(' '));
    const decided = stdout.split('\n').map((line) => {
      const [, rest = ''] = line.split(`,${GONE},`);
      return rest === '' ? line : line.replace(/,,,(\r?)$/, ',withdraw,Ana,left$1');
    });
    await writeFile(join(folder, 'review.csv'), decided.join('\n'));
    const line = ['access', 'apply', join(folder, 'review.csv'), '--yes', '--max-deletes', '1', '--json'];

    const ended = await atSandbox([...line, ...kept()], acceptedMeanwhile());

    const [person, review] = await evidence();
    const error = expect.stringContaining('was accepted, and the person is a user now.');
    expect([ended.exitCode, (await stored()).withEmail(GONE)[0]?.enabled]).toEqual([9, true]);
    expect(person).toMatchObject({
      after: { user: { email: GONE, enabled: true }, invitations: [] },
      verdicts: [{ outcome: 'failed', error }],
    });
    expect(review).toMatchObject({
      review: {
        rows: expect.arrayContaining([
          expect.objectContaining({
            email: GONE,
            reviewer: 'Ana',
            comment: 'left',
            outcome: 'failed',
            error,
          }),
        ]),
      },
    });
  });

  const others = [
    'invitations delete --older-than 1h --max-deletes 9',
    `invitations delete ${GONE} jonas.keller@aurora.example`,
    `invitations resend ${GONE}`,
  ];

  test.each(others)('%s ends with 9 and says that the person is a user', async (line) => {
    await (await stored()).invite(GONE);

    const ended = await atSandbox(`${line} --yes --json`.split(' '), acceptedMeanwhile());

    const { error } = JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '');
    const reason = `There is no invitation to ${GONE} any more: it was accepted, and the person is a user now.`;
    expect([ended.exitCode, error.code]).toEqual([9, 'partly_done']);
    expect(error.details).toContainEqual({ field: GONE, reason });
    expect(writes.filter((write) => write.startsWith('POST'))).toEqual([]);
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

let folder = '';

beforeEach(async () => {
  folder = await temporaryFolder();
});

const BER = {
  code: 'BER',
  name: { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin' },
  company_name: 'Grandhotel Berlin GmbH',
  commercial_register_entry: 'Amtsgericht Charlottenburg, HRB 104512 B',
  tax_id: 'DE811569869',
  location: { address_line1: 'Mohrenstraße 30', postal_code: '10117', city: 'Berlin', country_code: 'DE' },
  time_zone: 'Europe/Berlin',
  currency_code: 'EUR',
};
const HAM = {
  ...BER,
  code: 'HAM',
  name: { en: 'Harbour Hotel' },
  default_check_in_time: '15:00:00',
  default_check_out_time: '11:00:00',
};

/** Runs plan against the sandbox of the test, with a manifest on stdin. */
const plan = (manifest: object, flags = '', situation: Situation = {}) =>
  cli(`--sandbox plan - ${flags}`, {
    folder,
    connect: connectUndici,
    stdin: JSON.stringify(manifest),
    ...situation,
  });

test.each([
  [{ properties: [HAM] }, '', 'Comparing 1 entry with what the sandbox holds.\nPlan: 1 to create.\n'],
  [{ properties: [HAM] }, '--json', 'Plan: 1 to create.\n'],
  [{ properties: [] }, '', 'Plan: nothing.\n'],
])('a terminal gets one message about what is compared: %o %s', async (manifest, flags, expected) => {
  const { stderr } = await plan(manifest, flags, { answers: [] });

  expect(stderr).toBe(expected);
});

test('a plan reports the action of each entry, and changes nothing', async () => {
  const manifest = {
    properties: [{ ...BER, tax_id: 'DE2' }, HAM],
    invitations: [
      { email: 'anton@example.com', role: 'Housekeeping', properties: ['ham', 'BER'] },
      { email: 'ben@aurora.example', is_account_admin: true },
    ],
    users: [{ email: 'clara@aurora.example', enabled: false, properties: ['BER', 'ham'] }],
  };

  const planned = await plan(manifest);

  expect(planned).toEqual({
    exitCode: 0,
    stdout: [
      'change\tproperty\tBER\ttax_id: "DE811569869" -> "DE2"\tstdin: line 1\n',
      'create\tproperty\tHAM\t\tstdin: line 1\n',
      'create\tinvitation\tanton@example.com\t\tstdin: line 1\n',
      'same\tinvitation\tben@aurora.example\talready has a user, whose access an invitation does not change (kind: user does)\tstdin: line 1\n',
      'change\tuser\tclara@aurora.example\tenabled: true -> false; properties: BER -> BER, HAM\tstdin: line 1\n',
    ].join(''),
    stderr:
      'Plan: 2 to create, 2 to change, 1 unchanged.\ndisables: 1 (clara@aurora.example)\nsends mails: 1 (anton@example.com)\nApplying it needs --max-deletes 1.\n',
  });
  expect(await plan(manifest)).toEqual(planned);
});

test('with --json each entry has its patch or body, and the plan can be saved', async () => {
  const { exitCode, stdout } = await plan({ properties: [{ ...BER, tax_id: 'DE2' }, HAM] }, '--json');

  expect({ exitCode, ...JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    summary: { create: 1, change: 1 },
    plan: {
      version: 1,
      made: expect.any(String),
      identity_url: 'sandbox',
      base_url: 'sandbox',
      account: 'sandbox',
      digest: expect.any(String),
    },
    count: 2,
    items: [
      {
        action: 'change',
        kind: 'property',
        name: 'BER',
        id: 'BER',
        file: 'stdin',
        line: 1,
        changes: [{ field: 'tax_id', from: 'DE811569869', to: 'DE2' }],
        patch: [{ op: 'replace', path: '/taxId', value: 'DE2' }],
        seen: expect.stringMatching(/^[0-9a-f]{64}$/),
        what: ['tax_id: "DE811569869" -> "DE2"'],
        place: 'stdin: line 1',
      },
      {
        action: 'create',
        kind: 'property',
        name: 'HAM',
        file: 'stdin',
        line: 1,
        body: HAM,
        what: [],
        place: 'stdin: line 1',
      },
    ],
  });
});

test('CSV has one row per entry', async () => {
  expect(
    await plan({ properties: [{ ...BER, tax_id: '=1+1', default_check_in_time: '15:00:00' }] }, '-o csv'),
  ).toEqual({
    exitCode: 0,
    stdout:
      'action,kind,name,what,place\n' +
      'change,property,BER,"tax_id: ""DE811569869"" -> ""=1+1""",stdin: line 1\n',
    stderr: 'Plan: 1 to change.\n',
  });
});

/** What a terminal of 80 columns shows on stdout. */
const shown = async (manifest: object, flags = '', columns = 80) =>
  (await plan(manifest, `--color never ${flags}`, { columns, answers: [] })).stdout;

describe('at a terminal', () => {
  const people = {
    invitations: [
      { email: 'anton@example.com', role: 'Housekeeping', properties: ['ham', 'BER'] },
      { email: 'eva@example.com', is_account_admin: true },
      { email: 'ben@aurora.example', is_account_admin: true },
      { email: 'clara@aurora.example', is_account_admin: true },
    ],
  };

  test('each row has a sign and what changes; unchanged rows are only counted, unless there is a reason', async () => {
    const manifest = {
      properties: [
        { ...BER, tax_id: 'DE2' },
        { ...BER, code: 'MUC', time_zone: 'UTC' },
        { ...HAM, extra: { status: 'Live' } },
      ],
      ...people,
    };

    const { stdout, stderr } = await plan(manifest, '--color never', { columns: 80, answers: [] });

    expect(stdout.split('\n')).toEqual([
      '  ~ property BER: tax_id: "DE811569869" → "DE2"',
      '  + property HAM: Harbour Hotel, Berlin, DE, Live',
      '  + invitation anton@example.com: Housekeeping at HAM, BER',
      '  + invitation eva@example.com',
      '      gives full access',
      '  ! property MUC (stdin: line 1): time_zone is "Europe/Berlin", not "UTC", and',
      '      cannot be changed after creation',
      '  = 2 invitations ben@aurora.example, clara@aurora.example: already has a user,',
      '      whose access an invitation does not change (kind: user does)',
      '',
    ]);
    expect(stderr).toBe(
      'Comparing 7 entries with what the sandbox holds.\n' +
        'Plan: 3 to create, 1 to change, 2 unchanged, 1 conflict.\n' +
        'gives full access: 1 (eva@example.com)\n' +
        'sends mails: 2 (anton@example.com; eva@example.com)\n' +
        'warning: 1 of 7 rows cannot be done; nothing is sent for it.\n',
    );
  });

  test('several changes of a row are below it, whole, wrapped at words', async () => {
    const long = 'Grand '.repeat(30).trim();
    const changed = { ...BER, company_name: long, commercial_register_entry: 'HRB 1', tax_id: 'DE2' };

    expect((await shown({ properties: [changed] }, '', 60)).split('\n')).toEqual([
      '  ~ property BER',
      '      company_name: "Grandhotel Berlin GmbH" → "Grand Grand',
      '        Grand Grand Grand Grand Grand Grand Grand Grand',
      '        Grand Grand Grand Grand Grand Grand Grand Grand',
      '        Grand Grand Grand Grand Grand Grand Grand Grand',
      '        Grand Grand Grand Grand"',
      '      commercial_register_entry: "Amtsgericht',
      '        Charlottenburg, HRB 104512 B" → "HRB 1"',
      '      tax_id: "DE811569869" → "DE2"',
      '',
    ]);
  });

  test('rows that are not possible for the same reason are together', async () => {
    const people = [1, 2, 3, 4, 5, 6].map((row) => `p${row}@example.com,Cook,BER`);
    const stdin = ['email,role,properties', ...people, 'p7@example.com,Housekeeping,BER', ''].join('\n');

    const { stdout } = await cli('--sandbox plan - --color never', {
      ...{ folder, connect: connectUndici, stdin, columns: 1000 },
    });

    expect(stdout).toMatch(
      /^ {2}\+ invitation p7@example\.com: Housekeeping at BER\n {2}! 6 invitations p1@example\.com, p2@example\.com, p3@example\.com, p4@example\.com, p5@example\.com and 1 more \(stdin: rows 2-7\): the service has no role "Cook"; it has [^\n]*\n$/,
    );
  });

  test('lost access is below its row', async () => {
    const manifest = { users: [{ email: 'clara@aurora.example', enabled: false, properties: [] }] };

    expect((await shown(manifest)).split('\n')).toEqual([
      '  ~ user clara@aurora.example',
      '      enabled: true → false',
      '      properties: BER → none',
      '      takes away BER',
      '      removes roles that cannot be restored through the API: PropertyAdmin at',
      '        BER',
      '',
    ]);
  });

  test('a thousand creations are a line each', async () => {
    const hotels = Array.from({ length: 1000 }, (_, index) => ({ ...HAM, code: `H${index}` }));

    expect(await shown({ properties: hotels })).toBe(
      hotels.map(({ code }) => `  + property ${code}: Harbour Hotel, Berlin, DE\n`).join(''),
    );
  });

  test('a plan of unchanged rows shows only the sum', async () => {
    expect(await plan({ properties: [BER] }, '', { columns: 80, answers: [] })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Comparing 1 entry with what the sandbox holds.\nPlan: 1 unchanged.\n',
    });
  });

  test.each([
    ['-o table', '│ create │ property │ HAM  │ stdin: line 1 │'],
    ['--fields name,action', '│ HAM  │ create │'],
    ['--quiet', 'HAM\n'],
    ['-o csv', 'create,property,HAM,,stdin: line 1\n'],
  ])('%s asks for something else', async (flags, expected) => {
    expect(await shown({ properties: [HAM] }, flags)).toContain(expected);
  });

  test('a table has each row on one line', async () => {
    const invitations = [{ email: 'ana@example.com', role: 'Cook', properties: ['BER'] }];

    expect(await shown({ invitations }, '-o table')).toContain(
      '│ conflict │ invitation │ ana@example.com │ the service has n… │ stdin: line 1 │\n└',
    );
  });

  test('the sign has a colour, with which it says the same', async () => {
    const { stdout } = await plan({ properties: [HAM] }, '--color always', { columns: 80, answers: [] });

    expect(stdout).toBe('  \u001b[32m+\u001b[39m property HAM: Harbour Hotel, Berlin, DE\n');
  });

  test('the action has a colour in a table', async () => {
    const { stdout } = await plan({ properties: [HAM] }, '-o table --color always');

    expect(stdout).toContain('\u001b[36mcreate\u001b[39m');
  });
});

test('file_row is the row of the spreadsheet', async () => {
  const { stdout } = await cli('--sandbox plan - --json', {
    folder,
    connect: connectUndici,
    stdin: 'email,role,properties\nanton@example.com,Housekeeping,BER\n',
  });

  expect(JSON.parse(stdout).items).toMatchObject([{ file: 'stdin', file_row: 2, place: 'stdin: row 2' }]);
});

describe('--exit-code', () => {
  test.each<[string, object, number]>([
    ['something to create', { properties: [HAM] }, 10],
    ['something to change', { properties: [{ ...BER, tax_id: 'DE2' }] }, 10],
    ['nothing to do', { properties: [BER] }, 0],
    ['only conflicts', { properties: [{ ...BER, time_zone: 'UTC' }] }, 0],
  ])('%s', async (_, manifest, exitCode) => {
    const planned = await plan(manifest, '--exit-code');

    expect({ exitCode: planned.exitCode, isError: planned.stderr.includes('error') }).toEqual({
      exitCode,
      isError: false,
    });
    expect((await plan(manifest)).exitCode).toBe(0);
  });
});

test('conflicts are listed, with a warning on stderr also with --json', async () => {
  const manifest = { properties: [{ ...BER, time_zone: 'UTC' }] };
  const warning = 'warning: 1 of 1 row cannot be done; nothing is sent for it.\n';

  expect(await plan(manifest)).toEqual({
    exitCode: 0,
    stdout:
      'conflict\tproperty\tBER\ttime_zone is "Europe/Berlin", not "UTC", and cannot be changed after creation\tstdin: line 1\n',
    stderr: `Plan: 1 conflict.\n${warning}`,
  });
  expect((await plan(manifest, '--json --exit-code')).stderr).toContain(warning);
});

test('fields missing for creations are reported first, all at once', async () => {
  const { default_check_in_time: _in, ...incomplete } = HAM;

  const planned = await plan({ properties: [BER, incomplete, { ...BER, code: 'VIE2' }] });

  expect(planned).toMatchObject({ exitCode: 2, stdout: '' });
  expect(planned.stderr).toContain(
    'stdin: line 1: default_check_in_time: is missing, and the property is to be',
  );
  expect(planned.stderr).toContain('3 values are not valid');
});

test('times that no service shows are not sent without a journal', async () => {
  const manifest = { properties: [{ ...BER, default_check_in_time: '15:00:00' }] };

  const { stdout, stderr } = await plan(manifest);

  expect(stdout).toContain('same\tproperty\tBER\t');
  expect(stderr).toBe('Plan: 1 unchanged.\n');
});

test('files are printed as typed, and a missing journal is not reported', async () => {
  const file = join(folder, 'hotels.json');
  await writeFile(file, JSON.stringify({ properties: [BER] }));

  const planned = await cli(`--sandbox plan ${file} --run-id ci-7`, {
    folder,
    connect: connectUndici,
  });

  expect(planned).toEqual({
    exitCode: 0,
    stdout: `same\tproperty\tBER\t\t${file}: line 1\n`,
    stderr: 'Plan: 1 unchanged.\n',
  });
});

test.each([
  ['--concurrency 0', '--concurrency: "0" is not a whole number from 1 to 64'],
  ['--max-rps 0', '--max-rps: "0" is not a number'],
  ['--run-id ""', '--run-id'],
  ['--max-deletes 3', "unknown option '--max-deletes'"],
])('%s: exit 2', async (flags, message) => {
  expect(await plan({ properties: [BER] }, flags)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining(message),
  });
});

test('plan without files: exit 2', async () => {
  expect(await cli('--sandbox plan')).toMatchObject({ exitCode: 2, stdout: '' });
});

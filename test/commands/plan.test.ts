import { beforeEach, describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
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

test('CSV has one row per entry; a warning names the times that nothing shows', async () => {
  expect(
    await plan({ properties: [{ ...BER, tax_id: '=1+1', default_check_in_time: '15:00:00' }] }, '-o csv'),
  ).toEqual({
    exitCode: 0,
    stdout:
      'action,kind,name,what,place\n' +
      'change,property,BER,"tax_id: ""DE811569869"" -> ""=1+1""",stdin: line 1\n',
    stderr:
      'warning: The default times of BER are not compared or sent: no service shows them. innctl properties update sets them.\n' +
      'Plan: 1 to change.\n',
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
      '  + property HAM: Harbour Hotel',
      '  + invitation anton@example.com: Housekeeping at HAM, BER',
      '  + invitation eva@example.com',
      '      gives full access',
      '  ! property MUC (stdin: line 1): time_zone is "Europe/Berlin", not "UTC", and',
      '      cannot be changed',
      '  = invitation ben@aurora.example: already has a user, whose access an',
      '      invitation does not change (kind: user does)',
      '  = invitation clara@aurora.example: already has a user, whose access an',
      '      invitation does not change (kind: user does)',
      '',
    ]);
    expect(stderr).toBe(
      'Plan: 3 to create, 1 to change, 2 unchanged. 1 of 7 rows cannot be done; nothing\n  is sent for it.\n' +
        'gives full access: 1 (eva@example.com)\n' +
        'sends mails: 2 (anton@example.com; eva@example.com)\n',
    );
  });

  test.each([
    ['-o table', '│ create │ property │ HAM  │ stdin: line 1 │'],
    ['--quiet', 'HAM\n'],
    ['-o csv', 'create,property,HAM,,stdin: line 1\n'],
  ])('%s asks for something else', async (flags, expected) => {
    expect(await shown({ properties: [HAM] }, flags)).toContain(expected);
  });

  test('the sign has a colour, with which it says the same', async () => {
    const { stdout } = await plan({ properties: [HAM] }, '--color always', { columns: 80, answers: [] });

    expect(stdout).toBe('  \u001b[32m+\u001b[39m property HAM: Harbour Hotel\n');
  });
});

describe('--exit-code', () => {
  test.each<[string, object, number]>([
    ['something to create', { properties: [HAM] }, 10],
    ['something to change', { properties: [{ ...BER, tax_id: 'DE2' }] }, 10],
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

test('conflicts are listed, with --json too', async () => {
  const manifest = { properties: [{ ...BER, time_zone: 'UTC' }] };

  expect(await plan(manifest)).toEqual({
    exitCode: 0,
    stdout:
      'conflict\tproperty\tBER\ttime_zone is "Europe/Berlin", not "UTC", and cannot be changed\tstdin: line 1\n',
    stderr: 'Plan: nothing. 1 of 1 row cannot be done; nothing is sent for it.\n',
  });
  expect((await plan(manifest, '--json --exit-code')).stderr).toBe(
    'Plan: nothing. 1 of 1 row cannot be done; nothing is sent for it.\n',
  );
});

test('fields missing for creations are reported first, and conflicts with them', async () => {
  const { default_check_in_time: _in, ...incomplete } = HAM;

  const planned = await plan({
    properties: [{ code: 'BER', tax_id: BER.tax_id }, incomplete, { ...BER, code: 'VIE2' }],
    invitations: [{ email: 'mia@example.com', role: 'Auditor', properties: ['NONE'] }],
  });

  expect(planned).toMatchObject({ exitCode: 2, stdout: '' });
  expect(planned.stderr.replaceAll(/\s+/g, ' ')).toBe(
    'error: 3 problems in the files: ' +
      'stdin: line 1: there is no property "HAM" yet, and to create it these are missing: default_check_in_time ' +
      'stdin: line 1: there is no property "VIE2" yet, and to create it these are missing: ' +
      'default_check_in_time, default_check_out_time ' +
      'stdin: line 1: no property has the id or code "NONE" ' +
      'hint: No service shows times of day; to export with them: ' +
      'innctl export --default-check-in-time 15:00 --default-check-out-time 11:00 ',
  );
});

test.each([['--max-deletes 3', "unknown option '--max-deletes'"]])('%s: exit 2', async (flags, message) => {
  expect(await plan({ properties: [BER] }, flags)).toEqual(ended(2, expect.stringContaining(message)));
});

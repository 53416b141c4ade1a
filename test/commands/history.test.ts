import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { beforeEach, describe, expect, test } from 'vitest';
import { cli, hotelsOfAurora as hotels, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { aurora, writeRun } from '../helpers/journal.ts';
import { seedingIn } from '../helpers/seeding.ts';

const now = Date.parse('2025-03-02T10:00:00Z');

let folder = '';

onlyIntercepted();

beforeEach(async () => {
  folder = await temporaryFolder();
});

const innctl = (line: string, situation: Situation = {}) =>
  cli(line, { folder, env: hotels, now, ...situation });
const items = (text: string) => JSON.parse(text).items;

/** Writes what Ana did at two accounts: hotels, a user, an invitation, and two units with one request. */
function writeHistory() {
  const change = { kind: 'user', action: 'change' } as const;
  const ben = { name: 'ben@example.com', id: 'ben-7', before: { properties: ['MUC'] } };
  writeRun(folder, {
    run: 'nightly-1',
    sent: [
      { answer: { id: 'P1', status: 201, request_id: 'r-1' } },
      { ...change, rows: [{ ...ben, after: { properties: ['BER', 'MUC'] } }] },
    ],
  });
  writeRun(folder, {
    ...{ run: 'nightly-2', command: 'units create', files: [], profile: 'chain', account: 'account BOREAL' },
    at: '2025-03-02T09:30:00Z',
    sent: [
      {
        ...{ id: 'abcdef012345-1', kind: 'unit' },
        rows: ['201', '202'].map((name) => ({ name: `BER/${name}`, after: { name } })),
        answer: {},
      },
      {
        ...{ kind: 'invitation', at: '2025-03-02T09:59:30Z', action: 'delete' },
        rows: [{ name: 'mia@example.com', before: { role: 'Auditor', properties: ['VIE'] } }],
        answer: { outcome: 'failed', error: 'it was refused' },
      },
    ],
  });
}

test('at a terminal of 80 columns each write is a line: when, what, and how it ended', async () => {
  writeHistory();

  const { stdout, stderr } = await innctl('history --color never', { columns: 80, answers: [] });

  expect(stdout).toBe(`\
┌────────────────┬──────────────────────────────────┬─────────┬────────────────┐
│ When           │ What                             │ Outcome │ Id             │
├────────────────┼──────────────────────────────────┼─────────┼────────────────┤
│ just now       │ delete invitation mia@example.c… │ failed  │ nightly-2-2    │
│ 30 minutes ago │ create unit BER/201              │ done    │ abcdef012345-1 │
│ 30 minutes ago │ create unit BER/202              │ done    │ abcdef012345-1 │
│ 1 day ago      │ change user ben@example.com      │ unknown │ nightly-1-2    │
│ 1 day ago      │ create property BER              │ done    │ nightly-1-1    │
└────────────────┴──────────────────────────────────┴─────────┴────────────────┘
`);
  expect(stderr).toBe('5 columns more with -o wide or --fields.\n');
});

test('JSON has everything that is known of a write', async () => {
  writeHistory();

  const { stdout } = await innctl('history list --run nightly-1 --json');

  const at = '2025-03-01T10:00:00.000Z';
  const run = { at, run_id: 'nightly-1', command: 'apply', ...aurora };
  expect(items(stdout)).toEqual([
    {
      ...{ id: 'nightly-1-2', ...run, kind: 'user', name: 'ben@example.com', record_id: 'ben-7' },
      ...{ action: 'change', before: { properties: ['MUC'] }, after: { properties: ['BER', 'MUC'] } },
      outcome: 'unknown',
    },
    {
      ...{ id: 'nightly-1-1', ...run, kind: 'property', name: 'BER', record_id: 'P1', action: 'create' },
      ...{ outcome: 'done', status: 201, request_id: 'r-1', answered_at: at },
    },
  ]);
});

test.each([
  ['--since 1h', ['mia@example.com', 'BER/201', 'BER/202']],
  ['--since 5m', ['mia@example.com']],
  ['--since 2025-03-02', ['mia@example.com', 'BER/201', 'BER/202']],
  ['--since 2025-03-02T09:45:00Z', ['mia@example.com']],
  ['--user mia@EXAMPLE.com', ['mia@example.com']],
  ['--property ber', ['BER/201', 'BER/202', 'ben@example.com', 'BER']],
  ['--property VIE', ['mia@example.com']],
  ['--kind unit --property BER', ['BER/201', 'BER/202']],
  ['--run nightly-2 --kind invitation', ['mia@example.com']],
])('history %s', async (flags, names) => {
  writeHistory();

  const { stdout } = await innctl(`history ${flags} --json`);

  expect(items(stdout).map(({ name }: { readonly name: string }) => name)).toEqual(names);
});

test.each([
  [
    'history --since yesterday --kind hotel',
    2,
    'error: 2 values are not valid:\n  --since: "yesterday" is neither a duration such as 7d, 12h or 30m nor a date such as 2026-11-01\n' +
      '  --kind: "hotel" is not one of property, invitation, user, unit_attribute, unit_group, unit\n' +
      'hint: innctl history list --help\n',
  ],
  [
    'history --run none-such',
    3,
    'error: There is no run "none-such"; the newest is nightly-2.\nhint: innctl runs list\n',
  ],
  [
    'history show abcdef9',
    3,
    'error: There is no request "abcdef9"; the newest is nightly-2-2.\nhint: innctl history\n',
  ],
  [
    'history show nightly-1',
    12,
    'error: 2 requests begin with nightly-1: nightly-1-2, nightly-1-1.\nhint: Type more of the id.\n',
  ],
])('%s: exit %i', async (line, exitCode, stderr) => {
  writeHistory();

  expect(await innctl(line)).toEqual(ended(exitCode, stderr));
});

test('history show has the records of one request, before and after', async () => {
  writeHistory();

  const shown = await innctl('history show abcdef --json');
  const outlines = await Promise.all(
    ['nightly-1-2', 'nightly-2-2', 'abcdef'].map((id) =>
      innctl(`history show ${id} --color never`, { columns: 80, answers: [] }),
    ),
  );

  expect(items(shown.stdout)).toMatchObject([{ name: 'BER/201' }, { name: 'BER/202' }]);
  expect(shown.stderr).toBe(
    'Request abcdef012345-1 of innctl units create, 2025-03-02T09:30:00.000Z, at identity.example.com, api.example.com (account BOREAL): done.\n',
  );
  expect(outlines.map(({ stdout }) => stdout)).toEqual([
    '    change user ben@example.com\n      properties: ["MUC"] -> ["BER","MUC"]\n',
    '    delete invitation mia@example.com\n      role: Auditor\n      properties: ["VIE"]\n',
    '    create unit BER/201\n      name: 201\n    create unit BER/202\n      name: 202\n',
  ]);
});

describe('a command that reads a record before it writes', () => {
  test('keeps what was read, and the name that people know', async () => {
    const service = await seedingIn('apaleo', Date.now);
    const lines = [
      'unit-groups create --property BER --code TRP --name en=Trio --description en=Beds --max-persons 3',
      'units create --property BER --name 901 --group TRP --description en=Bed --max-persons 2',
      'units update --property BER 901 --condition Dirty',
      'unit-groups update --property BER TRP --rank 7',
      'properties update BER --name de=Neu',
      'users update ben@aurora.example --remove-properties MUC --yes',
      'users update ben@aurora.example --add-properties VIE',
    ];
    for (const line of lines) expect(await service.innctl(line)).toMatchObject({ exitCode: 0 });
    const id = JSON.parse((await service.innctl('units get --property BER 901 --json')).stdout).id;
    await service.innctl(`units delete ${id} --confirm ${id}`);

    const { stdout } = await service.innctl('history --fields kind,name,action,before,after --json');

    expect(items(stdout).slice(0, 6)).toMatchObject([
      { kind: 'unit', name: 'BER/901', action: 'delete', before: { status: { condition: 'Dirty' } } },
      ...[
        ['user', 'ben@aurora.example', {}, { add_properties: ['VIE'] }],
        ['user', 'ben@aurora.example', { properties: ['BER', 'MUC'] }, { properties: ['BER'] }],
        ['property', 'BER', { 'name.de': 'Grandhotel Berlin' }, { 'name.de': 'Neu' }],
        ['unit_group', 'BER/TRP', {}, { rank: 7 }],
        ['unit', 'BER/901', { condition: 'Clean' }, { condition: 'Dirty' }],
      ].map(([kind, name, before, after]) => ({ kind, name, action: 'change', before, after })),
    ]);
  });
});

test('a secret in a refused message is masked in the journal, which only its owner may read', async () => {
  const token = hotels.INNCTL_TOKEN;
  nock(hotels.INNCTL_BASE_URL)
    .patch('/inventory/v1/properties/BER', [{ op: 'replace', path: '/name/de', value: 'Neu' }])
    .reply(422, { messages: [`token ${token} may not change it`] });

  const { exitCode } = await innctl('properties update BER --name de=Neu --no-verify');

  const journal = join(folder, 'state', 'journal');
  const [path = ''] = readdirSync(journal).map((name) => join(journal, name));
  const text = readFileSync(path, 'utf8');
  expect(exitCode).toBe(6);
  expect(text).toContain('may not change it');
  expect(text).not.toContain(token);
  expect([path, journal].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700]);
});

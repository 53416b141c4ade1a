import { describe, expect, test } from 'vitest';
import { propertyShape, userShape } from '../../src/commands/shapes.ts';
import { kindTable } from '../../src/model/kinds.ts';
import { relativeTo } from '../../src/print/cells.ts';
import { labelOf } from '../../src/print/labels.ts';
import { colourFor } from '../../src/print/paint.ts';
import { berlin, desk, munich, NOON, onePage, properties, twoPages } from './desk.ts';

describe('a table on a terminal', () => {
  test('has a header, formatted values, and rows in the order of the service', async () => {
    const { out, shown } = desk({ terminal: true });

    await out.records(properties, twoPages());

    expect(shown()).toEqual({
      stdout: [
        '┌─────┬─────────────┬────────┬──────────┬─────────────┐',
        '│ ID  │ Name        │ City   │ Archived │ Created     │',
        '├─────┼─────────────┼────────┼──────────┼─────────────┤',
        '│ BER │ Grand Hotel │ Berlin │ no       │ 40 days ago │',
        '│ MUC │ Alpenhof    │ -      │ yes      │ -           │',
        '└─────┴─────────────┴────────┴──────────┴─────────────┘',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('truncates long cells only when it does not fit otherwise, and never the id', async () => {
    const long = { ...berlin, id: 'B'.repeat(70), name: '東京'.repeat(40) };
    const wide = desk({ terminal: true, columns: 300 });
    const narrow = desk({ terminal: true, columns: 150 });

    await wide.out.records(properties, onePage([long]));
    await narrow.out.records(properties, onePage([long]));

    expect(wide.shown().stdout).toContain('東京'.repeat(40));
    expect(narrow.shown().stdout).toContain(`│ ${'B'.repeat(70)} │ ${'東京'.repeat(9)}東… │`);
  });

  test('never truncates the id where it is another column than the first', async () => {
    const { out, shown } = desk({ terminal: true, columns: 100 });
    const columns = properties.columns.slice(0, 2);

    await out.records(
      { ...properties, columns, id: 'name' },
      onePage([{ id: 'B'.repeat(60), name: 'N'.repeat(60) }]),
    );

    expect(shown().stdout).toContain(`│ ${'B'.repeat(32)}… │ ${'N'.repeat(60)} │`);
  });

  test('is plain columns for a dumb terminal or a screen reader', async () => {
    const { out, shown } = desk({ terminal: true, plain: true, columns: 47 });

    await out.records(properties, twoPages());

    expect(shown().stdout).toBe(
      [
        'ID   Name         City    Archived  Created',
        'BER  Grand Hotel  Berlin  no        40 days ago',
        'MUC  Alpenhof     -       yes       -',
        '',
      ].join('\n'),
    );
  });

  test('is plain columns for many rows', async () => {
    const { out, shown } = desk({ terminal: true });
    const many = Array.from({ length: 101 }, (_, index) => ({ ...munich, id: `H${index}` }));

    await out.records(properties, onePage(many));

    const lines = shown().stdout.split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'ID    Name      Archived',
      'H0    Alpenhof  yes',
      'H1    Alpenhof  yes',
    ]);
    expect(lines).toHaveLength(103);
  });

  test('is as wide as the first 1,000 rows, and later cells are truncated', async () => {
    const { out, shown } = desk({ terminal: true });
    const rows = Array.from({ length: 1_001 }, (_, index) => ({ ...munich, id: `H${index}` }));

    await out.records(properties, onePage([...rows.slice(1), { ...munich, name: 'Alpenhof am See' }]));

    expect(shown().stdout.split('\n').slice(-3)).toEqual([
      'H1000  Alpenhof  yes',
      'MUC    Alpenho…  yes',
      '',
    ]);
  });

  test('has a bold header with colour, and the same text', async () => {
    const { out, shown } = desk({ terminal: true, colour: { stdout: true, stderr: true } });
    const columns = properties.columns.slice(0, 1);

    await out.records({ noun: properties.noun, columns }, onePage([munich]));

    expect(shown().stdout).toBe('┌─────┐\n│ \u001b[1mID\u001b[22m  │\n├─────┤\n│ MUC │\n└─────┘\n');
  });
});

test.each(['table', 'cards', 'json', 'yaml'] as const)(
  '%s: a list that fails prints nothing',
  async (format) => {
    const { out, shown } = desk({ format });
    const failing = async function* () {
      yield* twoPages();
      throw new Error('The connection was lost.');
    };

    await expect(out.records(properties, failing())).rejects.toThrow('The connection was lost.');

    expect(shown().stdout).toBe('');
  },
);

test('a table without a terminal has no width limit and no relative dates', async () => {
  const { out, shown } = desk({ format: 'table', columns: 20 });

  await out.records(properties, twoPages());

  expect(shown().stdout).toContain('│ BER │ Grand Hotel │ Berlin │ no       │ 2026-10-11T09:00:00Z │');
});

describe('one record', () => {
  const record = {
    ...berlin,
    tax_id: null,
    property_roles: [{ id: 'BER', roles: ['Housekeeping', 'Auditor'] }],
    unit_ids: ['1', '2'],
    actions: {},
  };

  test('is a card with every field on a terminal', async () => {
    const { out, shown } = desk({ terminal: true });

    await out.record(properties, record);

    expect(shown()).toEqual({
      stdout: [
        'ID:           BER',
        'Name (de):    Grandhotel',
        'Name (en):    Grand Hotel',
        'City:         Berlin',
        'Archived:     no',
        'Created:      2026-10-11T09:00:00Z (40 days ago)',
        'Tax id:       -',
        'Roles at BER: Housekeeping, Auditor',
        'Unit ids:     1, 2',
        'Actions:      {}',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('is one line per field without a terminal', async () => {
    const { out, shown } = desk();

    await out.record(properties, record);

    expect(shown().stdout).toBe(
      [
        'id\tBER',
        'name.de\tGrandhotel',
        'name.en\tGrand Hotel',
        'location.city\tBerlin',
        'is_archived\tfalse',
        'created\t2026-10-11T09:00:00Z',
        'tax_id\t',
        'property_roles.0.id\tBER',
        'property_roles.0.roles\tHousekeeping, Auditor',
        'unit_ids\t1, 2',
        'actions\t{}',
        '',
      ].join('\n'),
    );
  });

  test('shows deeply nested values as JSON', async () => {
    const { out, shown } = desk();
    const nested: unknown = JSON.parse(`${'{"a":'.repeat(12)}"BER"${'}'.repeat(12)}`);

    await out.record(properties, { nested });

    expect(shown().stdout).toBe(`nested${'.a'.repeat(8)}\t{"a":{"a":{"a":{"a":"BER"}}}}\n`);
  });
});

type Row = [string, Parameters<typeof colourFor>[0]['flag'], Record<string, string>, boolean, boolean];

test.each<Row>([
  ['a terminal has colour', undefined, {}, true, true],
  ['a pipe has no colour', undefined, {}, false, false],
  ['the flag overrides NO_COLOR', 'always', { NO_COLOR: '1' }, false, true],
  ['the flag overrides FORCE_COLOR', 'never', { FORCE_COLOR: '1' }, false, false],
  ['auto respects NO_COLOR', 'auto', { NO_COLOR: '1' }, true, false],
  ['auto respects the terminal', 'auto', {}, true, true],
  ['NO_COLOR overrides FORCE_COLOR', undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
  ['an empty NO_COLOR is ignored', undefined, { NO_COLOR: '' }, true, true],
  ['FORCE_COLOR overrides CLICOLOR=0', undefined, { FORCE_COLOR: '1', CLICOLOR: '0' }, false, true],
  [
    'FORCE_COLOR=0 overrides CLICOLOR_FORCE',
    undefined,
    { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' },
    false,
    false,
  ],
  ['FORCE_COLOR=false disables colour', undefined, { FORCE_COLOR: 'false' }, true, false],
  ['an empty FORCE_COLOR is ignored', undefined, { FORCE_COLOR: '' }, false, false],
  ['CLICOLOR_FORCE overrides CLICOLOR=0', undefined, { CLICOLOR_FORCE: '1', CLICOLOR: '0' }, false, true],
  ['CLICOLOR_FORCE=0 is ignored', undefined, { CLICOLOR_FORCE: '0' }, true, true],
  ['CLICOLOR=0 disables colour', undefined, { CLICOLOR: '0' }, true, false],
  ['a dumb terminal has no colour', undefined, { TERM: 'dumb' }, true, false],
  ['CLICOLOR_FORCE is above a dumb terminal', undefined, { CLICOLOR_FORCE: '1', TERM: 'dumb' }, false, true],
])('%s', (_, flag, env, isTerminal, colour) => {
  expect(colourFor({ flag, env, isTerminal })).toBe(colour);
});

test.each([
  ['2026-11-20T12:00:00Z', 'just now'],
  ['2026-11-20T11:59:01Z', 'just now'],
  ['2026-11-20T11:59:00Z', '1 minute ago'],
  ['2026-11-20T13:00:00+02:00', '1 hour ago'],
  ['2026-11-20T14:30:00.000Z', 'in 2 hours'],
  ['2026-11-19T12:00:00Z', '1 day ago'],
  ['2026-10-11T12:00:00Z', '40 days ago'],
  ['2026-07-20T12:00:00Z', '4 months ago'],
  ['2023-11-20T12:00:00Z', '3 years ago'],
  ['0001-01-01T00:00:00Z', '2,027 years ago'],
])('%s is %s', (text, words) => {
  expect(relativeTo(NOON, text)).toBe(words);
});

test('what is no point in time has no words', () => {
  const others = ['2026-10-11', '2026-10-11T12:00:00', '2026-13-41T12:00:00Z', 'yesterday', ''];
  expect(others.filter((text) => relativeTo(NOON, text) !== undefined)).toEqual([]);
});

test.each([
  ['subject_id', 'Subject id'],
  ['is_mfa_enabled', 'MFA'],
  ['is_passkeys_enabled', 'Passkeys'],
  ['property_roles', 'Roles by property'],
  ['property_roles.11.roles', 'Roles by property 12 roles'],
  ['properties.0', 'Property 1'],
  ['shift_plans.2.nightShift', 'Shift plan 3 night shift'],
  ['is_on_leave', 'On leave'],
  ['lastSeen', 'Last seen'],
  ['home_url', 'Home URL'],
  ['constructor', 'Constructor'],
  ['__proto__', '__proto__'],
  ['Größe', 'Größe'],
  ['#', '#'],
  ['', ''],
])('the field %s of a user is labelled "%s"', (path, label) => {
  expect(labelOf(path, userShape.columns)).toBe(label);
});

test('every field of a property has a label in words', () => {
  const labels = kindTable.property.fields.map(({ path, type }) =>
    labelOf([...path, ...(type === 'languages' ? ['de'] : [])].join('.'), propertyShape.columns),
  );

  expect(labels).toEqual([
    ...['Code', 'Name (de)', 'Company name', 'Commercial register entry', 'Tax id', 'Address line 1'],
    ...['Postal code', 'City', 'Country', 'Time zone', 'Check-in', 'Check-out', 'Currency'],
    ...['Payment terms (de)', 'Description (de)', 'Managing directors', 'Address line 2', 'Region'],
    ...['IBAN', 'BIC', 'Bank'],
  ]);
});

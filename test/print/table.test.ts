import { describe, expect, test } from 'vitest';
import { berlin, desk, munich, onePage, properties, twoPages } from './desk.ts';

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

import { describe, expect, test } from 'vitest';
import { formats } from '../../src/print/output.ts';
import { berlin, desk, munich, onePage, properties, twoPages } from './desk.ts';

const view = { quiet: true };
const head = { status: 204, headers: {} };

type Desk = ReturnType<typeof desk>;

describe('--quiet', () => {
  test.each(formats)('a list is printed as ids, one per line, in the format %s', async (format) => {
    const { out, shown } = desk({ format, terminal: true, view });

    await out.records(properties, twoPages({ total: 250, truncated: true }), { run: 7 });

    expect(shown()).toEqual({
      stdout: 'BER\nMUC\n',
      stderr: 'Showing 2 of 250 properties; without --limit all are listed.\n',
    });
  });

  test('the id of a record is its first list column, or else its first identifying field', async () => {
    const { out, shown } = desk({ view });
    const shape = { noun: ['user', 'users'], columns: [{ field: 'subject_id', header: 'Id' }] } as const;
    const users = [
      { id: 1, subject_id: 'a-1' },
      { name: 'Ana', email: 'ana@example.com' },
      { name: 'Ben', subject_id: null, code: 7 },
      { subject_id: '', is_archived: true },
      { subject_id: { id: 'x' }, name: 'Mia' },
    ];

    await out.records(shape, onePage(users));
    await out.record({ ...shape, id: 'email' }, { subject_id: 'a-1', email: 'ana@example.com' });

    expect(shown().stdout).toBe('a-1\nana@example.com\n7\nMia\nana@example.com\n');
  });

  test('a write prints the id and warnings, but no sentence', async () => {
    const { out, shown } = desk({ view });

    await out.done('Created BER.', { id: 'BER', created: true });
    await out.done('Invited Ana.', { email: 'ana@example.com', name: 'Ana' });
    await out.done('Set output.', { key: 'output' });
    await out.warn('The service counts 3.');

    expect(shown()).toEqual({
      stdout: 'BER\nana@example.com\n',
      stderr: 'warning: The service counts 3.\n',
    });
  });

  test('a line is printed unchanged', async () => {
    const { out, shown } = desk({ format: 'json', view });

    await out.line('POST /hotels\n\tBER', { id: 'BER' });

    expect(shown().stdout).toBe('POST /hotels\n\tBER\n');
  });

  test.each([
    ['a record', async ({ out }: Desk) => out.record(properties, { rooms: 3 }), 'rooms\t3\n'],
    ['a response', async ({ out }: Desk) => out.document({ rooms: 3 }), '{\n  "rooms": 3\n}\n'],
    ['a null response', async ({ out }: Desk) => out.document(null), 'null\n'],
    ['a response with its headers', async ({ out }: Desk) => out.document({}, { head }), 'HTTP 204\n\n{}\n'],
  ])('output without an id is the same as without --quiet: %s', async (_, print, stdout) => {
    const output = desk({ view });

    await print(output);

    expect(output.shown()).toEqual({ stdout, stderr: '' });
  });

  test('a list omits records without an id and warns', async () => {
    const { out, shown } = desk({ view });

    await out.records(properties, onePage([{ id: 'BER' }, { rooms: 3 }, {}]));
    await out.document({ count: 1, items: [{ rooms: 3 }] });
    await out.records(properties, onePage([]));
    await out.document([]);

    expect(shown()).toEqual({
      stdout: 'BER\n',
      stderr:
        'warning: --quiet leaves out 2 of 3 properties without an id.\n' +
        'warning: --quiet leaves out 1 of 1 entries without an id.\n',
    });
  });

  test.each([
    ['a list in an envelope', { count: 2, items: [berlin, munich] }, 'BER\nMUC\n'],
    ['a bare list with camelCase names', [{ subjectId: 'a-1', id: null }, { rooms: 3 }, []], 'a-1\n'],
    ['plain values', ['DE', 7, null], 'DE\n7\n'],
    ['one record', berlin, 'BER\n'],
    ['a number', 3, '3\n'],
    ['undefined', undefined, ''],
  ])('a response is printed as the ids of its entries: %s', async (_, value, text) => {
    const { out, shown } = desk({ view });

    await out.document(value);

    expect(shown().stdout).toBe(text);
  });

  test('a response of several pages is printed as the ids of all pages', async () => {
    const { out, shown } = desk({ view });
    const more = async function* () {
      yield [munich];
    };

    await out.document({ hotels: [berlin] }, { more: more() });

    expect(shown().stdout).toBe('BER\nMUC\n');
  });
});

describe('without headers', () => {
  const rows = ['│ BER │ Grand Hotel │', '│ MUC │ Alpenhof    │'];
  const columns = properties.columns.slice(0, 2);
  const shownAs = {
    table: ['┌─────┬─────────────┐', ...rows, '└─────┴─────────────┘', ''].join('\n'),
    csv: 'BER,Grand Hotel\nMUC,Alpenhof\n',
    tsv: 'BER\tGrand Hotel\nMUC\tAlpenhof\n',
    cards: 'ID:   BER\nName: Grand Hotel\n\nID:   MUC\nName: Alpenhof\n',
  };

  test.each(Object.entries(shownAs))('a list starts with its rows: %s', async (format, text) => {
    // The keys are formats.
    const { out, shown } = desk({ format: format as keyof typeof shownAs, view: { headers: false } });

    await out.records({ ...properties, columns }, twoPages());

    expect(shown().stdout).toBe(text);
  });

  test('a record and a write as csv start with their fields', async () => {
    const { out, shown } = desk({ format: 'csv', view: { headers: false } });

    await out.record(properties, munich);
    await out.done('Created MUC.', { id: 'MUC' });
    await out.line('three', { count: 3 });

    expect(shown().stdout).toBe('id,MUC\nname,Alpenhof\nis_archived,true\nid,MUC\ncount,3\n');
  });
});

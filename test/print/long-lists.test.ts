import { describe, expect, test } from 'vitest';
import type { Page, ServiceRecord } from '../../src/model/records.ts';
import { desk, properties } from './desk.ts';

const shape = { ...properties, columns: properties.columns.slice(0, 3) };

const hotel = (id: string, name = 'Alpenhof', city = 'Wien') => ({ id, name, location: { city } });

/** Pages of a hundred hotels, from H0, and a last page of these records. */
async function* pagesBefore(count: number, last: readonly ServiceRecord[]): AsyncIterable<Page> {
  for (let page = 0; page < count; page += 1) {
    const items = Array.from({ length: 100 }, (_, index) => hotel(`H${page * 100 + index}`));
    yield { items, total: undefined, truncated: false };
  }
  yield { items: last, total: undefined, truncated: false };
}

async function* failingAfter(count: number): AsyncIterable<Page> {
  yield* pagesBefore(count, []);
  throw new Error('The connection was lost.');
}

const linesOf = (text: string) => text.split('\n').slice(0, -1);

describe('a table of more than a thousand rows', () => {
  test('is printed page by page after the first thousand rows', async () => {
    const { out, writes } = desk({ format: 'table' });

    await out.records(shape, pagesBefore(12, []));

    expect(writes.map((text) => linesOf(text).length)).toEqual([1_101, 100]);
    expect(linesOf(writes[0] ?? '').slice(0, 2)).toEqual(['ID     Name      City', 'H0     Alpenhof  Wien']);
    expect(linesOf(writes[1] ?? '')[0]).toBe('H1100  Alpenhof  Wien');
  });

  test('has no header without headers in the view', async () => {
    const { out, writes } = desk({ format: 'table', view: { headers: false } });

    await out.records(shape, pagesBefore(12, []));

    expect(linesOf(writes[0] ?? '')[0]).toBe('H0     Alpenhof  Wien');
    expect(linesOf(writes[1] ?? '')[0]).toBe('H1100  Alpenhof  Wien');
  });

  test('keeps the column widths of its first thousand rows; wider cells overflow and are not truncated', async () => {
    const { out, writes } = desk({ format: 'table', terminal: true });

    await out.records(shape, pagesBefore(11, [hotel('VIE', 'Hotel Sacher'), hotel('V2')]));

    expect(linesOf(writes[0] ?? '').at(-1)).toBe('H1099  Alpenhof  Wien');
    expect(writes[1]).toBe('VIE    Hotel Sacher  Wien\nV2     Alpenhof  Wien\n');
  });

  test('is printed as cards when the first rows do not fit', async () => {
    const { out, shown } = desk({ format: 'table', terminal: true, columns: 15 });

    await out.records(shape, pagesBefore(11, [hotel('VIE')]));

    const blocks = shown().stdout.split('\n\n');
    expect(blocks).toHaveLength(1_101);
    expect(blocks.slice(-2)).toEqual([
      'ID:   H1099\nName: Alpenhof\nCity: Wien',
      'ID:   VIE\nName: Alpenhof\nCity: Wien\n',
    ]);
  });
});

test.each(['table', 'cards'] as const)(
  '%s: a list that fails within its first thousand rows prints nothing',
  async (format) => {
    const { out, shown } = desk({ format });

    await expect(out.records(shape, failingAfter(10))).rejects.toThrow('The connection was lost.');

    expect(shown().stdout).toBe('');
  },
);

test.each(['table', 'cards'] as const)(
  '%s: a longer list that fails is printed up to the failure',
  async (format) => {
    const { out, shown } = desk({ format });

    await expect(out.records(shape, failingAfter(11))).rejects.toThrow('The connection was lost.');

    expect(shown().stdout).toContain('H1099');
  },
);

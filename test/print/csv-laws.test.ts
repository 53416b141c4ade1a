import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { delimitersOf, readRows } from '../../src/fs/csv-read.ts';
import { quotedCell, unquotedCell } from '../../src/model/text.ts';
import { csvText } from '../../src/print/cells.ts';
import { fileText } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

/** Text without NUL, which every reader of CSV rejects. */
const cell = fileText.map((text) => text.replaceAll('\0', ''));

/** Rectangular tables without blank rows, which readers of CSV skip. */
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
  )
  .filter((rows) => rows.every((cells) => cells.some((each) => each.trim() !== '')))
  // Spreadsheets read such a first line as the declaration of the delimiter.
  .filter(([first = []]) => first.length > 1 || !/^sep=.$/u.test(first.join('')));

async function rowsIn(text: string): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  const bytes = Buffer.from(text);
  const [mark = ''] = delimitersOf(bytes);
  const reading = readRows(bytes, 'hotels.csv', new AbortController().signal, mark);
  for await (const { cells } of reading) rows.push(cells);
  return rows;
}

test('a written table is read back as the same cells', async () => {
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      expect(await rowsIn(csvText(rows))).toEqual(rows);
    }),
    {
      examples: [[[['role;\n\n', 'id', '']]], [[['sep=;\r', '', '']]]],
    },
  );
});

test('an RFC 4180 reader reads the same cells, with an apostrophe before each formula', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const read: unknown = parse(csvText(rows), { record_delimiter: '\n' });

      expect(read).toEqual(rows.map((cells) => cells.map(quotedCell)));
    }),
  );
});

test('formulas are escaped with an apostrophe, which is removed when read', () => {
  fc.assert(
    fc.property(fileText, (text) => {
      expect(quotedCell(text)).not.toMatch(/^[=+\-@\t\r]/);
      expect(unquotedCell(quotedCell(text))).toBe(text);
    }),
  );
});

test.each([',', ';', '\t'])('a file with the delimiter %j is read unchanged', async (mark) => {
  const written = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom('\n', '\r\n', '\r'), async (rows, end) => {
      fc.pre(rows.every((cells) => cells.length > 1 && cells.every((each) => !/^'/.test(each))));
      const text = rows.map((cells) => cells.map(written).join(mark)).join(end);

      expect(await rowsIn(`\ufeff${text}${end}`)).toEqual(rows);
    }),
  );
});

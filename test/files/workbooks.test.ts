import type { WriteSheet } from 'hucre';
import { type CellValue, writeXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import { apaleo } from '../../src/service/apaleo.ts';
import { rowOf, workbookOf, zipOf } from '../helpers/workbook.ts';
import { hotel, read, tableHeader, tableRow } from './reading.ts';

const header = tableHeader.split(',');
const ber = tableRow.split(',');

/** A workbook of one sheet, as a spreadsheet writes it. */
async function workbook(...rows: readonly (readonly CellValue[])[]): Promise<Uint8Array> {
  return writeXlsx({ sheets: [{ name: 'Hotels', rows: rows.map((row) => [...row]) }] });
}

/** The first row of a hotel, with one of its cells changed. */
function berWith(column: string, value: CellValue): readonly CellValue[] {
  return ber.map((cell, index) => (header[index] === column ? value : cell));
}

/** A time of day, as a spreadsheet stores it. */
function timeOf(hours: number): Date {
  return new Date(Date.UTC(1899, 11, 31) + hours * 3_600_000);
}

test('a row of the first sheet becomes an entry; blank rows count', async () => {
  const { entries, problems, warnings } = await read({
    'hotels.xlsx': await workbook(header, [], [], ber, berWith('code', 'MUC')),
  });

  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
  expect(entries).toEqual([
    {
      kind: 'property',
      name: 'BER',
      place: { file: 'hotels.xlsx', unit: 'row', number: 4 },
      fields: hotel(),
    },
    expect.objectContaining({ name: 'MUC', place: { file: 'hotels.xlsx', unit: 'row', number: 5 } }),
  ]);
});

test('times of day are read as times, to the second', async () => {
  const row = header.map((name, index) => {
    if (name === 'default_check_in_time') return timeOf(15);
    return name === 'default_check_out_time' ? timeOf(10.999999) : (ber[index] ?? null);
  });

  const { entries, problems } = await read({ 'hotels.xlsx': await workbook(header, row) });

  expect(problems).toEqual([]);
  expect(entries[0]?.fields).toEqual(hotel());
});

test('numbers, dates and truths of the service are texts as they are stored', async () => {
  const extra = ['stars', 'opened', 'seen', 'old', 'share'].map((name) => `extra.${name}`);
  const opened = new Date(Date.UTC(2026, 3, 21));
  const seen = new Date(Date.UTC(2026, 3, 21, 15, 30));

  const { entries, problems } = await read({
    'people.xlsx': await workbook(
      ['email', 'is_account_admin', ...extra],
      ['ana@example.com', true, 4, opened, seen, false, 0.5],
    ),
  });

  expect(problems).toEqual([]);
  expect(entries[0]?.fields).toEqual({
    email: 'ana@example.com',
    is_account_admin: true,
    extra: { stars: '4', opened: '2026-04-21', seen: '2026-04-21T15:30:00', old: 'false', share: '0.5' },
  });
});

describe('a cell that is no text is named, where a text belongs', () => {
  const asText = 'format its column as text, and enter the value again';
  const numeric = (text: string) => `"${text}" is stored as a number, and may have lost zeros: ${asText}`;

  test.each([
    ['location.postal_code', 1067, `G2): ${numeric('1067')}`],
    ['default_check_in_time', 0.625, `K2): ${numeric('0.625')}`],
    ['code', new Date(Date.UTC(2026, 2, 1)), `A2): "2026-03-01" is a date: ${asText}`],
    ['location.city', timeOf(15), `H2): "15:00:00" is a time: ${asText}`],
    ['company_name', true, `C2): "true" is true or false: ${asText}`],
  ])('%s: %s', async (column, value, problem) => {
    const { problems } = await read({ 'hotels.xlsx': await workbook(header, berWith(column, value)) });

    expect(problems).toEqual([`hotels.xlsx: row 2: ${column} (${problem}`]);
  });

  test('and so is all else that is wrong in its row', async () => {
    const row = header.map((name, index) => {
      if (name === 'tax_id') return 4711;
      if (name === 'name.en') return '#N/A';
      return name === 'location.country_code' ? 'Deutschland' : name === 'location.city' ? '' : ber[index];
    });

    const { problems } = await read({
      'hotels.xlsx': await workbook(
        [...header, null],
        [...row, 'x'].map((cell) => cell ?? null),
      ),
    });

    expect(problems).toEqual([
      'hotels.xlsx: row 2: column 14 (N2): has the value "x", and the header has no name for its column',
      'hotels.xlsx: row 2: name.en (B2): "#N/A" is an error of the spreadsheet',
      `hotels.xlsx: row 2: tax_id (E2): ${numeric('4711')}`,
      'hotels.xlsx: row 2: location.country_code (I2): "Deutschland" is not an assigned country code of ISO 3166-1: write DE',
    ]);
  });

  test.each([-0.1, 0.999999, 1])('a time of %d days is none', async (days) => {
    const { problems } = await read({
      'hotels.xlsx': await workbook(header, berWith('default_check_in_time', timeOf(days * 24))),
    });

    expect(problems).toEqual([
      expect.stringMatching(/^hotels\.xlsx: row 2: default_check_in_time \(K2\): ".*" is a date: /),
    ]);
  });
});

describe('formulas', () => {
  const people = (cells: string) => workbookOf(`${rowOf(1, ['email', 'role'])}<row r="2">${cells}</row>`);
  const ana = '<c r="A2" t="inlineStr"><is><t>ana@example.com</t></is></c>';

  test('have the value that was saved', async () => {
    const { entries } = await read({
      'people.xlsx': people(`${ana}<c r="B2" t="str"><f>UPPER("x")&amp;"Y"</f><v>XY</v></c>`),
    });

    expect(entries[0]?.fields).toEqual({ email: 'ana@example.com', role: 'XY' });
  });

  test.each([
    [
      'without a value',
      '<c r="B2"><f>1+1</f></c>',
      'is a formula without its value: open the file in a spreadsheet and save it again',
    ],
    ['that failed', '<c r="B2" t="e"><f>1/0</f><v>#SPILL!</v></c>', 'is an error of the spreadsheet'],
    [
      'that are a number',
      '<c r="B2"><f>1+1</f><v>2</v></c>',
      'is stored as a number, and may have lost zeros: format its column as text, and enter the value again',
    ],
  ])('%s are named', async (_, cell, reason) => {
    const { problems } = await read({ 'people.xlsx': people(`${ana}${cell}`) });

    expect(problems).toEqual([expect.stringContaining(`people.xlsx: row 2: role (B2): `)]);
    expect(problems[0]).toContain(reason);
  });
});

test('other sheets are named; hidden ones are not read', async () => {
  const bytes = await writeXlsx({
    sheets: [
      { name: 'Lists', rows: [['x']], hidden: true },
      { name: 'Hotels', rows: [[...header], [...ber]] },
      { name: 'Notes', rows: [['y']] },
    ],
  });

  const { entries, warnings } = await read({ 'hotels.xlsx': bytes });

  expect(entries.map(({ name }) => name)).toEqual(['BER']);
  expect(warnings).toEqual(['hotels.xlsx: only the sheet "Hotels" is read, not "Notes".']);
});

describe('what is hidden', () => {
  const people = (hidden: Partial<WriteSheet>) =>
    writeXlsx({
      sheets: [
        {
          name: 'People',
          rows: [
            ['email', 'role', 'note'],
            ['ana@example.com', 'Auditor', 'x'],
            ['ben@example.com', 'Auditor', 'y'],
            ['eva@example.com', 'Auditor', 'z'],
          ],
          ...hidden,
        },
      ],
    });
  const shut = { hidden: true };
  const filtered = {
    rowDefs: new Map([1, 3, 7].map((row) => [row, shut])),
    columns: [{}, {}, shut, shut],
  };

  test.each<[string, Partial<WriteSheet>]>([
    ['a row of a filter', { rowDefs: new Map([[1, shut]]) }],
    ['a column', { columns: [{}, {}, { width: 0 }] }],
    ['rows and columns', filtered],
  ])('are refused: %s', async (_, hidden) => {
    expect((await read({ 'people.xlsx': await people(hidden) })).problems).toEqual([
      'people.xlsx: has hidden rows or columns: show them, or add --hidden',
    ]);
  });

  test('is read with --hidden', async () => {
    const { entries, warnings } = await read(
      { 'people.xlsx': await people(filtered) },
      { hidden: true, map: ['note='] },
    );

    expect(entries.map(({ name }) => name)).toEqual(
      ['ana', 'ben', 'eva'].map((name) => `${name}@example.com`),
    );
    expect(warnings[0]).not.toContain('hidden');
  });
});

test('a cell whose text is missing in the file is named', async () => {
  const cell = '<c r="B2" s="1" t="s"><v>7</v></c>';
  const rows = `${rowOf(1, ['email', 'role'])}<row r="2"><c r="A2" t="inlineStr"><is><t>x</t></is></c>${cell}</row>`;

  expect((await read({ 'people.xlsx': workbookOf(rows) })).problems).toEqual([
    'people.xlsx: is damaged: cell B2 cannot be read',
  ]);
});

test('rooms may be numbers, and a merged title may be above the header', async () => {
  const merged = '<mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>';
  const room =
    '<row r="3"><c r="A3" t="inlineStr"><is><t>BER</t></is></c><c r="B3"><v>101</v></c><c r="C3"><v>2</v></c></row>';
  const rows = `${rowOf(1, ['Zimmer', '', ''])}${rowOf(2, ['Hotel', 'Zimmernummer', 'Personen'])}${room}`;

  const { entries, problems } = await read({ 'x.xlsx': workbookOf(rows, [], merged) }, { dialect: apaleo });

  expect(problems).toEqual([]);
  expect(entries).toMatchObject([{ name: 'BER/101', fields: { max_persons: 2 } }]);
});

test('merged cells are named', async () => {
  const rows = `${rowOf(1, ['email', 'role'])}${rowOf(2, ['ana@example.com', 'x'])}${rowOf(3, ['ben@example.com'])}`;
  const merged = '<mergeCells count="1"><mergeCell ref="B2:B3"/></mergeCells>';

  expect((await read({ 'people.xlsx': workbookOf(rows, [], merged) })).problems).toEqual([
    'people.xlsx: row 2: has merged cells: unmerge B2:B3',
  ]);
});

test('a workbook on stdin is recognized', async () => {
  const { entries } = await read({}, { paths: ['-'], stdin: await workbook(['email'], ['ana@example.com']) });

  expect(entries.map(({ name }) => name)).toEqual(['ana@example.com']);
});

const ole = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const saveAs = 'Save it as .xlsx, or as "CSV UTF-8".';
const simple = workbookOf(rowOf(1, ['email']));

const half = simple.subarray(0, simple.length / 2);
const encrypted = Buffer.concat([ole, Buffer.from('EncryptedPackage', 'utf16le')]);
const damaged = /^is damaged, or no Excel workbook: /;
const BOMB = 80_000_000;
const bomb = (stated: number) =>
  workbookOf('', [{ name: 'xl/worksheets/sheet1.xml', content: Buffer.alloc(BOMB, 32), stated }]);

describe('what is no workbook, or a hostile one, is rejected', () => {
  test.each<[string, Uint8Array, string | RegExp, string?]>([
    ['half a file', half, 'is damaged: its directory cannot be read', 'Copy or save it again.'],
    ['an old workbook (.xls)', ole, 'is no Excel workbook (.xlsx) without a password', saveAs],
    ['an encrypted workbook', encrypted, 'is no Excel workbook (.xlsx) without a password', saveAs],
    ['another archive', zipOf([{ name: 'a.txt', content: 'x' }]), damaged, saveAs],
    [
      'a bomb that states its size',
      bomb(BOMB),
      'is larger than 64 MiB when unpacked; give it in several files',
    ],
    [
      'a bomb that states another size',
      bomb(1000),
      /^is damaged, or no Excel workbook: Decompressed size exceeds limit/,
      saveAs,
    ],
    ['a bomb that states no size', bomb(0), 'is damaged: its directory cannot be read'],
    ['XML that is no XML', workbookOf('', [{ name: 'xl/workbook.xml', content: '<<<' }]), damaged, saveAs],
    [
      'a sheet outside the archive',
      workbookOf('', [
        {
          name: 'xl/_rels/workbook.xml.rels',
          content:
            '<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="../../../etc/passwd"/></Relationships>',
        },
      ]),
      /^(is damaged, or no Excel workbook: |has no sheet)/,
    ],
    [
      'more than a hundred columns',
      workbookOf('<row r="1"><c r="A1"><v>1</v></c><c r="CW1"><v>1</v></c></row>'),
      'has more than 100 columns',
    ],
    ['no rows', workbookOf(''), 'is empty'],
  ])('%s', async (_, bytes, reason, hint) => {
    const { problems, hint: given } = await read({ 'people.xlsx': bytes });

    const text = `people.xlsx: ${typeof reason === 'string' ? reason : ''}`;
    expect(problems).toEqual([
      typeof reason === 'string' ? text : expect.stringMatching(`^people.xlsx: ${reason.source.slice(1)}`),
    ]);
    if (hint !== undefined) expect(given).toBe(hint);
  });

  test('rows of 16,384 columns take no memory', async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, index) => `<row r="${index + 2}"><c r="XFD${index + 2}"><v>1</v></c></row>`,
    );

    const before = process.memoryUsage().rss;
    const { entries } = await read({ 'people.xlsx': workbookOf(`${rowOf(1, ['email'])}${rows.join('')}`) });

    expect(entries).toEqual([]);
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });

  test('links to other workbooks are not followed', async () => {
    const link = {
      name: 'xl/externalLinks/externalLink1.xml',
      content: '<externalLink><externalBook r:id="rId1"/></externalLink>',
    };

    expect((await read({ 'people.xlsx': workbookOf(rowOf(1, ['email']), [link]) })).problems).toEqual([]);
  });
});

test.each(['hotels.xls', 'hotels.ods', 'hotels.numbers', 'hotels.xlsm', 'HOTELS.XLS'])(
  '%s is rejected with the way to save it',
  async (name) => {
    expect(await read({ [name]: 'x' })).toMatchObject({
      problems: [`${name}: is a spreadsheet that innctl cannot read`],
      hint: saveAs,
    });
  },
);

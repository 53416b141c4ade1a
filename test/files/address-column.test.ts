import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeXlsx } from 'hucre/xlsx';
import { afterAll, expect, test } from 'vitest';
import { readAddresses } from '../../src/files/people-file.ts';
import { CliError } from '../../src/model/errors.ts';
import type { Input } from '../../src/model/ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-hr-'));
afterAll(() => rmSync(folder, { recursive: true }));

const reading = {
  stdin: { ends: new AbortController().signal } as Input,
  warn: async (sentence: string) => void warnings.push(sentence),
  now: Date.UTC(2026, 5, 15, 12),
};
const warnings: string[] = [];

async function read(text: string | Uint8Array, column?: string, file = 'hr.csv') {
  writeFileSync(join(folder, file), text);
  try {
    return await readAddresses({ file, column }, folder, reading);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return error.message;
  }
}

test.each<[string, string, string | undefined]>([
  ['a column that means e-mail', 'Name,E-Mail\nAna,ana@example.com\nBen,ben@example.com\n', undefined],
  ['German words and semicolons', 'Nr;Mailadresse\n1;ana@example.com\n2; ben@example.com \n', undefined],
  ['the column that was named, in any letters', 'mail,Work\nx,ana@example.com\ny,ben@example.com\n', 'WORK'],
  ['people without an address', 'E-Mail\nana@example.com\n-\n""\nben@example.com\n', undefined],
])('reads the addresses: %s', async (_, text, column) => {
  expect(await read(text, column)).toEqual(['ana@example.com', 'ben@example.com']);
});

test.each<[string, string | Uint8Array, string | undefined, string]>([
  [
    'no column of addresses',
    'Name\nAna\n',
    undefined,
    'hr.csv needs one column of e-mail addresses; it has "Name".',
  ],
  [
    'two columns of addresses',
    'E-Mail,Mail\na,b\n',
    undefined,
    'hr.csv needs one column of e-mail addresses; it has "E-Mail", "Mail".',
  ],
  [
    'a comma without quotes, which moves the cells after it',
    'E-Mail,Name,Austritt\nana@example.com,Ana\nben@example.com,Lindner, ,2020-01-01\n',
    undefined,
    'hr.csv: row 3: has 4 cells, and the header 3; a cell with the delimiter in it is written in quotes',
  ],
  ['no address', 'E-Mail\n-\n', undefined, 'hr.csv has no e-mail address.'],
  [
    'what is no address, with all rows',
    'E-Mail\nana\nben@example.com\n#REF!\n"\u001b[31m@example.com"\n',
    undefined,
    '3 problems in the files:\n  hr.csv: row 2: email: "ana" is not an e-mail address\n' +
      '  hr.csv: row 4: email: "#REF!" is not an e-mail address\n' +
      '  hr.csv: row 5: email: has control or invisible characters',
  ],
])('refuses %s', async (_, text, column, message) => {
  expect(await read(text, column)).toBe(message);
});

test('reads a workbook, and tells which rows hold what is no text', async () => {
  const sheet = (...rows: (string | number)[][]) => writeXlsx({ sheets: [{ name: 'HR', rows }] });
  const right = await sheet(['Nr', 'E-Mail'], [1, 'ana@example.com'], [2, '-']);
  const wrong = await sheet(['Nr', 'E-Mail'], [1, 'ana@example.com'], [2, 4711]);

  expect(await read(right, undefined, 'hr.xlsx')).toEqual(['ana@example.com']);
  expect(await read(wrong, undefined, 'hr.xlsx')).toBe(
    'hr.xlsx: row 3: email: "4711" is stored as a number, and may have lost zeros: format its column as text, and enter the value again',
  );
});

test.each([
  ['Austritt', undefined],
  ['Ausgeschieden', 'ausgeschieden'],
])('people whose last day is over do not work here: %s', async (header, until) => {
  warnings.splice(0);
  const rows = ['ana;', 'ben;14.06.2026', 'eva;2026-06-15', 'mia;-', 'leo;31/12/2026', 'ida;2020-01-01'];
  const lines = rows.map((row) => row.replace(';', '@example.com;'));
  writeFileSync(join(folder, 'hr.csv'), `E-Mail;${header};Austrittsgrund\n${lines.join(';\n')};\n`);

  const addresses = await readAddresses({ file: 'hr.csv', until }, folder, reading);

  expect(addresses).toEqual(['ana', 'eva', 'mia', 'leo'].map((name) => `${name}@example.com`));
  expect(warnings).toEqual(['Left out of hr.csv: 2 rows whose last day is over.']);
});

test.each([
  [
    'Austritt',
    '03/04/2026',
    undefined,
    'hr.csv: row 2: until: "03/04/2026" is not a plain day: write 2026-12-31',
  ],
  [
    'Austritt;Exit date',
    'x;y',
    undefined,
    'hr.csv needs one column of last days; it has "E-Mail", "Austritt", "Exit date".',
  ],
  ['Austritt', 'x', 'Weg', 'hr.csv needs one column "Weg"; it has "E-Mail", "Austritt".'],
])('refuses last days that are not plain: %s, %s', async (header, cells, until, message) => {
  writeFileSync(join(folder, 'hr.csv'), `E-Mail;${header}\nana@example.com;${cells}\n`);

  await expect(readAddresses({ file: 'hr.csv', until }, folder, reading)).rejects.toThrow(message);
});

test('refuses what is no table', async () => {
  expect(await read('x', undefined, 'hr.pdf')).toBe('hr.pdf is not a table that ends in .csv or .xlsx.');
});

test('a table that is not there is named from the folder of the policy', async () => {
  await expect(readAddresses({ file: 'gone.csv' }, 'policies', reading)).rejects.toThrow(
    'Cannot read policies/gone.csv: there is no such file',
  );
});

import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { csvText } from '../../src/print/cells.ts';
import { desk, munich, onePage, properties, twoPages } from './desk.ts';

test('a list has a header and a row per record, and each page is one write', async () => {
  const { out, writes, shown } = desk({ format: 'csv', terminal: true });

  await out.records(properties, twoPages());

  expect(writes).toEqual([
    'id,name,location.city,is_archived,created\nBER,Grand Hotel,Berlin,false,2026-10-11T09:00:00Z\n',
    'MUC,Alpenhof,,true,\n',
  ]);
  expect(shown().stderr).toBe('');
});

test('nothing is printed when the first page fails', async () => {
  const { out, shown } = desk({ format: 'csv' });
  async function* broken() {
    yield* [];
    throw new Error('no first page');
  }

  await expect(out.records(properties, broken())).rejects.toThrow('no first page');

  expect(shown()).toEqual({ stdout: '', stderr: '' });
});

test('undefined fields of a result have no row', async () => {
  const { out, shown } = desk({ format: 'csv' });

  await out.done('Invited Ana.', { email: 'ana@example.com', role: undefined, properties: ['BER', 'VIE'] });

  expect(shown().stdout).toBe('field,value\nemail,ana@example.com\nproperties,"BER, VIE"\n');
});

test('invisible characters are escaped; newlines and backslashes stay in their cell', async () => {
  const { out, shown } = desk({ format: 'csv' });
  const shape = { ...properties, columns: properties.columns.slice(0, 2) };

  await out.records(shape, onePage([{ id: 'B\u001bE\u202eR', name: 'C:\\hotels\nBerlin' }, munich]));

  expect(shown().stdout).toBe('id,name\nB\\u{1b}E\\u{202e}R,"C:\\hotels\nBerlin"\nMUC,Alpenhof\n');
});

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ["'s Hotel", "''s Hotel"],
  ['\tBER', "'\tBER"],
  ['\rBER', "'\rBER"],
  ['=HYPERLINK("http://x","y")', '\'=HYPERLINK("http://x","y")'],
  ['BER=1', 'BER=1'],
  ['', ''],
])('the cell %j is written as %j, so that it is not a formula', (cell, kept) => {
  expect(parse(csvText([['x', cell]]))).toEqual([['x', kept]]);
});

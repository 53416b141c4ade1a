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
  ["'s Hotel", "''s Hotel"],
  ['\tBER', "'\tBER"],
  ['BER=1', 'BER=1'],
  ['', ''],
])('the cell %j is written as %j, so that it is not a formula', (cell, kept) => {
  expect(parse(csvText([['x', cell]]))).toEqual([['x', kept]]);
});

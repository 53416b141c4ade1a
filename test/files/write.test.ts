import { expect, test } from 'vitest';
import { spelledCell, unspelledCell } from '../../src/files/cells.ts';
import type { Entry } from '../../src/files/entry.ts';
import type { Language } from '../../src/files/files.ts';
import { lostFields, manifestText } from '../../src/files/write.ts';
import type { Kind } from '../../src/model/kinds.ts';
import { attacks, obeyedIn } from '../commands/hostile-names.ts';
import { hotel, read } from './reading.ts';

const formats: readonly Language[] = ['yaml', 'json', 'ndjson', 'csv'];

const entry = (kind: Kind, name: string, fields: Readonly<Record<string, unknown>>): Entry => ({
  kind,
  name,
  fields,
  place: { file: 'hotels.yaml', unit: 'line', number: 1 },
});

const ana = entry('invitation', 'ana@example.com', {
  email: 'ana@example.com',
  role: 'Housekeeping',
  properties: ['BER', 'VIE'],
});
const ben = entry('user', 'ben-1', { subject_id: 'ben-1', enabled: false, properties: ['MUC'] });

/** The entries parsed from a text: kinds, names and fields. */
async function readBack(text: string, format: Language) {
  const { entries, problems } = await read({ [`all.${format}`]: text });
  return { problems, entries: entries.map(({ kind, name, fields }) => ({ kind, name, fields })) };
}

test.each(formats)(
  'a manifest in %s does not depend on the order of fields and languages',
  async (format) => {
    const names = { en: 'Grand Hotel', de: 'Grandhotel' };
    const { code, ...rest } = hotel({ name: names });
    const turned = Object.fromEntries(Object.entries({ ...rest, code }).reverse());
    const other = { ...turned, name: { de: names.de, en: names.en } };

    const texts = await Promise.all([
      manifestText([entry('property', 'BER', { ...rest, code })], format),
      manifestText([entry('property', 'BER', other)], format),
    ]);

    expect(texts[0]).toBe(texts[1]);
  },
);

test('a table has the kind, the columns that an entry needs, and quotes where cells need them', async () => {
  expect(await manifestText([ben, ana], 'csv')).toBe(
    'kind,email,subject_id,enabled,role,properties\n' +
      'user,,ben-1,false,,MUC\n' +
      'invitation,ana@example.com,,,Housekeeping,"BER,VIE"\n',
  );
});

test.each(formats)('a manifest without entries in %s is parsed as empty', async (format) => {
  expect(await readBack(await manifestText([], format), format)).toEqual({ problems: [], entries: [] });
});

test('a table reports the fields that it cannot hold, and omits them', async () => {
  const hotels = ['BER', 'MUC', 'VIE', 'HAM'].map((code) =>
    entry('property', code, hotel({ code, extra: { stars: 4, motto: 'Near' } })),
  );
  const odd = entry('property', 'CGN', hotel({ code: 'CGN', extra: { motto: { en: 'Far' }, 'a.b': 'x' } }));

  const text = await manifestText([...hotels, odd], 'csv');

  expect(await lostFields([...hotels, odd], 'csv')).toEqual([
    'extra.motto ("BER", "MUC", "VIE" and 1 more)',
    'extra.stars ("BER", "MUC", "VIE" and 1 more)',
    'extra.a.b ("CGN")',
  ]);
  expect((await readBack(text, 'csv')).entries.map(({ fields }) => fields['extra'])).toEqual([
    ...hotels.map(() => undefined),
    { motto: { en: 'Far' } },
  ]);
});

test('requested lists are written although they are empty', async () => {
  expect(await manifestText([ben], 'json', { lists: ['property', 'user'] })).toBe(
    `${JSON.stringify({ properties: [], users: [{ subject_id: 'ben-1', enabled: false, properties: ['MUC'] }] }, undefined, 2)}\n`,
  );
  expect(await manifestText([], 'yaml', { lists: ['invitation'] })).toBe('invitations: []\n');
});

test.each(Object.entries(attacks))('a cell escapes %s, and parses back unchanged', (_, text) => {
  const cell = spelledCell(text);

  expect(obeyedIn(cell)).toEqual([]);
  expect(unspelledCell(cell)).toBe(text);
});

test.each([
  ['Nord\u001b]52;c;eA==\u0007', 'Nord\\u{1b}]52;c;eA==\\u{7}'],
  ['a\r\nb\tc', 'a\\u{d}\nb\tc'],
  ['a \\u{1b} b', 'a \\u{5c}u{1b} b'],
  ['a \\u{5c}u{1b} b', 'a \\u{5c}u{5c}u{1b} b'],
  ['C:\\rooms', 'C:\\rooms'],
])('%j is written as %j', (text, cell) => {
  expect({ cell: spelledCell(text), text: unspelledCell(cell) }).toEqual({ cell, text });
});

test('what is no spelling in a cell is kept literally', () => {
  const cells = ['\\u{41}', '\\u{110000}', '\\u{}', '\\u{zz}', '\\u001b'];
  expect(cells.map(unspelledCell)).toEqual(cells);
});

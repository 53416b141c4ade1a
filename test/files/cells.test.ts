import { expect, test } from 'vitest';
import { spelledCell, unspelledCell } from '../../src/files/cells.ts';
import { attacks, obeyedIn } from '../commands/hostile-names.ts';

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

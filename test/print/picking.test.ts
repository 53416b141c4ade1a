import { expect, test } from 'vitest';
import { entryOf, matching, windowAround } from '../../src/print/inquirer-prompter.ts';

const labels = [
  'BD  Bangladesh',
  'MX  Mexiko',
  'DE  Germany',
  'SE  Sweden',
  'VIE  Hôtel an der Wien',
  'x $(touch x) [.*',
  'America/New_York',
  'BER  Grand Hotel · Berlin · Live',
];
const entries = labels.map((label) => entryOf({ value: label, label }));

test.each<[string, readonly string[]]>([
  ['', labels],
  ['  ', labels],
  ['de', ['DE  Germany', 'VIE  Hôtel an der Wien', 'BD  Bangladesh', 'SE  Sweden']],
  ['hotel', ['VIE  Hôtel an der Wien', 'BER  Grand Hotel · Berlin · Live']],
  ['ho\u0302tel ', ['VIE  Hôtel an der Wien', 'BER  Grand Hotel · Berlin · Live']],
  ['[.*', ['x $(touch x) [.*']],
  ['york', ['America/New_York']],
  ['america/new', ['America/New_York']],
  ['test berlin', []],
  ['xyz', []],
])(
  '%j finds labels with all its words: first that start with the first one, then words, then other matches',
  (term, found) => {
    expect(matching(entries, term).map(({ label }) => label)).toEqual(found);
  },
);

test('a label is escaped before it is drawn or searched', () => {
  expect(entryOf({ value: 'a', label: 'A\u001b[31m\u202e\nB' })).toEqual({
    value: 'a',
    label: 'A\\u{1b}[31m\\u{202e}\\nB',
    short: 'A\\u{1b}[31m\\u{202e}\\nB',
    folded: 'a\\u{1b}[31m\\u{202e}\\nb',
  });
});

test.each([
  ['BER  Grand Hotel: Berlin', 'BER'],
  ['City: Berlin  Mitte', 'City'],
  ['Europe/Berlin', 'Europe/Berlin'],
])('the short form of %j is %j', (label, short) => {
  expect(entryOf({ value: 'x', label }).short).toBe(short);
});

test.each([
  [0, 100, 10, 0],
  [50, 100, 10, 45],
  [99, 100, 10, 90],
  [2, 3, 10, 0],
  [0, 0, 10, 0],
])('the page with entry %i of %i and %i lines starts at %i', (active, count, lines, start) => {
  expect(windowAround(active, count, lines)).toBe(start);
});

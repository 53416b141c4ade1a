import { Terminal } from '@xterm/headless';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { neutraliseLine } from '../../src/out/text.ts';
import { displayWidth } from '../../src/out/width.ts';
import { text } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

/** The last code point of planes 0 and 1; the next planes have CJK ideographs only. */
const LAST = 0x1ffff;

const points = Array.from({ length: LAST + 1 }, (_, point) => String.fromCodePoint(point));

function differing(lines: readonly string[]): readonly string[] {
  return lines.map(neutraliseLine).filter((line) => displayWidth(line) !== stringWidth(line));
}

test('every character is as wide as string-width says', () => {
  expect(differing(points)).toEqual([]);
});

test.each([
  ['a variation selector', '\ufe0f'],
  ['a keycap', '\u20e3'],
  ['a variation selector and a keycap', '\ufe0f\u20e3'],
  ['a skin tone', '🏽'],
  ['a variation selector and a skin tone', '\ufe0f🏽'],
])('every emoji with %s is as wide as string-width says', (_, part) => {
  const emoji = points.filter((character) => /\p{Emoji}/u.test(character));

  expect(emoji.length).toBeGreaterThan(1_000);
  expect(differing(emoji.map((character) => character + part))).toEqual([]);
});

/** Letters, marks and signs by language; most are measured without segmentation into graphemes. */
const letters = [
  ...[
    'a',
    'é',
    'Ż',
    'ΐ',
    'Й',
    'ậ',
    '–',
    '€',
    '\u00a0',
    '\u0301',
    '\u0483',
    'א',
    '\u05b8',
    '\u05be',
    'ف',
    '\u064e',
  ],
  ...[
    'ร',
    'ง',
    '\u0e31',
    '\u0e33',
    '\u0e48',
    '฿',
    'க',
    '\u0bcd',
    '\u0bbf',
    'क',
    '\u094d',
    '\u0937',
    '\u093f',
  ],
  ...[
    '東',
    'か',
    '\u3099',
    'ガ',
    'ｶ',
    '\uff9e',
    'Ａ',
    '　',
    '서',
    '가',
    '각',
    '\u1100',
    '\u1161',
    '\u11a8',
    '🏨',
    '©',
  ],
];

test('letters and marks in any order are as wide as string-width says', () => {
  const line = fc.array(fc.constantFrom(...letters), { maxLength: 12 }).map((some) => some.join(''));

  fc.assert(
    fc.property(line, (any) => {
      expect(displayWidth(any)).toBe(stringWidth(any));
    }),
  );
});

test('arbitrary texts are as wide as string-width says', () => {
  fc.assert(
    fc.property(text, (any) => {
      expect(differing([any])).toEqual([]);
    }),
  );
});

test('a flag of an unassigned country is as wide as a terminal draws it', async () => {
  const terminal = new Terminal({ cols: 20, rows: 1, allowProposedApi: true });

  await new Promise<void>((resolve) => terminal.write('🇩🇩', resolve));

  expect(displayWidth('🇩🇩')).toBe(terminal.buffer.active.cursorX);
});

import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { neutraliseLine } from '../../src/print/text.ts';
import { openMeasure, pad, truncate } from '../../src/print/width.ts';
import { text } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

const points = Array.from({ length: 0x10000 }, (_, point) => String.fromCodePoint(point));

test('every character of plain Latin is one column wide', async () => {
  const others = points.filter((character) => character !== '\n' && stringWidth(character) !== 1);

  const widths = await Promise.all(others.map(async (each) => (await openMeasure([each]))(each)));

  expect(widths.filter((width) => width === 1)).toEqual([]);
});

test('a line is as wide as string-width says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), async (texts) => {
      const lines = texts.map(neutraliseLine);
      const measure = await openMeasure(lines);

      expect(lines.map(measure)).toEqual(lines.map((line) => stringWidth(line)));
    }),
  );
});

test('a truncated line fits, is a prefix of the line, and is the whole line when that fits', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), fc.constantFrom(1, 1, 50), (any, columns, times) => {
      const line = neutraliseLine(any.repeat(times));
      const cut = truncate(line, columns, stringWidth);

      expect(stringWidth(cut)).toBeLessThanOrEqual(columns);
      expect(cut === line).toBe(stringWidth(line) <= columns);
      expect(cut === line || line.startsWith(cut.slice(0, -1))).toBe(true);
    }),
  );
});

test('a padded line is as wide as its column, unless it was wider', () => {
  fc.assert(
    fc.property(text, fc.nat(40), (any, columns) => {
      const line = neutraliseLine(any);
      const padded = pad(line, columns, stringWidth);

      expect(stringWidth(padded)).toBe(Math.max(columns, stringWidth(line)));
    }),
  );
});

test('a line is padded or truncated to its width', () => {
  expect(pad('東京', 6, stringWidth)).toBe('東京  ');
  expect(pad('東京', 3, stringWidth)).toBe('東京');
  expect(truncate('東京', 4, stringWidth)).toBe('東京');
  expect(truncate('東京BER', 4, stringWidth)).toBe('東…');
});

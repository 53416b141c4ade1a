import { expect, test } from 'vitest';
import {
  clip,
  hasHidden,
  neutralise,
  neutraliseJson,
  neutraliseLine,
  neutraliseYaml,
} from '../../src/print/text.ts';
import { text } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

/** Defined independently of the program: characters that must not reach a terminal, by general category and by name. */
const forbidden =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\u115f\u1160\u3164\uffa0\ufeff\ufff9-\ufffb\u{e0000}-\u{e00ff}]/u;

const bare = (line: string) => line.replaceAll(/[\n\t]/g, '');

test('escaped text has no control or invisible characters, and escaping is idempotent', () => {
  fc.assert(
    fc.property(text, (any) => {
      const shown = neutralise(any);

      expect(bare(shown)).not.toMatch(forbidden);
      expect(hasHidden(shown)).toBe(false);
      expect(neutralise(shown)).toBe(shown);
      expect(neutraliseLine(any)).not.toMatch(forbidden);
    }),
  );
});

test('every Unicode character is unchanged or replaced by its escape', () => {
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point);
    const shown = neutralise(character);
    if (shown === character) {
      if (forbidden.test(bare(character))) expect.unreachable(`U+${point.toString(16)} passes`);
    } else if (!/^\\(r|u\{[\da-f]+\})$/.test(shown))
      expect.unreachable(`U+${point.toString(16)} is ${shown}`);
  }
});

test('JSON and YAML with escaped characters parse to the same value', () => {
  fc.assert(
    fc.property(text, (any) => {
      const json = neutraliseJson(JSON.stringify(any));

      expect(JSON.parse(json)).toBe(any);
      expect(json).not.toMatch(forbidden);
      expect(neutraliseYaml(JSON.stringify(any))).not.toMatch(forbidden);
    }),
  );
});

test('a clipped line is a prefix and an ellipsis, without half a surrogate pair', () => {
  fc.assert(
    fc.property(text, fc.nat(12), (any, length) => {
      const line = any.toWellFormed();
      const clipped = clip(line, length);

      expect(clipped.isWellFormed()).toBe(true);
      expect(clipped.length).toBeLessThanOrEqual(length + 1);
      expect(clipped === line || line.startsWith(clipped.slice(0, -1))).toBe(true);
    }),
  );
});

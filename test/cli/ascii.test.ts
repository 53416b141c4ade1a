import { SourceMap } from 'node:module';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { inAscii } from '../../scripts/build/ascii.mts';

test('escaped ASCII code has the same value', () => {
  const code = 'const ü = "…😀"; const found = /^[ä-ö]😀$/u.test("ö😀"); [ü, found, `—\\n`]';

  const ascii = inAscii({ code, mappings: '' }).code;

  expect(new Script(ascii).runInThisContext()).toEqual(['…😀', true, '—\n']);
  expect(ascii).toMatch(/^[ -~]*$/);
});

test('the source map is adjusted for escaped characters', () => {
  // Columns 0, 10 and 24 of the second line come from lines 1, 2 and 3; of the third line, column 0 from line 4.
  const map = { version: 3, sources: ['a.ts'], names: [], mappings: ';AAAA,UACA,cACA;AACA' };
  const code = 'a\nb = "……"; c = "d";      e\nf';

  const ascii = inAscii({ code, mappings: map.mappings });

  const found = new SourceMap({ ...map, mappings: ascii.mappings } as never);
  const shift = 2 * '\\u2026'.length - 2;
  const lineOf = (line: number, column: number) =>
    (found.findEntry(line, column) as { originalLine: number }).originalLine;
  expect([
    lineOf(1, 0),
    lineOf(1, 10 + shift - 1),
    lineOf(1, 10 + shift),
    lineOf(1, 24 + shift),
    lineOf(2, 0),
  ]).toEqual([0, 0, 1, 2, 3]);
});

test('a backslash before a non-ASCII character is rejected', () => {
  expect(() => inAscii({ code: '/\\…/', mappings: '' })).toThrow('A backslash stands before');
});

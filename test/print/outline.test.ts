import { expect, test } from 'vitest';
import { type OutlineLine, outlineText } from '../../src/print/outline.ts';

/** The lines of an outline without colour. */
async function linesOf(lines: readonly OutlineLine[], columns = 40, clean = (text: string) => text) {
  let shown = '';
  for await (const text of outlineText(lines, { columns, colour: false, clean })) shown += text;
  return shown.split('\n').slice(0, -1);
}

test('texts are wrapped at words below their sign', async () => {
  const line = {
    sign: '~',
    text: 'property BER: a name that does not fit',
    below: ['city: "Berlin" → "Hamburg an der Elbe"'],
  };

  expect(await linesOf([line])).toEqual([
    '  ~ property BER: a name that does not',
    '      fit',
    '      city: "Berlin" → "Hamburg an der',
    '        Elbe"',
  ]);
});

test.each([
  ['control characters', 'a\u001b[2Jb\nc\td', '  + a\\u{1b}[2Jb\\nc\\td'],
  ['bidi controls', 'a\u202eb', '  + a\\u{202e}b'],
  ['a long text', 'x'.repeat(3000), `  + ${'x'.repeat(2000)}…`],
])('%s: nothing leaves the line', async (_, text, expected) => {
  expect(await linesOf([{ sign: '+', text }], Number.POSITIVE_INFINITY)).toEqual([expected]);
});

test('a secret is masked before a text is cut', async () => {
  const clean = (text: string) => text.replaceAll('s3cret', '***');

  const [line] = await linesOf(
    [{ sign: '+', text: `${'x'.repeat(1997)}s3cret` }],
    Number.POSITIVE_INFINITY,
    clean,
  );

  expect(line).toBe(`  + ${'x'.repeat(1997)}***`);
});

import { expect, test } from 'vitest';
import { type OutlineLine, outlineText } from '../../src/print/outline.ts';

async function piecesOf(lines: readonly OutlineLine[], columns: number, clean = (text: string) => text) {
  const pieces: string[] = [];
  for await (const piece of outlineText(lines, { columns, colour: false, clean })) pieces.push(piece);
  return pieces;
}

/** The lines of an outline without colour. */
async function linesOf(lines: readonly OutlineLine[], columns = 40, clean = (text: string) => text) {
  return (await piecesOf(lines, columns, clean)).join('').split('\n').slice(0, -1);
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

test('wide letters count twice', async () => {
  expect(await linesOf([{ sign: '+', text: '漢字漢字漢字 漢字漢字漢字 漢字漢字漢字' }], 30)).toEqual([
    '  + 漢字漢字漢字 漢字漢字漢字',
    '      漢字漢字漢字',
  ]);
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

test('a line without a sign is a remark, and a long outline comes in pieces', async () => {
  const lines = Array.from({ length: 450 }, (_, index) => ({ text: `... and ${index} more` }));

  const pieces = await piecesOf(lines, 80);

  expect(pieces.map((piece) => piece.split('\n').length - 1)).toEqual([200, 200, 50]);
  expect(pieces[0]?.split('\n')[1]).toBe('    ... and 1 more');
});

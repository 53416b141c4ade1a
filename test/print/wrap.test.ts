import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { type OutlineLine, outlineText } from '../../src/print/outline.ts';
import { renderProblem } from '../../src/print/problem.ts';
import { wrapped } from '../../src/print/width.ts';
import { desk } from './desk.ts';

const asText = { json: false, colour: false, held: [] };

describe('a text for a terminal', () => {
  test.each([
    ['ends at words', 'Choose another code for it.', 22, ['Choose another code', '  for it.']],
    [
      'keeps a long word',
      `See https://hotels.example.com/${'a'.repeat(20)} for it.`,
      30,
      ['See', `  https://hotels.example.com/${'a'.repeat(20)}`, '  for it.'],
    ],
    [
      'keeps a command at its beginning',
      "innctl users update ana@example.com --set-properties '[]'",
      30,
      ["innctl users update ana@example.com --set-properties '[]'"],
    ],
    [
      'keeps a command with another way behind it',
      'Fix f.csv, then: innctl apply f.csv --yes; or fix the files themselves, then: innctl apply m.csv',
      40,
      [
        'Fix f.csv, then:',
        '  innctl apply f.csv --yes; or fix the',
        '  files themselves, then:',
        '  innctl apply m.csv',
      ],
    ],
    [
      'keeps a command with a variable',
      'Try another one: TERM=dumb innctl properties create',
      30,
      ['Try another one:', '  TERM=dumb innctl properties create'],
    ],
    [
      'keeps a command in brackets',
      'Check the address (innctl config list --json), or try again.',
      30,
      ['Check the address', '  (innctl config list --json),', '  or try again.'],
    ],
    [
      'ends at words behind the name of the program',
      'It was written by a newer innctl (version 9 of it).',
      30,
      ['It was written by a newer', '  innctl (version 9 of it).'],
    ],
    [
      'indents each further line below its own',
      'Two:\n  one of the two is this one here\nand',
      24,
      ['Two:', '  one of the two is this', '    one here', 'and'],
    ],
    ['measures wide characters', '東京 東京 東京 東京 東京', 22, ['東京 東京 東京 東京', '  東京']],
    [
      'stays as it is where it is very narrow',
      'Choose another code for it.',
      12,
      ['Choose another code for it.'],
    ],
    ['stays as it is without a terminal', 'a '.repeat(400), Number.POSITIVE_INFINITY, ['a '.repeat(400)]],
  ])('%s', async (_, text, columns, lines) => {
    expect((await wrapped(text, { columns })).split('\n')).toEqual(lines);
  });
});

const refused = new CliError('refused', 'Could not create the property BER, for it exists already.', {
  details: [{ field: 'code', reason: 'is taken by a property of another account, which is not shown' }],
  hint: 'Choose another code, or take this one: innctl properties get BER --languages all',
});

test('an error is continued below its text', async () => {
  expect((await renderProblem(refused, asText, 40)).text.split('\n')).toEqual([
    'error: Could not create the property',
    '       BER, for it exists already.',
    '  code: is taken by a property of',
    '    another account, which is not shown',
    'hint: Choose another code, or take this',
    '      one:',
    '      innctl properties get BER --languages all',
    '',
  ]);
});

test('the stack of a fault is not broken', async () => {
  const fault = new Error(`x ${'y '.repeat(60)}`);

  const [shown] = (await renderProblem(fault, asText, 40)).text.split('\nhint:');

  expect((await renderProblem(fault, asText)).text).toContain(`${shown}\n`);
});

test.each([
  [
    true,
    'Users whose roles differ are left\n  unchanged: ana.\nwarning: Users whose roles differ are\n         left unchanged: ana.\n',
  ],
  [
    false,
    'Users whose roles differ are left unchanged: ana.\nwarning: Users whose roles differ are left unchanged: ana.\n',
  ],
])('notes and warnings end at words on a terminal: %s', async (terminal, stderr) => {
  const { out, shown } = desk({ terminal, columns: 40 });

  await out.note('Users whose roles differ are left unchanged: ana.');
  await out.warn('Users whose roles differ are left unchanged: ana.');

  expect(shown().stderr).toBe(stderr);
});

test('no line of a text looks like a message of its own', async () => {
  const { out, shown } = desk({ terminal: true, columns: 30 });

  await out.note(`The name is ${'x'.repeat(17)} error: it failed ${'y'.repeat(20)} hint: rm it`);

  expect(shown().stderr).not.toMatch(/^(error|hint):/m);
});

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

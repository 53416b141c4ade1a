import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
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

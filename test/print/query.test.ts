import { describe, expect, test } from 'vitest';
import { compileQuery } from '../../src/print/query.ts';
import { berlin, desk, munich, onePage, properties, twoPages } from './desk.ts';

const asking = (expression: string, raw = false) => ({ query: compileQuery(expression), raw });

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

describe('a query', () => {
  test('applies to the --json document of a list with its count', async () => {
    const { out, shown } = desk({ format: 'json', view: asking('@') });

    await out.records(properties, twoPages({ total: 250, truncated: true }), { run: 7 });

    expect(shown()).toEqual({
      stdout: json({ run: 7, count: 250, has_more: true, items: [berlin, munich] }),
      stderr: '',
    });
  });

  test('applies to a record, a write, a line and a response with all pages', async () => {
    const { out, shown } = desk({ format: 'json', view: asking('[0].id || id') });
    const more = async function* () {
      yield [{ id: 'MUC' }];
    };

    await out.record(properties, berlin);
    await out.done('Created MUC.', { id: 'MUC', created: true });
    await out.line('three', { id: 3 });
    await out.document([{ id: 'VIE' }], { more: more() });

    expect(shown()).toEqual({ stdout: '"BER"\n"MUC"\n3\n"VIE"\n', stderr: '' });
  });

  test('applies to the fields selected with --fields', async () => {
    const { out, shown } = desk({
      format: 'json',
      view: { ...asking('items[0]'), fields: ['location.city', 'id'] },
    });

    await out.records(properties, onePage([berlin]));

    expect(shown().stdout).toBe(json({ location: { city: 'Berlin' }, id: 'BER' }));
  });

  test.each([
    ['null for an unknown field', 'shoe_size', null],
    ['no inherited property', 'constructor', null],
    ['null for a number that overflows', "to_number('1e999')", null],
    ['strings between backticks', '[?id==`BER`] || `Live`', 'Live'],
  ])('finds %s', async (_, expression, found) => {
    const { out, shown } = desk({ format: 'json', view: asking(expression) });

    await out.record(properties, berlin);

    expect(JSON.parse(shown().stdout)).toEqual(found);
  });

  test('that cannot be evaluated exits with 2 and prints nothing', async () => {
    const { out, shown } = desk({ format: 'json', view: asking('sum(items)') });

    await expect(out.records(properties, twoPages())).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^--query: "sum\(items\)" cannot be evaluated: .*sum\(\) expected/),
    });
    expect(shown()).toEqual({ stdout: '', stderr: '' });
  });

  test('that cannot be evaluated after a write reports the write first', async () => {
    const { out } = desk({ format: 'json', view: asking('sum(@)') });

    await expect(out.done('Created BER.', { id: 'BER' })).rejects.toThrow(
      /^Created BER\. But the result could not be printed\. --query: "sum\(@\)" cannot be evaluated/,
    );
    await expect(out.document({ id: 'BER' }, { write: 'POST /hotels: 201.' })).rejects.toThrow(
      /^POST \/hotels: 201\. But the result could not be printed\. --query/,
    );
  });
});

describe('a raw query', () => {
  test.each([
    ['a string unquoted', '`"Grand\\nHotel"`', 'Grand\nHotel\n'],
    ['an empty string', "''", '\n'],
    ['a number', '`3`', '3\n'],
    ['null', 'shoe_size', 'null\n'],
    ['strings, numbers and booleans one per line', '[id, `4.5`, is_archived]', 'BER\n4.5\nfalse\n'],
    ['multi-line strings escaped, one per line', '`["B\\nE","\\tR"]`', 'B\\nE\n\\tR\n'],
    ['an empty list', '`[]`', ''],
    ['rows with tabs, escaped', '`[["a\\tb","c\\\\d"],["e",null]]`', 'a\\tb\tc\\\\d\ne\t\n'],
    ['a list with an object', '[id, location]', json(['BER', { city: 'Berlin' }])],
    ['a list with null', '[id, shoe_size]', json(['BER', null])],
    ['a record', 'location', json({ city: 'Berlin' })],
  ])('prints %s', async (_, expression, text) => {
    const { out, shown } = desk({ format: 'json', view: asking(expression, true) });

    await out.record(properties, berlin);

    expect(shown().stdout).toBe(text);
  });

  test('escapes control characters', async () => {
    const name = '\u001b[2J\u202eBER\ud800';
    const texts = ['name', '[name]', '{a: name}'].map((expression) =>
      desk({ format: 'json', terminal: true, view: asking(expression, true) }),
    );

    for (const { out } of texts) await out.record(properties, { name });

    expect(texts.map(({ shown }) => shown().stdout)).toEqual([
      '\\u{1b}[2J\\u{202e}BER\\u{d800}\n',
      '\\u{1b}[2J\\u{202e}BER\\u{d800}\n',
      '{\n  "a": "\\u001b[2J\\u202eBER\\ud800"\n}\n',
    ]);
  });
});

test.each<[string, unknown]>([
  ["items[?created<'2026-10-23'].email", ['ana@example.com']],
  ["items[?created >= '2026-10-23T08:00:00Z'].email", ['ben@example.com']],
  ["items[?'2026-10-23T08:00:00Z' <= created].email", ['ben@example.com']],
  ["items[?!(created > '2026-10-01')].email", ['ana@example.com', 'zoe@example.com']],
  ['items[?created <= created] | length(@)', 2],
  ['items[?tries > `9`].email', ['ben@example.com']],
  ["missing < 'a'", null],
  ['items[?created < `2026`]', []],
])('texts are compared like numbers: %s', (expression, found) => {
  const items = [
    { email: 'ben@example.com', created: '2026-10-23T08:00:00Z', tries: 10 },
    { email: 'ana@example.com', created: '2026-09-30T08:00:00Z', tries: 9 },
    { email: 'zoe@example.com' },
  ];

  expect(compileQuery(expression)({ items })).toEqual(found);
});

test('an expression that is too deep is rejected', () => {
  expect(() => compileQuery('('.repeat(9_000))).toThrow('is not a JMESPath expression: Maximum call stack');
});

test('rows of a query are a table with labels, or without', async () => {
  const [named, listed] = ['[{id: id, archived: is_archived}]', '[[id, location.city]]'].map((expression) =>
    desk({ format: 'table', view: asking(expression) }),
  );

  await named?.out.record(properties, berlin);
  await listed?.out.record(properties, berlin);

  expect(named?.shown().stdout).toBe(
    '┌─────┬──────────┐\n│ Id  │ Archived │\n├─────┼──────────┤\n│ BER │ no       │\n└─────┴──────────┘\n',
  );
  expect(listed?.shown().stdout).toBe('┌─────┬────────┐\n│ BER │ Berlin │\n└─────┴────────┘\n');
});

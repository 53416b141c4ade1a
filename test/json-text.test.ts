import { expect, test } from 'vitest';
import { jsonTokens, outlineOf, repeatedName } from '../src/model/json-text.ts';

const tokensIn = (json: string) =>
  [...jsonTokens(json)].map(({ kind, start, end }) => `${kind} ${json.slice(start, end)}`);

test('brackets and numbers in strings are not tokens', () => {
  expect(tokensIn(String.raw`{"a\"[1" : ["]\\", -2.5e3, true]}`)).toEqual([
    'open {',
    String.raw`name "a\"[1"`,
    'open [',
    String.raw`text "]\\"`,
    'number -2.5e3',
    'close ]',
    'close }',
  ]);
});

test('an unterminated string extends to the end', () => {
  expect(tokensIn(String.raw`["a\"`)).toEqual(['open [', String.raw`text "a\"`]);
});

test.each([
  ['[]', 1],
  ['[{"a":[]}]', 3],
  ['[[],[],{}]', 2],
  [String.raw`["a[[{\"[[", "]"]`, 1],
  [String.raw`["a\\",[["b"]]]`, 3],
  ['["a[[', 1],
])('nesting is measured outside strings: %s', (json, depth) => {
  const isDeeper = (most: number) => outlineOf(Buffer.from(json), most).isDeep;

  expect([depth - 1, depth].map(isDeeper)).toEqual([true, false]);
});

/** Entries of 0.4 MiB. */
const entry = JSON.stringify('x'.repeat(400_000));

test.each([
  ['a list', `[${entry},${entry},${entry},${entry}]`, [3, 1]],
  ['a list in an object, behind a short one', `{"a":[],"b":[${entry},${entry},${entry},${entry}]}`, [3, 1]],
  ['a short list', `[${entry},${entry}]`, []],
  ['a list without an end', `[${entry},${entry},${entry},${entry}`, []],
  ['a list further inside', `{"a":{"b":[${entry},${entry},${entry},${entry}]}}`, []],
])('a long list is cut between entries: %s', (_, json, lengths) => {
  const { pieces } = outlineOf(Buffer.from(json), 100);

  expect(pieces.map(({ start, end }) => JSON.parse(`[${json.slice(start, end)}]`).length)).toEqual(lengths);
});

test('a string of millions of escapes does not overflow the stack', () => {
  expect(tokensIn(`["${'\\n'.repeat(400_000)}",1]`).filter((token) => token.startsWith('number'))).toEqual([
    'number 1',
  ]);
});

test.each([
  ['{"a":1,"b":2}', undefined],
  ['{"a":1,"b":{"a":2}}', undefined],
  ['[{"a":1},{"a":2}]', undefined],
  ['{"a":"a","b":"a"}', undefined],
  ['{"a":1,"a":2}', '"a"'],
  [String.raw`{"a":1,"\u0061":2}`, String.raw`"\u0061"`],
  ['{"":1,"":2}', '""'],
  ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
  ['{"b":[{"a":1}],"b":2}', '"b"'],
])('%s has the duplicate key %s', (json, name) => {
  const found = repeatedName(json);

  expect(found && json.slice(found.start, found.end)).toBe(name);
});

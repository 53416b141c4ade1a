import { expect, test } from 'vitest';
import { isDeeper, jsonTokens, repeatedName } from '../src/model/json-text.ts';

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
  const deeper = (most: number) => isDeeper(Buffer.from(json), most);

  expect([depth - 1, depth].map(deeper)).toEqual([true, false]);
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

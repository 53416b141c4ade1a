import { expect, test } from 'vitest';
import { isDeeper, jsonTokens } from '../src/model/json-text.ts';

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

import { expect, test } from 'vitest';
import { problemOf, shapeOf } from '../../src/service/answer.ts';

test.each<[string, string, string | undefined]>([
  ['300,000 parts', `[${'0,'.repeat(299_999)}0]`, undefined],
  ['one more', `[${'0,'.repeat(300_000)}0]`, 'JSON of more than 300000 parts'],
  ['many more', `[${'{},'.repeat(1_000_000)}0]`, 'JSON of more than 300000 parts'],
  ['more of them in a longer text', `["${'x'.repeat(9_800_000)}"${',0'.repeat(349_000)}]`, undefined],
  ['brackets in a string', `["${'['.repeat(300_001)}"]`, undefined],
  ['brackets behind quotation marks in a string', `["\\"${'{\\\\\\"'.repeat(300_001)}"]`, undefined],
  ['an unterminated string', `["${'['.repeat(300_001)}\\`, undefined],
  ['a long text without values', 'x'.repeat(8_000_000), undefined],
])('a JSON text is checked before it is parsed: %s', (_, json, problem) => {
  expect(problemOf(json)).toBe(problem);
});

test.each<[string, string, string | undefined]>([
  ['a hundred nested lists', '['.repeat(100) + ']'.repeat(100), undefined],
  ['one more', '['.repeat(101) + ']'.repeat(101), 'JSON nested deeper than 100'],
  ['objects', `${'{"a":'.repeat(101)}0${'}'.repeat(101)}`, 'JSON nested deeper than 100'],
  ['very many levels', `[${'{"a":['.repeat(100_000)}${']}'.repeat(100_000)}]`, 'JSON nested deeper than 100'],
  ['brackets in a string', `["${'['.repeat(101)}"]`, undefined],
  ['lists that are closed', `[${'[],'.repeat(1_000)}0]`, undefined],
])('the nesting of JSON is checked: %s', (_, json, problem) => {
  expect(shapeOf(JSON.parse(json)).problem).toBe(problem);
});

test.each<[string, string, boolean]>([
  ['a long integer', '{"id":9007199254740993}', true],
  ['an integer that is still exact despite its length', '[123456789012345]', false],
  ['a number with an exponent', '[2.5E+999]', true],
  ['short numbers and literals', '[1,true,-2.5,false,null]', false],
  ['many digits in a string', '{"iban":"89370400440532013000","12345678901234567":1}', false],
  ['many digits behind a string that ends in a quote', '["\\"",12345678901234567]', true],
])('numbers that may lose precision are detected: %s', (_, json, isLong) => {
  expect(shapeOf(JSON.parse(json)).hasLongNumbers).toBe(isLong);
});

import { expect, test } from 'vitest';
import { shapeProblem } from '../../src/http/json-shape.ts';

test.each<[string, string, string | undefined]>([
  ['a hundred lists in each other', '['.repeat(100) + ']'.repeat(100), undefined],
  ['one more', '['.repeat(101) + ']'.repeat(101), 'JSON nested deeper than 100'],
  ['objects that never end', '{"a":'.repeat(101), 'JSON nested deeper than 100'],
  ['300,000 parts', `[${'0,'.repeat(299_999)}0]`, undefined],
  ['one more', `[${'0,'.repeat(300_000)}0]`, 'JSON of more than 300000 parts'],
  ['more of them in a text that is longer', `["${'x'.repeat(9_800_000)}"${',0'.repeat(349_000)}]`, undefined],
  ['brackets in a text', `["${'['.repeat(300_001)}"]`, undefined],
  ['brackets behind quotation marks in a text', `["\\"${'{\\\\\\"'.repeat(300_001)}"]`, undefined],
  ['a text without end', `["${'['.repeat(200)}\\`, undefined],
  ['lists that end', `[${'[],'.repeat(1_000)}0]`, undefined],
])('a JSON text is looked at before it is parsed: %s', (_, json, problem) => {
  expect(shapeProblem(json)).toBe(problem);
});

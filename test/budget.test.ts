import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Budget, readBudget, totals, unexplained } from '../scripts/lines.mts';

const budget = readBudget(readFileSync('budget.json', 'utf8'));

test('no total is above the budget', () => {
  const now = totals();
  const above = Object.entries(budget.totals).filter(([name, most]) => now[name as keyof typeof now] > most);

  expect({ above, now }).toEqual({ above: [], now });
});

const before: Budget = { totals: { src: 100, files: 10, test: 200, words: 50 }, raises: [], rooms: {} };

function after(src: number, ...raises: Budget['raises']): Budget {
  return { ...before, totals: { ...before.totals, src }, raises };
}

const raise = { total: 'src', by: 20, reason: 'a noun' } as const;

test.each<[string, Budget, Budget, readonly string[]]>([
  ['a total falls', before, after(90), []],
  ['a total rises', before, after(101), ['src rises by 1; the raises of budget.json allow 0']],
  ['a raise allows it', before, after(120, raise), []],
  ['a raise allows less', before, after(121, raise), ['src rises by 21; the raises of budget.json allow 20']],
  [
    'an old raise',
    after(120, raise),
    after(121, raise),
    ['src rises by 1; the raises of budget.json allow 0'],
  ],
  [
    'a raise of another total',
    before,
    after(110, { ...raise, total: 'test' }),
    ['src rises by 10; the raises of budget.json allow 0'],
  ],
])('between two budgets: %s', (_, from, to, sentences) => {
  expect(unexplained(from, to)).toEqual(sentences);
});

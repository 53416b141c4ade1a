import { expect, test } from 'vitest';
import { memoryLimit, weightOf } from '../src/model/records.ts';

test.each([
  ['a list of 100,000 plain records', Array(100_000).fill({ id: 'BER', name: 'x'.repeat(270) })],
  ['a list of 5,000 records of 3 kB', Array(5_000).fill({ id: 'BER', name: 'x'.repeat(3_000) })],
])('%s fits in memory', (_, list) => {
  const claim = memoryLimit();

  expect(() => claim(list)).not.toThrow();
});

test('more than 48 MiB over several pages is rejected, and the error suggests flags', () => {
  const claim = memoryLimit();
  const page = Array(100).fill({ id: 'BER', name: 'x'.repeat(250_000) });
  claim(page);
  claim(page);

  expect(() => claim(page)).toThrow(
    expect.objectContaining({
      code: 'endless_list',
      message: 'The list is longer than 48 MiB: no more of it is held in memory.',
      hint: 'Have each record printed as it comes, with -o ndjson, or ask for a part of them, with --limit.',
    }),
  );
});

test.each([
  ['', 4],
  ['BER', 7],
  [null, 4],
  [7, 4],
  [[], 4],
  [[true, 'a'], 13],
  [{ id: 'BER', more: { a: [1] } }, 4 + 2 + 7 + 4 + 4 + 1 + 8],
])('the weight of %j is %d', (value, weight) => {
  expect(weightOf(value)).toBe(weight);
});

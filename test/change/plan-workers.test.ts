import { expect, test } from 'vitest';
import { eachOf } from '../../src/change/workers.ts';

test('items start in order, and at most as many at once as there are workers', async () => {
  const begun: number[] = [];
  let [now, most] = [0, 0];

  await eachOf([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    now += 1;
    most = Math.max(most, now);
    await Promise.resolve();
    now -= 1;
  });

  expect({ begun, most }).toEqual({ begun: [1, 2, 3, 4, 5], most: 2 });
});

test('after an error no item is started, and those in flight are awaited', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];

  const work = eachOf([1, 2, 3, 4], 2, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error('first');
    await Promise.resolve();
    await Promise.resolve();
    ended.push(item);
  });

  await expect(work).rejects.toThrow('first');
  expect({ begun, ended }).toEqual({ begun: [1, 2], ended: [2] });
});

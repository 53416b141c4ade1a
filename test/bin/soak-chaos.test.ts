import { describe, expect, test } from 'vitest';
import { countInChaos, exportInChaos, surviveChaos } from '../soak/chaos.ts';

/** Determines which requests fail; `npm run soak` has 10,000 rows. */
const SEED = 2026;

describe('with a fault in every twentieth request', { timeout: 120_000 }, () => {
  test('repeating a killed apply finishes its rows, and a further run sends nothing', async () => {
    const { problems } = await surviveChaos(400, 160, SEED);

    expect(problems).toEqual([]);
  });

  test('an export is complete', async () => {
    const { problems } = await exportInChaos(400, SEED);

    expect(problems).toEqual([]);
  });

  test('a count is never wrong', async () => {
    const { problems } = await countInChaos(2_040, 30, SEED);

    expect(problems).toEqual([]);
  });
});

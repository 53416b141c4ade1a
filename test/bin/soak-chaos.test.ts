import { describe, expect, test } from 'vitest';
import { countInChaos, exportInChaos, surviveChaos } from '../soak/chaos.ts';

/** Another number hits other requests; `npm run soak` has 10,000 rows. */
const SEED = 2026;

describe('where every twentieth request goes wrong', { timeout: 120_000 }, () => {
  test('rows that are killed are done by repeating the command, and then nothing is sent any more', async () => {
    const { problems } = await surviveChaos(400, 160, SEED);

    expect(problems).toEqual([]);
  });

  test('an export is whole', async () => {
    const { problems } = await exportInChaos(400, SEED);

    expect(problems).toEqual([]);
  });

  test('a count is never a wrong number', async () => {
    const { problems } = await countInChaos(2_040, 30, SEED);

    expect(problems).toEqual([]);
  });
});

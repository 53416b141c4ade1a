import { join } from 'node:path';
import { beforeAll, describe, test } from 'vitest';
import { bundled } from '../helpers/bundled.ts';
import { fc, few } from '../helpers/laws.ts';
import { check } from './law.ts';
import { histories } from './steps.ts';

/** `LAW_RUNS=250 LAW_SEED=7 npm test test/histories` checks 2,000 others: 250 of each kind. */
const first = Number(process.env['LAW_SEED'] ?? 39);
/** Many histories, or the search for the shortest one that fails, take long. */
const HOUR = 3_600_000;

let program: string;
beforeAll(async () => {
  program = await bundled(join(import.meta.dirname, 'process.mts'));
});

describe.each(histories.map((each, place) => ({ ...each, seed: first + place })))(
  '$name',
  ({ arbitrary, seed }) => {
    test('nothing is lost, nothing is there twice, and nothing is claimed', { timeout: HOUR }, async () => {
      const law = fc.asyncProperty(arbitrary, (history) => check(history, program));
      await fc.assert(law, { seed, ...few(8), unbiased: true });
    });
  },
);

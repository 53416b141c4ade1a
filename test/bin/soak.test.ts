import { beforeAll, describe, expect, test } from 'vitest';
import { journalBytes, placesOf, placeText, survive } from '../soak/ordeal.ts';

/** Determines where the run is killed; `npm run soak` kills it at 400 places. */
const SEED = 2026;

const places = placesOf(20, SEED, (index) => index % 5 === 4).map(
  (place) => [placeText(place), place] as const,
);

describe('repeating a killed apply of a thousand rows resumes it: no row is lost or applied twice', () => {
  let bytes = 0;

  beforeAll(async () => {
    bytes = await journalBytes();
  }, 120_000);

  test.each(places)('%s', { timeout: 120_000 }, async (_, place) => {
    const { problems } = await survive(place, bytes);

    expect(problems).toEqual([]);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { journalBytes, placesOf, placeText, survive } from '../soak/ordeal.ts';

/** Another number shows other places; `npm run soak` goes through 400 of them. */
const SEED = 2026;

const places = placesOf(20, SEED, (index) => index % 5 === 4).map(
  (place) => [placeText(place), place] as const,
);

describe('a seed of a thousand rows that is killed is resumed by the same command: nothing twice, nothing lost', () => {
  let bytes = 0;

  beforeAll(async () => {
    bytes = await journalBytes();
  }, 120_000);

  test.each(places)('%s', { timeout: 120_000 }, async (_, place) => {
    const { problems } = await survive(place, bytes);

    expect(problems).toEqual([]);
  });
});

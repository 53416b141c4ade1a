import type { Change } from '../records.ts';
import { chainSeed } from './chain.ts';
import type { SeedName, SeedOptions } from './seed.ts';
import { smallSeed } from './small.ts';

/** What a sandbox may start from. The same options give the same records. */
export const seeds = {
  small: smallSeed,
  chain: chainSeed,
} as const satisfies Record<SeedName, (options: SeedOptions) => Iterable<Change>>;

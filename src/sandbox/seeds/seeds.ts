import type { Change } from '../store/records.ts';
import { chainSeed } from './chain.ts';
import type { SeedName } from './seed-names.ts';
import { smallSeed } from './small.ts';

export interface SeedOptions {
  /** Milliseconds since the epoch; the seed's dates count back from it. */
  readonly now: number;
  /** How many properties, where the seed comes in sizes. */
  readonly size: number | undefined;
}

/** What a sandbox may start from. The same options give the same records. */
export const seeds = {
  small: smallSeed,
  chain: chainSeed,
} as const satisfies Record<SeedName, (options: SeedOptions) => Iterable<Change>>;

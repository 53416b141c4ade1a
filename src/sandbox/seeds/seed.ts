/** The states that a sandbox may start from. */
export const seedNames = ['small', 'chain'] as const;

export type SeedName = (typeof seedNames)[number];

export interface SeedOptions {
  /** Milliseconds since the epoch; the seed's dates count back from it. */
  readonly now: number;
  /** How many properties, where the seed comes in sizes. */
  readonly size: number | undefined;
}

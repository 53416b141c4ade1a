/** The states that a sandbox may start from. */
export const seedNames = ['small', 'chain'] as const;

export type SeedName = (typeof seedNames)[number];

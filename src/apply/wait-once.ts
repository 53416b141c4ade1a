/** A request that a killed run had under way is carried out by now, or never will be; and most of what was created shows. */
const SETTLED_MS = 15_000;

/**
 * Waits until requests of killed runs have surely ended, and what they created may show: once, however often a plan asks.
 *
 * @returns whether it has just waited, so that what was read before is old.
 */
export type WaitOnce = () => Promise<boolean>;

/** @param pause waits; without it nobody ever does. */
export function createWaitOnce(pause: ((ms: number) => Promise<void>) | undefined): WaitOnce {
  let isOver = pause === undefined;
  return async () => {
    if (isOver) return false;
    isOver = true;
    await pause?.(SETTLED_MS);
    return true;
  };
}

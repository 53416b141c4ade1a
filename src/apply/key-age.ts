/** Services forget a key after a day; a request must not be under way when they do. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** What tells whether an idempotency key is of use still. */
export interface KeyAge {
  /** When it was first sent, milliseconds since the epoch. */
  readonly since: number;
  /** It is known that it created something. */
  readonly isSpent: boolean;
}

/**
 * Whether a key still stands for the creation that it was first sent with: the service knows it, and nothing came of it
 * for certain. One that seems to come from the future, because the clock was set back, is no worse than a fresh one.
 *
 * @param now milliseconds since the epoch.
 */
export function isUsable({ since, isSpent }: KeyAge, now: number): boolean {
  return !isSpent && now - since < KEY_LIFE_MS;
}

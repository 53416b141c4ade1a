import { VISIBLE_WITHIN_MS } from './visibility.ts';

/** Services forget a key after a day; a request must not be under way when they do. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** What tells whether an idempotency key is of use still. */
export interface KeyAge {
  /** When it was first sent, milliseconds since the epoch. */
  readonly since: number;
  /** It is known that it created something. */
  readonly isSpent: boolean;
  /** When an answer first said that it created something, milliseconds since the epoch; a repetition is no news. */
  readonly madeAt?: number | undefined;
}

/**
 * Whether a key still stands for the creation that it was first sent with: the service knows it, and nothing came of it
 * for certain. One that seems to come from the future, because the clock was set back, is no worse than a fresh one.
 *
 * @param now milliseconds since the epoch.
 */
export function isUsable(age: KeyAge, now: number): boolean {
  return !age.isSpent && now < protectedUntil(age);
}

/**
 * Until when the same key keeps a creation from being carried out twice, milliseconds since the epoch: while the service
 * knows it and, where it created something, while that may not be visible yet. After that it would only repeat the answer.
 */
export function protectedUntil({ since, madeAt = since + KEY_LIFE_MS }: KeyAge): number {
  return Math.min(since + KEY_LIFE_MS, madeAt + VISIBLE_WITHIN_MS);
}

import { isOfService } from '../http/stored-answer.ts';
import { VISIBLE_WITHIN_MS } from './visibility.ts';

/** Services forget a key after a day; a request must not be under way when they do. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** So many runs one after the other are answered by a failure before a key is believed to stand for it. */
const RUNS_FAILED = 2;

/** Nothing that waits behind a gateway is carried out later than that, milliseconds. */
const LONGEST_HELD_MS = 15 * 60_000;

/** What tells whether an idempotency key is of use still. */
export interface KeyAge {
  /** When it was first sent, milliseconds since the epoch. */
  readonly since: number;
  /** It is known that it created something. */
  readonly isSpent: boolean;
  /** When an answer first said that it created something, milliseconds since the epoch; a repetition is no news. */
  readonly madeAt?: number | undefined;
  /** The service answered that it created nothing; it may repeat that answer as long as it knows the key. */
  readonly isRefused?: boolean | undefined;
  /** So many runs one after the other ended with an answer that is a failure. */
  readonly failures?: number | undefined;
  /** What was answered last, where it was no success. */
  readonly status?: number | undefined;
  /** When that was, milliseconds since the epoch. */
  readonly answeredAt?: number | undefined;
}

/**
 * Whether a key still stands for the creation that it was first sent with: the service knows it, and nothing came of it
 * for certain. One that seems to come from the future, because the clock was set back, is no worse than a fresh one.
 *
 * @param now milliseconds since the epoch.
 */
export function isUsable(age: KeyAge, now: number): boolean {
  return !age.isSpent && age.isRefused !== true && now < protectedUntil(age);
}

/**
 * Until when the same key keeps a creation from being carried out twice, milliseconds since the epoch: while the service
 * knows it and, where it created something, while that may not be visible yet. After that it would only repeat the answer.
 */
export function protectedUntil({ since, madeAt = since + KEY_LIFE_MS }: KeyAge): number {
  return Math.min(since + KEY_LIFE_MS, madeAt + VISIBLE_WITHIN_MS);
}

/**
 * Whether the service stores the failure that it answered under a key, and repeats it for as long as it knows the key.
 * Once is not enough: it may have carried the first request out, and a repetition brings the answer to that. A gateway
 * that fails knows nothing of the service: what waits behind it is carried out a little later, or never.
 *
 * @param now milliseconds since the epoch.
 */
export function isFailing({ failures = 0, status, answeredAt = 0 }: KeyAge, now: number): boolean {
  return failures >= RUNS_FAILED && (isOfService(status) || now - answeredAt > LONGEST_HELD_MS);
}

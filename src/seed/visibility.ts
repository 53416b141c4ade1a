import { isOfService } from '../service/retry.ts';
import { isInDoubt, type RowMemory } from './journal-line.ts';

/** For so long after a creation, reads may not show it yet, milliseconds. */
export const VISIBLE_WITHIN_MS = 15 * 60_000;

/** When a row was there for certain, or may have been created, milliseconds since the epoch. */
export function createdAt({ keyAge, madeAt, at }: RowMemory): number {
  return keyAge?.madeAt ?? madeAt ?? at;
}

/** From when on a row counts as gone that reads do not show, milliseconds since the epoch. */
export function shownBy(row: RowMemory): number {
  return createdAt(row) + VISIBLE_WITHIN_MS;
}

/**
 * Whether a journal says that a row was created, or may have been, so lately that reads may not show it yet, whatever was
 * refused since. A change says that it was there.
 *
 * @param now milliseconds since the epoch.
 */
export function mayShowLater(row: RowMemory, now: number): boolean {
  if (now >= shownBy(row)) return false;
  const { action, id } = row;
  if (action === 'change') return id !== undefined;
  return action === 'create' && (wasAnswered(row) || isInDoubt(row));
}

/** Whether an answer said that a row was created, and nothing is in doubt but whether it is there still. */
export function wasAnswered({ state, keyAge, madeAt }: RowMemory): boolean {
  return state === 'done' || keyAge?.madeAt !== undefined || madeAt !== undefined;
}

/** Whether a run looked in vain for what was created, or its key brought the same answer, since that was answered. */
export function wasLookedFor(row: RowMemory): boolean {
  return wasAnswered(row) && row.at > createdAt(row);
}

/** A moment to come, for programs and people: `2026-04-21T12:15:00Z (14 minutes from now)`. */
export function momentText(ms: number, now: number): string {
  return `${isoText(ms)} (${lengthText(ms - now)} from now)`;
}

/** A moment in UTC to the second. */
export function isoText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function lengthText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/** Services forget a key after a day; a request must not be under way when they do. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** This many runs in a row are answered with a failure before it counts as stored under the key. */
const RUNS_FAILED = 2;

/** The longest that a request may wait behind a gateway, milliseconds. */
const LONGEST_HELD_MS = 15 * 60_000;

/** What decides whether an idempotency key can still be used. */
export interface KeyAge {
  /** When it was first sent, milliseconds since the epoch. */
  readonly since: number;
  /** It is known that it created something. */
  readonly isSpent: boolean;
  /** When an answer first said that it created something, milliseconds since the epoch; a repetition is no news. */
  readonly madeAt?: number | undefined;
  /** The service answered that it created nothing; it may repeat that answer as long as it knows the key. */
  readonly isRefused?: boolean | undefined;
  /** Runs in a row that ended with an answer that is a failure. */
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

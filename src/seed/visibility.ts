import { isOfService } from '../service/retry.ts';
import { isInDoubt, type RowMemory } from './journal-line.ts';

/** A created record becomes visible within this time, milliseconds. */
export const VISIBLE_WITHIN_MS = 15 * 60_000;

/** When a row was, or may have been, created, milliseconds since the epoch. */
export function createdAt({ keyAge, madeAt, at }: RowMemory): number {
  return keyAge?.madeAt ?? madeAt ?? at;
}

/** From when on an invisible row counts as gone, milliseconds since the epoch. */
export function shownBy(row: RowMemory): number {
  return createdAt(row) + VISIBLE_WITHIN_MS;
}

/**
 * Whether a row was, or may have been, created so recently that reads may not show it yet. A change proves that it existed.
 *
 * @param now milliseconds since the epoch.
 */
export function mayShowLater(row: RowMemory, now: number): boolean {
  if (now >= shownBy(row)) return false;
  const { action, id } = row;
  if (action === 'change') return id !== undefined;
  return action === 'create' && (wasAnswered(row) || isInDoubt(row));
}

/** Whether an answer confirmed the creation of a row. */
export function wasAnswered({ state, keyAge, madeAt }: RowMemory): boolean {
  return state === 'done' || keyAge?.madeAt !== undefined || madeAt !== undefined;
}

/** Whether a run has looked for a created record in vain, or got the same answer for its key again. */
export function wasLookedFor(row: RowMemory): boolean {
  return wasAnswered(row) && row.at > createdAt(row);
}

/** A time in the future: `2026-04-21T12:15:00Z (14 minutes from now)`. */
export function momentText(ms: number, now: number): string {
  return `${isoText(ms)} (${lengthText(ms - now)} from now)`;
}

/** A time in UTC, to the second. */
export function isoText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function lengthText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/** Services forget a key after a day; a request must not be under way at that time. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** Consecutive runs that must fail before the failure counts as stored under the key. */
const RUNS_FAILED = 2;

/** The longest that a request may wait behind a gateway, milliseconds. */
const LONGEST_HELD_MS = 15 * 60_000;

/** What decides whether an idempotency key can still be used. */
export interface KeyAge {
  /** When it was first sent, milliseconds since the epoch. */
  readonly since: number;
  /** Whether it certainly created something. */
  readonly isSpent: boolean;
  /** When an answer first confirmed a creation, milliseconds since the epoch. */
  readonly madeAt?: number | undefined;
  /** The service refused it, and may repeat that answer as long as it knows the key. */
  readonly isRefused?: boolean | undefined;
  /** Consecutive runs that were answered with a failure. */
  readonly failures?: number | undefined;
  /** The last status, unless it was a success. */
  readonly status?: number | undefined;
  /** When the last answer came, milliseconds since the epoch. */
  readonly answeredAt?: number | undefined;
}

/**
 * Whether a key can be sent again: the service still knows it, and it has neither created anything nor been refused. A time in
 * the future, after the clock was set back, counts as now.
 *
 * @param now milliseconds since the epoch.
 */
export function isUsable(age: KeyAge, now: number): boolean {
  return !age.isSpent && age.isRefused !== true && now < protectedUntil(age);
}

/**
 * Until when a key protects against a second creation, milliseconds since the epoch: while the service knows it and, if it
 * created something, while that may not be visible yet. After that it would only repeat the answer.
 */
export function protectedUntil({ since, madeAt = since + KEY_LIFE_MS }: KeyAge): number {
  return Math.min(since + KEY_LIFE_MS, madeAt + VISIBLE_WITHIN_MS);
}

/**
 * Whether the service has stored a failure under a key, and repeats it as long as it knows the key. One failure is not enough:
 * the first request may have been carried out, and a repeat returns its answer. A failure of a gateway counts only after the
 * longest time that a request can wait behind it.
 *
 * @param now milliseconds since the epoch.
 */
export function isFailing({ failures = 0, status, answeredAt = 0 }: KeyAge, now: number): boolean {
  return failures >= RUNS_FAILED && (isOfService(status) || now - answeredAt > LONGEST_HELD_MS);
}

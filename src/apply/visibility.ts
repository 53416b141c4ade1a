import { isInDoubt, type RowMemory } from './memory.ts';

/** So long after a creation lists and single reads may not show it yet, milliseconds: until then it is not gone. */
export const VISIBLE_WITHIN_MS = 15 * 60_000;

/** When a row was there for certain, or may have been created, milliseconds since the epoch. */
export function createdAt({ keyAge, madeAt, at }: RowMemory): number {
  return keyAge?.madeAt ?? madeAt ?? at;
}

/** When that what reads do not show counts as gone, milliseconds since the epoch. */
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

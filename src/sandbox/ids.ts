import type { Change, Records } from './records.ts';

const COUNTER = 'ids';
const LETTERS = 26;
/** A prime that is no factor of a power of 26, so that all numbers below such a power give different letters. */
const STRIDE = 982_451_653;

/** Capital letters for a number from 0, as ids of units and unit attributes have them: `CFP`. More letters when all are taken. */
export function lettersOf(number: number, length: number): string {
  const size = LETTERS ** length;
  if (number >= size) return lettersOf(number - size, length + 1);
  let rest = Number((BigInt(number + 1) * BigInt(STRIDE)) % BigInt(size));
  let letters = '';
  for (let at = 0; at < length; at += 1) {
    letters += String.fromCharCode(65 + (rest % LETTERS));
    rest = Math.floor(rest / LETTERS);
  }
  return letters;
}

/** The first of the numbers for new ids. None is given twice, even after a deletion. */
export function nextNumber({ counters }: Records): number {
  return counters.get(COUNTER)?.next ?? 0;
}

/** Stores that the numbers below this one were given. */
export function countedTo(next: number): Change {
  return { put: ['counters', COUNTER, { next }] };
}

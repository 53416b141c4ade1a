import { type Place, placeText } from './entry.ts';

/** Runs of rows, or names, that a sentence lists. */
const MOST_LISTED = 20;

/** Places of one file in words: `people.csv: rows 3-17, 22`. */
export function placesText(places: readonly Place[]): string {
  const [first] = places;
  if (first === undefined) return '';
  if (places.length === 1) return placeText(first);
  return `${first.file}: ${first.unit}s ${listed(spansOf(places.map(({ number }) => number)))}`;
}

/** `3-17`, `22`. */
function spansOf(numbers: readonly number[]): readonly string[] {
  const spans: [from: number, to: number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
}

/** As many of the texts as a sentence holds, and how many more there are. */
export function listed(texts: readonly string[]): string {
  const rest = texts.length - MOST_LISTED;
  return texts.slice(0, MOST_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

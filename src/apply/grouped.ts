import type { Detail } from '../errors.ts';
import { type Place, placeText } from '../manifest/entry.ts';
import type { Item } from './item.ts';

/** Runs of rows, or names, that a sentence lists. */
const MOST_LISTED = 20;

/** What is to be told of one row. */
export interface Told {
  readonly item: Item;
  readonly reason: string;
  /** What is said where no other row has the same to say. Default: the reason. */
  readonly alone?: string;
}

/** Tells what several rows have in common once: `{ field: 'people.csv: rows 3-17, 22', reason }`, in the order of the first. */
export function grouped(all: readonly Told[]): readonly Detail[] {
  const groups = new Map<string, Told[]>();
  for (const told of all) {
    const group = groups.get(told.reason);
    if (group === undefined) groups.set(told.reason, [told]);
    else group.push(told);
  }
  return [...groups].map(([reason, [first, ...more]]) => {
    if (first === undefined) return { field: '', reason };
    if (more.length === 0) return { field: labelOf(first.item), reason: first.alone ?? reason };
    return { field: rowsText([first, ...more].map(({ item }) => item)), reason };
  });
}

function labelOf({ name, entry }: Item): string {
  return entry === undefined ? name : `${placeText(entry.place)}: ${name}`;
}

/** Where several items stand: `hotels.csv: rows 2-4, 9; people.yaml: lines 3, 7`. Deletions are told by their names. */
function rowsText(items: readonly Item[]): string {
  const files = new Map<string, Place[]>();
  for (const { entry } of items) {
    const key = JSON.stringify([entry?.place.file, entry?.place.unit]);
    if (entry === undefined) continue;
    const places = files.get(key);
    if (places === undefined) files.set(key, [entry.place]);
    else places.push(entry.place);
  }
  const names = items.filter(({ entry }) => entry === undefined).map(({ name }) => name);
  return [...[...files.values()].map(placesText), ...(names.length === 0 ? [] : [listed(names)])].join('; ');
}

/** @param places in one file. */
function placesText(places: readonly Place[]): string {
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

function listed(texts: readonly string[]): string {
  const rest = texts.length - MOST_LISTED;
  return texts.slice(0, MOST_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

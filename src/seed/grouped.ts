import type { Detail } from '../cli/errors.ts';
import { listed, type Place, placesText, placeText } from './entry.ts';
import type { Item } from './item.ts';

/** The reason of one row. */
export interface RowReason {
  readonly item: Item;
  readonly reason: string;
  /** Used if no other row has the same reason. Default: the reason. */
  readonly alone?: string;
}

/** Groups rows by reason: `{ field: 'people.csv: rows 3-17, 22', reason }`, in the order of the first row. */
export function grouped(all: readonly RowReason[]): readonly Detail[] {
  const groups = new Map<string, RowReason[]>();
  for (const row of all) {
    const group = groups.get(row.reason);
    if (group === undefined) groups.set(row.reason, [row]);
    else group.push(row);
  }
  return [...groups].map(([reason, [first, ...more]]) => {
    if (first === undefined) return { field: '', reason };
    if (more.length === 0) return { field: labelOf(first.item), reason: first.alone ?? reason };
    return { field: rowsText([first, ...more].map(({ item }) => item)), reason };
  });
}

/** A row in words: `people.csv: row 2: ben@example.com`. */
export function labelOf({ name, entry }: Pick<Item, 'name' | 'entry'>): string {
  return entry === undefined ? name : `${placeText(entry.place)}: ${name}`;
}

/** The places of several items: `hotels.csv: rows 2-4, 9; people.yaml: lines 3, 7`. Deletions are listed by name. */
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

import { groupBy } from '../model/records.ts';
import { type InventoryKind, isInventory } from './entry.ts';
import type { Item } from './item.ts';
import { findCreated, type PropertiesApi } from './property-index.ts';
import { calledOf, lookForCreated, type StockApi } from './stock.ts';

/** The records of rows in doubt: ids of those that exist, and those that certainly do not. */
interface Found {
  readonly ids: Map<Item, string>;
  readonly absent: Set<Item>;
}

/**
 * Looks for what rows may have created, with one list for each kind and property.
 *
 * @param propertyOf the id of the property of a row of inventory.
 */
export async function lookFor(
  items: readonly Item[],
  propertyOf: (item: Item) => string,
  api: PropertiesApi & StockApi,
): Promise<Found> {
  const found: Found = { ids: new Map(), absent: new Set() };
  const properties = items.filter(({ kind }) => kind === 'property');
  if (properties.length > 0) {
    const names = properties.map(({ name }) => name);
    keep(properties, ({ name }) => name, await findCreated(names, api), found);
  }
  const others = items.filter(({ kind }) => isInventory(kind));
  const groups = groupBy(others, (item) => JSON.stringify([item.kind, propertyOf(item)]));
  for (const same of groups.values()) {
    const [first] = same;
    if (first === undefined) continue;
    const nameOf = ({ body = {} }: Item) => calledOf(kind, body) ?? '';
    // Only items of inventory are grouped.
    const kind = first.kind as InventoryKind;
    keep(same, nameOf, await lookForCreated(kind, propertyOf(first), same.map(nameOf), api), found);
  }
  return found;
}

function keep(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  seen: { readonly ids: ReadonlyMap<string, string>; readonly absent: ReadonlySet<string> },
  { ids, absent }: Found,
): void {
  for (const item of items) {
    const id = seen.ids.get(nameOf(item));
    if (id !== undefined) ids.set(item, id);
    if (seen.absent.has(nameOf(item))) absent.add(item);
  }
}

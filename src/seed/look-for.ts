import { CliError } from '../cli/errors.ts';
import { Interruption } from '../cli/ports.ts';
import { groupBy } from '../model/records.ts';
import { sameName } from '../model/text.ts';
import { readWhole } from '../service/paging.ts';
import { type InventoryKind, isInventory } from './entry.ts';
import type { Item } from './item.ts';
import {
  codeOf,
  inLetters,
  type Listed,
  type PropertiesApi,
  readCreated,
  usableId,
} from './property-index.ts';
import { calledOf, isArchived, readStock, type StockApi } from './stock.ts';

/** The records of some rows that exist: an id for each. */
interface Found {
  readonly ids: Map<Item, string>;
  /** The ids of all that have the name. */
  readonly all: Map<Item, readonly string[]>;
}

/** Finds the ids of the records that have the name of a row. */
type IdsOf = (item: Item) => readonly string[] | Promise<readonly string[]>;

/**
 * Looks for what rows may have created, with one list for each kind and property. Rows that cannot be looked for are missing.
 *
 * @param propertyOf the id of the property of a row of inventory.
 * @param idOf the id of a property that may not be listed yet, if an answer said it.
 */
export async function lookFor(
  items: readonly Item[],
  propertyOf: (item: Item) => string,
  api: PropertiesApi & StockApi,
  idOf: (item: Item) => string | undefined = () => undefined,
): Promise<Found> {
  const found: Found = { ids: new Map(), all: new Map() };
  const properties = items.filter(({ kind }) => kind === 'property');
  if (properties.length > 0) await keep(properties, idsByCode(properties, api, idOf), found);
  const others = items.filter(({ kind }) => isInventory(kind));
  const groups = groupBy(others, (item) => JSON.stringify([item.kind, propertyOf(item)]));
  for (const same of groups.values()) {
    const [first] = same;
    // Only items of inventory are grouped.
    const kind = first.kind as InventoryKind;
    await keep(same, idsInStock(kind, propertyOf(first), api), found);
  }
  return found;
}

async function keep(items: readonly Item[], list: Promise<IdsOf>, { ids, all }: Found): Promise<void> {
  try {
    const idsOf = await list;
    for (const item of items) {
      const found = await idsOf(item);
      all.set(item, found);
      const [id] = found;
      if (id !== undefined) ids.set(item, id);
    }
  } catch (cause) {
    // Without the list nothing is settled: the rows stay unknown.
    if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
  }
}

/** Lists properties. They are found by the code in the list, else by reading those whose id is the code, or is known. */
async function idsByCode(
  items: readonly Item[],
  { properties }: PropertiesApi,
  idOf: (item: Item) => string | undefined,
): Promise<IdsOf> {
  const listed = new Map<string, Listed[]>(items.map(({ name }) => [sameName(name), []]));
  const hidden = new Map<string, string>();
  await readWhole(properties.listAll(), 'properties', (record) => {
    const [id, code] = [usableId(record['id']), codeOf(record)];
    if (id === undefined) return;
    if (code === undefined) hidden.set(sameName(id), id);
    else listed.get(sameName(code))?.push({ id, code });
  });
  return async (item) => {
    const ids = inLetters(item.name, listed.get(sameName(item.name)) ?? []).flatMap(({ id }) => id ?? []);
    const id = idOf(item) ?? hidden.get(sameName(item.name));
    if (ids.length > 0 || id === undefined) return ids;
    return (await readCreated(item.name, id, { properties })) === undefined ? [] : [id];
  };
}

/** Lists what a property lets. Archived units do not count. */
async function idsInStock(kind: InventoryKind, property: string, api: StockApi): Promise<IdsOf> {
  const stock = await readStock(kind, property, api);
  return ({ body = {} }) => {
    const name = calledOf(kind, body) ?? '';
    const alike = stock.withName(name);
    const records = alike.filter((each) => calledOf(kind, each) === name && !isArchived(each));
    return records.flatMap(({ id }) => usableId(id) ?? []);
  };
}

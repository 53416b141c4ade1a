import { CliError } from '../cli/errors.ts';
import { hashOf } from '../model/canonical.ts';
import { nearest, suggestion } from '../model/names.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { quote, sameName } from '../model/text.ts';
import { compareInventory, shownInventory } from './compare-inventory.ts';
import { levelIn } from './connections.ts';
import { unreadItem } from './creation-rules.ts';
import { type Entry, type InventoryKind, isInventory, kindText, placeText } from './entry.ts';
import { actionFor, type Item, itemFor, type Link, linkKey, unchangeableText } from './item.ts';
import { severalOf } from './kind.ts';
import type { PlanContext } from './plan-context.ts';
import { bareCode, usableId } from './property-index.ts';
import type { ResolveReferences } from './property-references.ts';
import { calledOf, createStocks, isArchived, type Stock, type Stocks } from './stock.ts';
import { eachOf } from './workers.ts';

interface InventoryContext extends PlanContext {
  readonly resolve: ResolveReferences;
  /** The properties without an id, which the plan creates, by code. */
  readonly unresolved: ReadonlyMap<string, Item>;
}

/** What is known while inventory is planned. */
interface Planning extends InventoryContext {
  readonly stocks: Stocks;
  readonly levelOf: (entry: Entry) => number;
  /** The first entry of each record by `keyOf`, and its item. */
  readonly wanted: Map<string, Entry>;
  readonly planned: Map<string, Item>;
}

/**
 * Plans unit attributes, unit groups and units. They are found by property and code or name; archived units count too.
 */
export async function planInventory(
  entries: readonly Entry[],
  context: InventoryContext,
): Promise<ReadonlyMap<Entry, Item>> {
  const all = entries.filter(({ kind }) => isInventory(kind));
  const stocks = createStocks(context.api);
  const known = { wanted: new Map<string, Entry>(), planned: new Map<string, Item>() };
  const planning = { ...context, stocks, levelOf: levelIn(all), ...known };
  const items = new Map<Entry, Item>();
  for (const kind of ['unit_attribute', 'unit_group', 'unit'] as const) {
    const own = all.filter((entry) => entry.kind === kind);
    const levels = [...new Set(own.map(planning.levelOf))].sort((one, other) => one - other);
    // What an entry is made of is planned before it.
    for (const level of levels) {
      const some = own.filter((entry) => planning.levelOf(entry) === level);
      await eachOf(some, context.options.workers, async (entry) => {
        items.set(entry, await planOne(entry, kind, planning));
      });
    }
  }
  return withPlaces(all, items);
}

/** Numbers the units of each property, so that the same files make the same requests on every machine. */
function withPlaces(entries: readonly Entry[], items: ReadonlyMap<Entry, Item>): ReadonlyMap<Entry, Item> {
  const counts = new Map<string, number>();
  const placed = entries.flatMap((entry) => {
    const item = items.get(entry);
    const home = sameName(String(entry.fields['property']));
    const place = counts.get(home) ?? 0;
    if (entry.kind === 'unit') counts.set(home, place + 1);
    return item === undefined ? [] : [[entry, { ...item, place }] as const];
  });
  return new Map(placed);
}

async function planOne(entry: Entry, kind: InventoryKind, planning: Planning): Promise<Item> {
  const { options, readForRow, resolve, unresolved, wanted, planned, levelOf, stocks } = planning;
  const { ids = [], problems, unread } = resolve(entry);
  if (unread !== undefined) return unreadItem(entry, unread, options, { entry });
  if (problems.length > 0) return conflict(entry, problems.join('; '));
  const [property = ''] = ids;
  const key = keyOf(kind, property, calledOf(kind, entry.fields) ?? '');
  const twin = wanted.get(key);
  if (twin !== undefined)
    return conflict(entry, `is the same ${kindText(kind)} as at ${placeText(twin.place)}`);
  wanted.set(key, entry);
  const isNew = kind !== 'unit_attribute' && unresolved.has(sameName(property));
  const stock = isNew ? undefined : await readForRow(() => stocks.of(kind, property));
  if (stock instanceof CliError) return unreadItem(entry, stock, options, { entry });
  const place = { kind, property, isNew, stock };
  const item = await matchedOrAbsent(entry, place, planning);
  const leveled = { ...item, level: levelOf(entry) };
  planned.set(key, leveled);
  return leveled;
}

/** Where an entry belongs: the id or planned code of its property, and what the service has there. */
interface Where {
  readonly kind: InventoryKind;
  readonly property: string;
  /** The property does not exist yet. */
  readonly isNew: boolean;
  readonly stock: Stock | undefined;
}

async function matchedOrAbsent(entry: Entry, where: Where, planning: Planning): Promise<Item> {
  const { kind, stock } = where;
  const name = calledOf(kind, entry.fields) ?? '';
  const found = stock?.withName(name) ?? [];
  const active = found.filter((record) => !isArchived(record));
  const [record] = active;
  const several = found.map(({ id }) => String(id)).join(', ');
  const links = await linksOf(entry, where, planning);
  if ('problem' in links) return conflict(entry, links.problem);
  if ('error' in links) return unreadItem(entry, links.error, planning.options, { entry });
  if (active.length > 1)
    return conflict(entry, `${active.length} ${severalOf(kind)} have this name: ${several}`);
  if (record !== undefined) return matched(entry, record, links, where, planning);
  if (found.length > 0) return conflict(entry, `is archived there (${several}): no unit gets its name again`);
  return absent(entry, links, where, planning);
}

type Links = ReadonlyMap<string, Link>;

/** What the names in an entry stand for, or why one stands for nothing. */
async function linksOf(
  { fields, kind: own }: Entry,
  { property, isNew }: Where,
  planning: Planning,
): Promise<Links | { readonly problem: string } | { readonly error: CliError }> {
  const { group, attributes, connects, connected } = fields;
  const named: readonly (readonly [field: string, kind: InventoryKind, names: readonly unknown[]])[] = [
    ['group', 'unit_group', [group]],
    ['attributes', 'unit_attribute', [attributes].flat()],
    ['connects', 'unit', [connects].flat()],
    ['connected', 'unit_group', isRecord(connected) ? Object.keys(connected) : []],
  ];
  const links = new Map<string, Link>();
  if (own !== 'unit_attribute')
    links.set(
      linkKey('property', String(fields['property'])),
      isNew ? { kind: 'property', name: property } : { id: property },
    );
  for (const [field, kind, names] of named)
    for (const name of names) {
      if (typeof name !== 'string') continue;
      const link = await linkTo(kind, name, { property, isNew }, planning);
      if (!('id' in link || 'kind' in link)) return link;
      links.set(linkKey(field, name), link);
    }
  return links;
}

async function linkTo(
  kind: InventoryKind,
  name: string,
  { property, isNew }: Pick<Where, 'property' | 'isNew'>,
  { planned, stocks, readForRow }: Planning,
): Promise<Link | { readonly problem: string } | { readonly error: CliError }> {
  const item = planned.get(keyOf(kind, property, name));
  const noun = kindText(kind);
  if (item?.id !== undefined) return { id: item.id };
  if (item?.action === 'create' || item?.action === 'cannot_tell') return { kind, name: item.name };
  if (item !== undefined) return { problem: `${noun} ${quote(name)} is in conflict itself` };
  const isEmpty = isNew && kind !== 'unit_attribute';
  const stock = isEmpty ? undefined : await readForRow(() => stocks.of(kind, property));
  if (stock instanceof CliError) return { error: stock };
  const found = stock?.withName(name).filter((record) => !isArchived(record)) ?? [];
  const records = found.length > 0 ? found : [stock?.withId(name)].filter((record) => record !== undefined);
  const ids = records.flatMap(({ id }) => usableId(id) ?? []);
  const [id] = ids;
  if (ids.length > 1) return { problem: `${quote(name)} may mean ${ids.join(' or ')}` };
  if (id !== undefined) return { id };
  const where = kind === 'unit_attribute' ? '' : ` of ${property}`;
  const names = [...(stock?.names() ?? []), ...plannedNames(kind, property, planned)];
  return {
    problem: `no ${noun}${where} has the ${kind === 'unit_group' ? 'code' : 'name'} or id ${quote(name)}${suggestion(nearest(name, names))}`,
  };
}

function plannedNames(kind: InventoryKind, property: string, planned: ReadonlyMap<string, Item>) {
  return [...planned].flatMap(([key, { entry }]) => {
    const name = entry === undefined ? undefined : calledOf(kind, entry.fields);
    return name !== undefined && key === keyOf(kind, property, name) ? [name] : [];
  });
}

function keyOf(kind: InventoryKind, property: string, name: string): string {
  return `${kind}:${kind === 'unit_attribute' ? '' : sameName(property)}/${sameName(name)}`;
}

function conflict(entry: Entry, reason: string): Item {
  return itemFor(entry, 'conflict', { entry, reason });
}

/** Plans a record that the service lists. */
async function matched(
  entry: Entry,
  listed: ServiceRecord,
  links: Links,
  { kind }: Where,
  { api, options, readForRow }: Planning,
): Promise<Item> {
  const id = usableId(listed['id']);
  const shown = calledOf(kind, listed) ?? '';
  if (id === undefined) return conflict(entry, 'the service lists it without a usable id');
  if (bareCode(shown) !== bareCode(calledOf(kind, entry.fields) ?? ''))
    return { ...conflict(entry, `the service writes it ${quote(shown)}: use the same case`), id };
  const texts = inventoryTexts(entry);
  const reading = () => (kind === 'unit' ? api.units.readAll(id) : api.unitGroups.readAll(id));
  // A list shows texts in one language.
  const whole = texts.length === 0 ? listed : await readForRow(reading);
  if (whole instanceof CliError) return unreadItem(entry, whole, options, { entry, id });
  const record = { ...listed, ...Object.fromEntries(texts.map((field) => [field, whole[field]])) };
  const { changes, cannotChange, unread, wanted } = compareInventory(entry, record, links);
  const seen = hashOf(shownInventory(kind, record));
  if (cannotChange.length > 0) {
    const reason = cannotChange.map(unchangeableText).join('; ');
    return { ...conflict(entry, reason), id, cannotChange, unread, seen };
  }
  const body = changes.length === 0 ? undefined : wanted;
  return itemFor(entry, actionFor({ changes, unread }), { entry, id, changes, unread, seen, body, links });
}

/** The fields of an entry that have a text for each language. */
function inventoryTexts({ fields }: Entry): readonly string[] {
  return ['name', 'description'].filter((field) => isRecord(fields[field]));
}

/** Plans a record that does not exist. */
async function absent(entry: Entry, links: Links, where: Where, planning: Planning): Promise<Item> {
  const { assumeNew } = planning.options;
  const { stock, kind } = where;
  const inherited = kind === 'unit' ? await inheritedBy(entry, links, where, planning) : {};
  if (inherited instanceof CliError) return unreadItem(entry, inherited, planning.options, { entry });
  const create = itemFor(entry, 'create', { entry, body: { ...inherited, ...entry.fields }, links });
  if (stock?.doubt === undefined) return create;
  if (assumeNew) return { ...create, reason: `assumed to be new: ${stock.doubt}` };
  return itemFor(entry, 'cannot_tell', { entry, reason: stock.doubt });
}

/** A text for each language: languages that the entry does not name stay. */
function mergedTexts(stored: unknown, stated: unknown): unknown {
  return isRecord(stored) && isRecord(stated) ? { ...stored, ...stated } : (stated ?? stored);
}

/** What a new unit has from its group where its entry says nothing: the persons and the description. */
async function inheritedBy(
  { fields }: Entry,
  links: Links,
  { property }: Where,
  { planned, readForRow, stocks }: Planning,
): Promise<ServiceRecord | CliError> {
  const { group, max_persons: persons, description } = fields;
  if (typeof group !== 'string' || (persons !== undefined && description !== undefined)) return {};
  const entry = planned.get(keyOf('unit_group', property, group))?.entry;
  const stated = entry?.fields ?? {};
  const link = links.get(linkKey('group', group));
  const id = link !== undefined && 'id' in link ? link.id : undefined;
  const stored = id === undefined ? {} : await readForRow(() => stocks.group(id));
  if (stored instanceof CliError) return stored;
  const texts = { description: mergedTexts(stored['description'], stated['description']) };
  const known: ServiceRecord = { ...stored, ...stated, ...texts };
  return Object.fromEntries(
    ['max_persons', 'description'].flatMap((field) =>
      known[field] === undefined ? [] : [[field, known[field]]],
    ),
  );
}

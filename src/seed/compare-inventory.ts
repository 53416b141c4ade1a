import { isRecord, isSameSet, recordsIn, type ServiceRecord, valueAt } from '../model/records.ts';
import { type Entry, type InventoryKind, isInventory } from './entry.ts';
import { type FieldChange, type Link, linkKey } from './item.ts';
import { inventoryFields } from './kind.ts';
import { idIn } from './stock.ts';

/** One wanted value of a field, and what a record shows of it. */
interface Pair {
  readonly change: FieldChange;
  readonly isSame: boolean;
  /** The record does not show it. */
  readonly isUnread: boolean;
}

type Links = ReadonlyMap<string, Link>;

/** Where a record shows a field that has another name there. */
const shownAt: Readonly<Record<string, readonly string[]>> = {
  condition: ['status', 'condition'],
  group: ['unit_group', 'id'],
};

/**
 * Compares what an entry wants of inventory with a record. Fields and languages that the entry does not name are ignored.
 *
 * @param links what the names in the entry stand for.
 */
export function compareInventory({ kind, fields }: Entry, record: ServiceRecord, links: Links) {
  const known = isInventory(kind) ? inventoryFields[kind] : [];
  const named = known.filter(({ name }) => fields[name] !== undefined && !identity.has(`${kind}.${name}`));
  const pairs = named.flatMap((field) =>
    pairsOf(field.name, fields[field.name], record, links).map((pair) => ({ pair, field })),
  );
  const differing = pairs.filter(({ pair }) => !pair.isSame && !pair.isUnread);
  const changed = differing.filter(({ field }) => field.isFixed !== true);
  return {
    changes: changed.map(({ pair }) => pair.change),
    /** Fields that differ and are fixed after creation. */
    cannotChange: differing.filter(({ field }) => field.isFixed).map(({ pair }) => pair.change),
    unread: pairs.filter(({ pair }) => pair.isUnread).map(({ pair }) => pair.change.field),
    /** The fields to change, as the entry has them. */
    wanted: Object.fromEntries(changed.map(({ field: { name } }) => [name, fields[name]])),
  };
}

/** The fields that a record was found by. */
const identity = new Set([
  ...['unit_attribute.name', 'unit_group.property', 'unit_group.code', 'unit.property', 'unit.name'],
]);

function pairsOf(field: string, wanted: unknown, record: ServiceRecord, links: Links): readonly Pair[] {
  const idOf = (name: unknown) => {
    const link = links.get(linkKey(field, String(name)));
    return link !== undefined && 'id' in link ? link.id : undefined;
  };
  if (field === 'attributes' || field === 'connects') {
    const to = [wanted].flat();
    const from = recordsIn(record[field === 'connects' ? 'connected_units' : field]);
    const isSame = isSameSet(from.map(idIn), to.map(idOf));
    return [{ change: { field, from: from.map(titleOf), to }, isSame, isUnread: false }];
  }
  if (field === 'connected' && isRecord(wanted)) {
    const from = recordsIn(record['connected_unit_groups']).map(
      (each) => `${idIn(each)}=${each['member_count']}`,
    );
    const to = Object.entries(wanted);
    const isSame = isSameSet(
      from,
      to.map(([name, count]) => `${idOf(name)}=${count}`),
    );
    return [{ change: { field, from, to: to.map((pair) => pair.join('=')) }, isSame, isUnread: false }];
  }
  if (isRecord(wanted)) {
    const shown = record[field];
    return Object.entries(wanted).map(([language, to]) => {
      const from = isRecord(shown) ? shown[language] : undefined;
      const change = { field: `${field}.${language}`, from, to };
      return { change, isSame: from === to, isUnread: !isRecord(shown) };
    });
  }
  const shown = valueAt(record, shownAt[field] ?? [field]);
  const isSame = shown !== undefined && shown === (field === 'group' ? idOf(wanted) : wanted);
  const from = field === 'group' ? (valueAt(record, ['unit_group', 'code']) ?? shown) : shown;
  return [{ change: { field, from, to: wanted }, isSame, isUnread: false }];
}

function titleOf({ name, id }: ServiceRecord): string {
  return typeof name === 'string' ? name : String(id);
}

/** What a record of inventory shows that people set; not whether it is occupied, or what it counts. */
export function shownInventory(kind: InventoryKind, record: ServiceRecord): ServiceRecord {
  const paths = inventoryFields[kind].map(({ name }) => shownAt[name] ?? [shownIn[name] ?? name]);
  const values = [['id'], ...paths].map((path) => [path.join('.'), valueAt(record, path)] as const);
  return Object.fromEntries(
    values.filter(([path, value]) => value !== undefined && path !== 'status.condition'),
  );
}

const shownIn: Readonly<Record<string, string>> = {
  connects: 'connected_units',
  connected: 'connected_unit_groups',
};

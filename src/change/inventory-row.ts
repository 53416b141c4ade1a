import { groupReplacement, patchSteps, withOtherLanguages } from '../model/diff.ts';
import { type InventoryKind, kindTable } from '../model/kinds.ts';
import type { PatchStep } from '../model/patch.ts';
import { groupBy, isRecord, type ServiceRecord, withoutHoles } from '../model/records.ts';
import type { View } from '../service/inventory.ts';
import type { Api } from '../service/service.ts';
import { type ReadBack, readBackVerdict } from '../service/settling.ts';
import type { Item } from './item.ts';
import { idIn, type ListApi, listingOf } from './listing.ts';

/** The part of the service that rows of inventory use. */
export interface InventoryService extends Omit<ListApi, 'properties'> {
  readonly unitGroups: ListApi['unitGroups'] & Pick<Api['unitGroups'], 'create' | 'replace' | 'delete'>;
  readonly units: ListApi['units'] &
    Pick<Api['units'], 'create' | 'createAll' | 'update' | 'updateAll' | 'archive' | 'delete'>;
  readonly unitAttributes: ListApi['unitAttributes'] &
    Pick<Api['unitAttributes'], 'create' | 'update' | 'delete'>;
}

/** The fields that name other records. */
const linked = new Map(
  [...kindTable.unit_group.fields, ...kindTable.unit.fields].flatMap((field) =>
    field.of === undefined ? [] : [[field.name, field] as const],
  ),
);

/**
 * The fields of a manifest as the service names them.
 *
 * @param idOf the id that a name in a field stands for.
 */
export function inventoryBody(
  fields: ServiceRecord,
  idOf: (field: string, name: string) => string,
): ServiceRecord {
  const own = Object.entries(fields).filter(([name]) => !linked.has(name));
  const [home, ...others] = [...linked.values()].map(({ name, sentAs = name, sentUnder = '' }) => {
    const value = fields[name];
    if (Array.isArray(value))
      return [sentAs, value.map((each) => ({ [sentUnder]: idOf(name, String(each)) }))];
    if (typeof value === 'string') return [sentAs, idOf(name, value)];
    const counts = isRecord(value) ? Object.entries(value) : undefined;
    return [sentAs, counts?.map(([each, count]) => ({ [sentUnder]: idOf(name, each), member_count: count }))];
  });
  return withoutHoles(Object.fromEntries([...(home === undefined ? [] : [home]), ...own, ...others]));
}

/** How a record is read before it is deleted, so that the journal has all that creates it again. */
export const wholeViews = {
  unit: { languages: ['all'], expand: ['connectedUnits', 'actions'] },
  unit_group: { languages: ['all'], expand: ['connectedUnitGroups'] },
  unit_attribute: {},
} as const satisfies Record<InventoryKind, View>;

/** Reads a record with all that its change depends on. */
export function readForChange(
  kind: InventoryKind,
  id: string,
  { unitGroups, units, unitAttributes }: Omit<ListApi, 'properties'>,
): Promise<ServiceRecord> {
  if (kind === 'unit_group')
    return unitGroups.read(id, { languages: ['all'], expand: ['connectedUnitGroups'] });
  return kind === 'unit' ? units.readAll(id) : unitAttributes.read(id);
}

/** The steps that make a record what is wanted. */
export function stepsTo(
  kind: InventoryKind,
  record: ServiceRecord,
  wanted: ServiceRecord,
): readonly PatchStep[] {
  return kind === 'unit_group' ? groupReplacement(record, wanted).steps : patchSteps(record, wanted);
}

/**
 * Changes one record to what is wanted. A unit and a group of a file are read right before, because their steps depend on what
 * they are now.
 *
 * @param body what a file wants.
 */
export async function changeInventory(
  kind: InventoryKind,
  id: string,
  { record, wantedFor }: Pick<Item, 'record' | 'wantedFor'>,
  body: ServiceRecord,
  api: InventoryService,
  { verify }: { readonly verify: boolean },
): Promise<ReadBack> {
  const wantedOf = wantedFor ?? ((now: ServiceRecord) => withOtherLanguages(now, body));
  const now = record ?? (kind === 'unit_attribute' ? {} : await readForChange(kind, id, api));
  if (kind === 'unit_group') {
    const { body: whole, steps } = groupReplacement(now, wantedOf(now));
    return api.unitGroups.replace(id, whole, steps, { verify });
  }
  const stepsFor = (each: ServiceRecord) => patchSteps(each, wantedOf(each));
  if (kind === 'unit_attribute') return api.unitAttributes.update(id, stepsFor(now), { verify });
  return api.units.update(id, stepsFor(now), { verify, stepsFor });
}

/** What lists show of units that were changed: texts in one language, so that nothing is said about them. */
export async function readBackUnits(
  items: readonly Item[],
  api: ListApi,
): Promise<ReadonlyMap<Item, ReadBack>> {
  const seen = new Map<Item, ReadBack>();
  for (const [home = '', some] of groupBy(items, ({ record = {} }) => idIn(record['property']))) {
    const stock = await listingOf('unit', home, api);
    for (const item of some) {
      const { id = '', steps, record = {}, wantedFor = () => ({}) } = item;
      const now = { ...stock.withId(id), description: record['description'] };
      const left = stock.withId(id) === undefined ? steps : patchSteps(now, wantedFor(now));
      const paths = left.map(({ path }) => path);
      const different = paths.filter((path) => path !== '/description');
      const unseen = paths.filter((path) => path === '/description');
      seen.set(item, readBackVerdict({ different, unseen }));
    }
  }
  return seen;
}

import { isRecord, type ServiceRecord } from '../model/records.ts';
import { sameName } from '../model/text.ts';
import { readWhole } from '../service/paging.ts';
import type { Api } from '../service/service.ts';
import type { InventoryKind } from './entry.ts';
import { severalOf } from './kind.ts';
import { bareCode, usableId } from './property-index.ts';

/** The part of the service that lists what properties rent out. */
export interface StockApi {
  readonly unitGroups: Pick<Api['unitGroups'], 'listAll' | 'read' | 'readAll'>;
  readonly units: Pick<Api['units'], 'listAll' | 'read' | 'readAll'>;
  readonly unitAttributes: Pick<Api['unitAttributes'], 'listAll' | 'read'>;
}

/** All records of one kind: of one property, or the attributes of the account. */
export type Stock = Awaited<ReturnType<typeof readStock>>;

/**
 * Lists all records of a kind, archived units too.
 *
 * @param property the id of the property; no matter for attributes.
 */
export async function readStock(kind: InventoryKind, property: string, api: StockApi) {
  const byName = new Map<string, ServiceRecord[]>();
  const byId = new Map<string, ServiceRecord>();
  const doubt = await readWhole(pagesOf(kind, property, api), severalOf(kind), (record) => {
    const [name, id] = [calledOf(kind, record), usableId(record['id'])];
    if (id !== undefined) byId.set(id, record);
    if (name === undefined) return;
    const alike = byName.get(sameName(name)) ?? [];
    alike.push(record);
    byName.set(sameName(name), alike);
  });
  return {
    /** The records with a name, or code: exact matches, or else those in another case. */
    withName(name: string): readonly ServiceRecord[] {
      const alike = byName.get(sameName(name)) ?? [];
      const exact = alike.filter((record) => bareCode(calledOf(kind, record) ?? '') === bareCode(name));
      return exact.length > 0 ? exact : alike;
    },
    withId: (id: string) => byId.get(id),
    records: () => [...byId.values()],
    /** For suggestions. */
    names: () =>
      [...byName.values()].flatMap((records) => records.flatMap((each) => calledOf(kind, each) ?? [])),
    /** Why a record that is not there may still exist, as a clause. */
    doubt,
  };
}

function pagesOf(kind: InventoryKind, property: string, api: StockApi) {
  if (kind === 'unit_attribute') return api.unitAttributes.listAll();
  const filter = { property_id: property };
  if (kind === 'unit_group') return api.unitGroups.listAll({ ...filter, expand: ['connectedUnitGroups'] });
  return api.units.listAll({ ...filter, status: 'All', expand: ['unitGroup', 'connectedUnits'] });
}

/** What people call a record of a kind: its code or name; `undefined` if it is not shown. */
export function calledOf(kind: InventoryKind, { code, name }: ServiceRecord): string | undefined {
  const shown = kind === 'unit_group' ? code : name;
  return typeof shown === 'string' && shown.trim() !== '' ? shown : undefined;
}

/** Whether a unit can no longer be used. */
export function isArchived({ is_archived: isMarked, archived }: ServiceRecord): boolean {
  return isMarked === true || typeof archived === 'string';
}

/** The id inside a record that another one shows: `unit_group: { id }`. */
export function idIn(value: unknown): string | undefined {
  return isRecord(value) ? usableId(value['id']) : undefined;
}

/** Reads each stock once. */
export function createStocks(api: StockApi) {
  const known = new Map<string, Promise<Stock>>();
  const groups = new Map<string, Promise<ServiceRecord>>();
  return {
    of: (kind: InventoryKind, property: string): Promise<Stock> =>
      onceFor(kind === 'unit_attribute' ? kind : `${kind}:${property}`, known, () =>
        readStock(kind, property, api),
      ),
    /** A unit group with its texts in every language. */
    group: (id: string): Promise<ServiceRecord> => onceFor(id, groups, () => api.unitGroups.readAll(id)),
  };
}

function onceFor<Found>(key: string, known: Map<string, Promise<Found>>, read: () => Promise<Found>) {
  const reading = known.get(key) ?? read();
  known.set(key, reading);
  // A failure is met where it is used.
  reading.catch(() => {});
  return reading;
}

export type Stocks = ReturnType<typeof createStocks>;

import { groupReplacement, unitSteps, withOtherLanguages } from '../model/inventory-diff.ts';
import type { PatchStep } from '../model/patch.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../model/records.ts';
import type { Api } from '../service/service.ts';
import type { ReadBack } from '../service/settling.ts';
import type { InventoryKind } from './entry.ts';
import type { StockApi } from './stock.ts';

/** The part of the service that rows of inventory use. */
export interface InventoryService extends StockApi {
  readonly unitGroups: StockApi['unitGroups'] & Pick<Api['unitGroups'], 'create' | 'replace' | 'delete'>;
  readonly units: StockApi['units'] & Pick<Api['units'], 'create' | 'createAll' | 'update' | 'delete'>;
  readonly unitAttributes: StockApi['unitAttributes'] &
    Pick<Api['unitAttributes'], 'create' | 'update' | 'delete'>;
}

/**
 * The fields of a manifest as the service names them.
 *
 * @param idOf the id that a name in a field stands for.
 */
export function inventoryBody(
  { property, group, attributes, connects, connected, ...others }: ServiceRecord,
  idOf: (field: string, name: string) => string,
): ServiceRecord {
  const one = (field: string, name: unknown) => (typeof name === 'string' ? idOf(field, name) : undefined);
  const many = (field: string, names: unknown) =>
    Array.isArray(names) ? names.map((name) => idOf(field, String(name))) : undefined;
  return withoutHoles({
    property_id: one('property', property),
    ...others,
    unit_group_id: one('group', group),
    attributes: many('attributes', attributes)?.map((id) => ({ id })),
    connected_units: many('connects', connects)?.map((id) => ({ unit_id: id })),
    connected_unit_groups: isRecord(connected)
      ? Object.entries(connected).map(([name, count]) => ({
          unit_group_id: idOf('connected', name),
          member_count: count,
        }))
      : undefined,
  });
}

const WHOLE_GROUP = { languages: ['all'], expand: ['connectedUnitGroups'] };

/**
 * Changes one record to what a body says. A unit and a group are read right before, because their steps depend on what they
 * are now.
 */
export async function changeInventory(
  kind: InventoryKind,
  id: string,
  wanted: ServiceRecord,
  { unitGroups, units, unitAttributes }: InventoryService,
  { verify }: { readonly verify: boolean },
): Promise<ReadBack> {
  if (kind === 'unit_attribute') return unitAttributes.update(id, replacing(wanted), { verify });
  if (kind === 'unit_group') {
    const group = await unitGroups.read(id, WHOLE_GROUP);
    const { body, steps } = groupReplacement(group, withOtherLanguages(group, wanted));
    return unitGroups.replace(id, body, steps, { verify });
  }
  const stepsFor = (unit: ServiceRecord) => unitSteps(unit, withOtherLanguages(unit, wanted));
  return units.update(id, stepsFor(await units.readAll(id)), { verify, stepsFor });
}

function replacing(wanted: ServiceRecord): readonly PatchStep[] {
  return Object.entries(wanted).map(([field, value]) => ({ op: 'replace', path: `/${field}`, value }));
}

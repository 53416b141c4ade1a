import type { Call, Outcome } from './call.ts';
import { answerOnce } from './idempotency.ts';
import { countedTo, nextNumber } from './ids.ts';
import { newRecord } from './properties.ts';
import { requireAction } from './property-actions.ts';
import { parseNewProperty } from './property-schema.ts';
import type { Change, Records, UnitRecord } from './records.ts';
import { existing } from './refusal.ts';
import { groupIdOf, groupsIn } from './unit-groups.ts';
import { unitIdOf, unitsIn } from './units.ts';

/** A new property in status Test with the groups and units of another one, but for archived units. Keys as for `createProperty`. */
export function cloneProperty(call: Call<'cloneProperty'>): Outcome {
  const { records, path } = call;
  const source = existing(records.properties, 'property', path.id);
  const fields = parseNewProperty(call.body, call.dialect);
  return answerOnce(call, { source: source.id, ...fields }, () => {
    const { id, ...record } = newRecord(fields, call);
    return {
      status: 201,
      body: { id },
      headers: { location: `/inventory/v1/properties/${id}` },
      changes: [
        { put: ['properties', id, { id, ...record, property_template_id: source.id }] },
        ...copied(source.id, id, record.created, records),
      ],
    };
  });
}

/** Of a property in status Test. Cannot be undone. */
export function setPropertyLive({ records, path }: Call<'setPropertyLive'>): Outcome {
  const property = existing(records.properties, 'property', path.id);
  requireAction('SetLive', property);
  return { status: 204, changes: [{ put: ['properties', property.id, { ...property, status: 'Live' }] }] };
}

/** Of a live property. Cannot be undone. */
export function archiveProperty({ records, path }: Call<'archiveProperty'>): Outcome {
  const property = existing(records.properties, 'property', path.id);
  requireAction('Archive', property);
  return { status: 204, changes: [{ put: ['properties', property.id, { ...property, is_archived: true }] }] };
}

/** Of a property in status Test: what guests left in its units is gone. */
export function resetProperty({ records, path }: Call<'resetProperty'>): Outcome {
  const property = existing(records.properties, 'property', path.id);
  requireAction('Reset', property);
  const changes = unitsIn(records, property.id).map((unit): Change => {
    return { put: ['units', unit.id, fresh(unit)] };
  });
  return { status: 204, changes };
}

/** Copies for another property, with new ids. Attributes belong to the account. */
function copied(from: string, to: string, created: string, records: Records): readonly Change[] {
  const groupId = new Map(groupsIn(records, from).map(({ id, code }) => [id, groupIdOf(to, code)]));
  const active = unitsIn(records, from).filter(({ archived }) => archived === undefined);
  const first = nextNumber(records);
  const unitId = new Map(active.map(({ id }, index) => [id, unitIdOf(to, first + index)]));
  const idIn = (ids: ReadonlyMap<string, string>, id: string) => ids.get(id) ?? id;
  const groups = groupsIn(records, from).map((group): Change => {
    const { connected_unit_groups: parts } = group;
    const connected = parts?.map((part) => ({ ...part, unit_group_id: idIn(groupId, part.unit_group_id) }));
    const id = idIn(groupId, group.id);
    const copy = { ...group, ...{ id, property_id: to, created } };
    return {
      put: [
        'unit_groups',
        id,
        connected === undefined ? copy : { ...copy, connected_unit_groups: connected },
      ],
    };
  });
  const units = active.map((unit): Change => {
    const id = idIn(unitId, unit.id);
    const { unit_group_id: group } = unit;
    const copy: UnitRecord = {
      ...fresh(unit),
      ...{ id, property_id: to, created },
      ...(group === undefined ? {} : { unit_group_id: idIn(groupId, group) }),
      connected_units: unit.connected_units.map((part) => idIn(unitId, part)),
    };
    return { put: ['units', id, copy] };
  });
  return [...groups, ...units, countedTo(first + active.length)];
}

/** A unit that no guest has used. */
function fresh({ maintenance: _, ...unit }: UnitRecord): UnitRecord {
  return { ...unit, condition: 'Clean', is_occupied: false, is_referenced: false };
}

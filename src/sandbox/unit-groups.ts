import type { Call, Outcome } from './call.ts';
import { answerOnce } from './idempotency.ts';
import { newGroup, replacedGroup } from './inventory-schema.ts';
import type { ConnectedGroup, Records, UnitGroupRecord } from './records.ts';
import { check, existing, INVENTORY_PAGE, listParameter, pageOf, refusal, taken, wrong } from './refusal.ts';
import { embeddedProperty, inLanguages, oneText } from './texts.ts';

/** Filters: property_id, unit_group_types. A property that does not exist has no groups. */
export function listUnitGroups({ records, query }: Call<'listUnitGroups'>): Outcome {
  const found = [...records.unit_groups.values()].filter(filterOf(query));
  const items = pageOf(found, query, INVENTORY_PAGE).map((group) => ({
    ...viewOf(group, records, listParameter(query, 'expand')),
    ...{ name: oneText(group.name), description: oneText(group.description) },
  }));
  return { status: 200, body: { count: found.length, items } };
}

/** The same filters as the list. */
export function countUnitGroups({ records, query }: Call<'countUnitGroups'>): Outcome {
  return { status: 200, body: [...records.unit_groups.values()].filter(filterOf(query)).length };
}

/** 200 or 404, without a body. */
export function unitGroupExists({ records, path }: Call<'unitGroupExists'>): Outcome {
  existing(records.unit_groups, 'unit group', path.id);
  return { status: 200 };
}

/** One group with its texts in the languages asked for. */
export function getUnitGroup({ records, path, query }: Call<'getUnitGroup'>): Outcome {
  const group = existing(records.unit_groups, 'unit group', path.id);
  const languages = listParameter(query, 'languages');
  const body = {
    ...viewOf(group, records, listParameter(query, 'expand')),
    name: inLanguages(group.name, languages),
    description: inLanguages(group.description, languages),
  };
  return { status: 200, body };
}

/** The id is that of the property and the code. With an `Idempotency-Key` a repetition creates nothing. */
export function createUnitGroup(call: Call<'createUnitGroup'>): Outcome {
  const { records } = call;
  const fields = check(newGroup, call.body);
  return answerOnce(call, fields, () => {
    const { rank, type, connected_unit_groups: connected, ...given } = fields;
    if (!records.properties.has(given.property_id))
      throw wrong('property_id', `there is no property ${JSON.stringify(given.property_id)}`);
    const id = groupIdOf(given.property_id, given.code);
    if (records.unit_groups.has(id)) throw taken('code', `There is a unit group ${id} already.`);
    requireGroups(connected ?? [], given.property_id, records);
    const group: UnitGroupRecord = {
      id,
      ...given,
      type: type ?? 'BedRoom',
      ...(typeof rank === 'number' ? { rank } : {}),
      ...(connected ? { connected_unit_groups: connected } : {}),
      created: new Date(call.now).toISOString(),
    };
    return {
      status: 201,
      body: { id },
      headers: { location: `/inventory/v1/unit-groups/${id}` },
      changes: [{ put: ['unit_groups', id, group] }],
    };
  });
}

/**
 * Replaces what can change. A rank that is not given is removed. The composition is fixed after creation: it may be left out,
 * or given as it is.
 */
export function replaceUnitGroup({ records, path, body }: Call<'replaceUnitGroup'>): Outcome {
  const { rank: _, ...group } = existing(records.unit_groups, 'unit group', path.id);
  const { rank, connected_unit_groups: connected, ...fields } = check(replacedGroup, body);
  if (connected && compositionOf(connected) !== compositionOf(group.connected_unit_groups ?? []))
    throw wrong('connected_unit_groups', 'is fixed after creation');
  const changed = { ...group, ...fields, ...(typeof rank === 'number' ? { rank } : {}) };
  return { status: 204, changes: [{ put: ['unit_groups', path.id, changed] }] };
}

/** Refused while there are units in the group, archived ones too, or another group is made of it. */
export function deleteUnitGroup({ records, path }: Call<'deleteUnitGroup'>): Outcome {
  const { id } = existing(records.unit_groups, 'unit group', path.id);
  const units = [...records.units.values()].filter(({ unit_group_id: group }) => group === id);
  if (units.length > 0)
    throw refusal(
      422,
      'group_in_use',
      `The unit group ${id} cannot be deleted; units in it: ${units.length}.`,
    );
  const whole = [...records.unit_groups.values()].find(({ connected_unit_groups: parts = [] }) =>
    parts.some((part) => part.unit_group_id === id),
  );
  if (whole !== undefined)
    throw refusal(422, 'group_in_use', `The unit group ${id} cannot be deleted: ${whole.id} is made of it.`);
  return { status: 204, changes: [{ delete: ['unit_groups', id] }] };
}

/** The id of a group, as `BER-DBL`. */
export function groupIdOf(propertyId: string, code: string): string {
  return `${propertyId}-${code.toUpperCase()}`;
}

/** The groups of a property, oldest first. */
export function groupsIn({ unit_groups: groups }: Records, propertyId: string): readonly UnitGroupRecord[] {
  return [...groups.values()].filter((group) => group.property_id === propertyId);
}

/** How many units a group has, without those that are archived. */
export function memberCountOf({ id }: UnitGroupRecord, { units }: Records): number {
  return [...units.values()].filter((unit) => unit.unit_group_id === id && unit.archived === undefined)
    .length;
}

function filterOf(query: URLSearchParams): (group: UnitGroupRecord) => boolean {
  const propertyId = query.get('property_id');
  const types = listParameter(query, 'unit_group_types');
  return (group) =>
    (propertyId === null || group.property_id === propertyId) &&
    (types.length === 0 || types.includes(group.type));
}

/** What a group shows besides its texts. Without `expand` a property is its id alone, and connected groups are not shown. */
function viewOf(group: UnitGroupRecord, records: Records, expand: readonly string[]) {
  const { property_id: propertyId, connected_unit_groups: connected = [], created: _, ...shown } = group;
  const property = expand.includes('property') ? records.properties.get(propertyId) : undefined;
  return {
    ...shown,
    member_count: memberCountOf(group, records),
    property: property === undefined ? { id: propertyId } : embeddedProperty(property),
    ...(expand.includes('connectedUnitGroups')
      ? { connected_unit_groups: connected.map((part) => connectedView(part, records)) }
      : {}),
  };
}

function connectedView({ unit_group_id: id, member_count }: ConnectedGroup, records: Records) {
  const { name, description, max_persons } = existing(records.unit_groups, 'unit group', id);
  return { id, name: oneText(name), description: oneText(description), member_count, max_persons };
}

/** @throws {Refusal} 422 of a group that is not of this property, or is named twice. */
function requireGroups(parts: readonly ConnectedGroup[], propertyId: string, records: Records): void {
  const seen = new Set<string>();
  for (const { unit_group_id: id } of parts) {
    if (records.unit_groups.get(id)?.property_id !== propertyId)
      throw wrong('connected_unit_groups', `${propertyId} has no unit group ${JSON.stringify(id)}`);
    if (seen.has(id)) throw wrong('connected_unit_groups', `${id} is named twice`);
    seen.add(id);
  }
}

function compositionOf(parts: readonly ConnectedGroup[]): string {
  return JSON.stringify(parts.map((part) => [part.unit_group_id, part.member_count]).sort());
}

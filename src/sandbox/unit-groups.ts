import type { Handlers } from './call.ts';
import type { ConnectedGroup, Records, UnitGroupRecord } from './records.ts';
import { check, existing, isAmong, listParameter, refusal, taken, wrong } from './refusal.ts';
import { answerOnce, changed, created, deleted, existsIn, listed, recordAt } from './resource.ts';
import { newGroup, replacedGroup } from './schemas.ts';
import { embeddedProperty, inLanguages, oneText } from './views.ts';

/** The operations on unit groups. */
export const unitGroupHandlers = {
  /** Filters: property_id, unit_group_types. A property that does not exist has no groups. */
  listUnitGroups: ({ records, query }) =>
    listed(found(records, query), query, (group) => ({
      ...viewOf(group, records, listParameter(query, 'expand')),
      ...{ name: oneText(group.name), description: oneText(group.description) },
    })),
  /** The same filters as the list. */
  countUnitGroups: ({ records, query }) => ({ status: 200, body: found(records, query).length }),
  unitGroupExists: existsIn('unit_groups'),
  /** One group with its texts in the languages asked for. */
  getUnitGroup: (call) => {
    const group = recordAt('unit_groups', call);
    const languages = listParameter(call.query, 'languages');
    const body = {
      ...viewOf(group, call.records, listParameter(call.query, 'expand')),
      name: inLanguages(group.name, languages),
      description: inLanguages(group.description, languages),
    };
    return { status: 200, body };
  },
  /** The id is that of the property and the code. With an `Idempotency-Key` a repetition creates nothing. */
  createUnitGroup: (call) => {
    const { records } = call;
    const fields = check(newGroup, call.body);
    return answerOnce(call, fields, () => {
      const { rank, type, connected_unit_groups: connected, ...given } = fields;
      if (!records.properties.has(given.property_id))
        throw wrong('property_id', `there is no property ${JSON.stringify(given.property_id)}`);
      const id = groupIdOf(given.property_id, given.code);
      if (records.unit_groups.has(id)) throw taken('code', `There is a unit group ${id} already.`);
      requireGroups(connected ?? [], given.property_id, records);
      return created('unit_groups', {
        id,
        ...given,
        type: type ?? 'BedRoom',
        ...(typeof rank === 'number' ? { rank } : {}),
        ...(connected ? { connected_unit_groups: connected } : {}),
        created: new Date(call.now).toISOString(),
      });
    });
  },
  /**
   * Replaces what can change. A rank that is not given is removed. The composition is fixed after creation: it may be left
   * out, or given as it is.
   */
  replaceUnitGroup: (call) => {
    const { rank: _, ...group } = recordAt('unit_groups', call);
    const { rank, connected_unit_groups: connected, ...fields } = check(replacedGroup, call.body);
    if (connected && compositionOf(connected) !== compositionOf(group.connected_unit_groups ?? []))
      throw wrong('connected_unit_groups', 'is fixed after creation');
    return changed('unit_groups', { ...group, ...fields, ...(typeof rank === 'number' ? { rank } : {}) });
  },
  /** Refused while there are units in the group, archived ones too, or another group is made of it. */
  deleteUnitGroup: (call) => {
    const { id } = recordAt('unit_groups', call);
    const { units, unit_groups: groups } = call.records;
    const members = [...units.values()].filter(({ unit_group_id: group }) => group === id);
    const whole = [...groups.values()].find(({ connected_unit_groups: parts = [] }) =>
      parts.some((part) => part.unit_group_id === id),
    );
    if (members.length === 0 && whole === undefined) return deleted('unit_groups', id);
    const why = members.length > 0 ? `; units in it: ${members.length}.` : `: ${whole?.id} is made of it.`;
    throw refusal(422, 'group_in_use', `The unit group ${id} cannot be deleted${why}`);
  },
} satisfies Partial<Handlers>;

/** The id of a group, as `BER-DBL`. */
export function groupIdOf(propertyId: string, code: string): string {
  return `${propertyId}-${code.toUpperCase()}`;
}

/** How many units a group has, without those that are archived. */
export function memberCountOf({ id }: UnitGroupRecord, { units }: Records): number {
  return [...units.values()].filter((unit) => unit.unit_group_id === id && unit.archived === undefined)
    .length;
}

function found({ unit_groups: groups }: Records, query: URLSearchParams): readonly UnitGroupRecord[] {
  const propertyId = query.get('property_id');
  const types = listParameter(query, 'unit_group_types');
  return [...groups.values()].filter(
    (group) => (propertyId === null || group.property_id === propertyId) && isAmong(types, group.type),
  );
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

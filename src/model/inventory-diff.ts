import { isDeepStrictEqual } from 'node:util';
import type { PatchStep } from './patch.ts';
import { isRecord, recordsIn, type ServiceRecord, withoutHoles } from './records.ts';

/**
 * The steps that make a unit what is wanted: none for what it is already. Attributes are added and removed one by one, as
 * the service documents no other way.
 *
 * @param unit read in every language.
 * @param wanted fields of the body that creates a unit; a list of attributes is complete.
 */
export function unitSteps(unit: ServiceRecord, wanted: ServiceRecord): readonly PatchStep[] {
  const { status, unit_group: group } = unit;
  const shown: ServiceRecord = {
    ...unit,
    condition: isRecord(status) ? status['condition'] : undefined,
    unit_group_id: isRecord(group) ? group['id'] : undefined,
  };
  return Object.entries(wanted).flatMap(([field, value]): readonly PatchStep[] => {
    if (field === 'attributes') return attributeSteps(idsIn(unit['attributes']), idsIn(value));
    const to = withOtherLanguages(shown[field], value);
    if (isDeepStrictEqual(shown[field], to)) return [];
    return [{ op: 'replace', path: `/${field}`, value: to }];
  });
}

/** From the last one on, so that the places of the others stay. */
function attributeSteps(from: readonly unknown[], to: readonly unknown[]): readonly PatchStep[] {
  const places = [...from.keys()].filter((place) => !to.includes(from[place])).reverse();
  const removals = places.map((place): PatchStep => ({ op: 'remove', path: `/attributes/${place}` }));
  const added = to.filter((id) => !from.includes(id));
  return [
    ...removals,
    ...added.map((id): PatchStep => ({ op: 'add', path: '/attributes/-', value: { id } })),
  ];
}

function idsIn(list: unknown): readonly unknown[] {
  return recordsIn(list).map(({ id }) => id);
}

/** Languages that are not wanted stay as they are. */
function withOtherLanguages(shown: unknown, wanted: unknown): unknown {
  return isRecord(shown) && isRecord(wanted) ? { ...shown, ...wanted } : wanted;
}

/**
 * The body that replaces a unit group: what is wanted, and of the rest what it is now. What a group is made of is fixed, and
 * sent as it is.
 *
 * @param group read in every language.
 */
export function replacedGroup(group: ServiceRecord, wanted: ServiceRecord): ServiceRecord {
  const { name, description, max_persons, rank, connected_unit_groups: connected } = group;
  const now: ServiceRecord = { name, description, max_persons, rank };
  const changed = Object.entries(wanted).map(([field, to]) => [field, withOtherLanguages(now[field], to)]);
  const parts = recordsIn(connected).map(({ id, member_count }) => ({ unit_group_id: id, member_count }));
  return withoutHoles({
    ...now,
    ...Object.fromEntries(changed),
    connected_unit_groups: parts.length === 0 ? undefined : parts,
  });
}

import type { Records, UnitRecord } from './records.ts';
import type { Detail } from './refusal.ts';

/** The unit, not archived, that another one is part of. */
export function wholeOf(id: string, { units }: Records): UnitRecord | undefined {
  return [...units.values()].find(
    ({ connected_units: parts, archived }) => archived === undefined && parts.includes(id),
  );
}

/**
 * What is wrong with the records that a unit refers to.
 *
 * @param taken ids of units that others of the same request are made of.
 */
export function problemsOf(
  unit: UnitRecord,
  records: Records,
  taken: readonly string[] = [],
): readonly Detail[] {
  const { property_id: propertyId, unit_group_id: groupId } = unit;
  if (!records.properties.has(propertyId))
    return [{ field: 'property_id', reason: `there is no property ${JSON.stringify(propertyId)}` }];
  const hasGroup = groupId === undefined || records.unit_groups.get(groupId)?.property_id === propertyId;
  return [
    ...(hasGroup
      ? []
      : [{ field: 'unit_group_id', reason: `${propertyId} has no unit group ${JSON.stringify(groupId)}` }]),
    ...unit.attributes
      .filter((id) => !records.unit_attributes.has(id))
      .map((id) => ({ field: 'attributes', reason: `there is no unit attribute ${JSON.stringify(id)}` })),
    ...unit.connected_units.flatMap((id, index) => {
      const before = [...taken, ...unit.connected_units.slice(0, index)];
      const reason = partProblem(id, unit, records, before);
      return reason === undefined ? [] : [{ field: 'connected_units', reason }];
    }),
  ];
}

/** Why a unit cannot be part of another one. A part is shown with its group, so it needs one. */
function partProblem(id: string, whole: UnitRecord, records: Records, taken: readonly string[]) {
  const part = records.units.get(id);
  if (part?.property_id !== whole.property_id)
    return `${whole.property_id} has no unit ${JSON.stringify(id)}`;
  if (part.archived !== undefined) return `${id} is archived`;
  if (part.unit_group_id === undefined) return `${id} is in no unit group`;
  const other = wholeOf(id, records);
  if (taken.includes(id) || (other !== undefined && other.id !== whole.id))
    return `${id} is part of another unit`;
  return undefined;
}

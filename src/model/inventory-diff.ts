import { isDeepStrictEqual } from 'node:util';
import { differencesBetween, stepOf } from './diff.ts';
import { camelCase } from './fields.ts';
import { kindTable } from './kinds.ts';
import type { PatchStep } from './patch.ts';
import { isRecord, recordsIn, type ServiceRecord, valueAt, withoutHoles } from './records.ts';

/**
 * The steps that make a unit or a unit attribute what is wanted: none for what it is already. Attributes of a unit are added and
 * removed one by one, as the service documents no other way.
 *
 * @param record read in every language.
 * @param wanted fields of the body that creates it; texts and lists are whole, `undefined` removes a field.
 */
export function patchSteps(record: ServiceRecord, wanted: ServiceRecord): readonly PatchStep[] {
  const shown = asWritten(record);
  return Object.entries(wanted).flatMap(([field, value]): readonly PatchStep[] => {
    if (field === 'attributes') return attributeSteps(idsIn(record[field]), idsIn(value));
    if (isDeepStrictEqual(shown[field] ?? undefined, value)) return [];
    const path = `/${camelCase(field)}`;
    return [value === undefined ? { op: 'remove', path } : { op: 'replace', path, value }];
  });
}

/** A unit with the fields that its patches name. */
export function asWritten(unit: ServiceRecord): ServiceRecord {
  const elsewhere = kindTable.unit.fields.flatMap(({ name, sentAs = name, shownAt, isFixed, type }) =>
    shownAt === undefined || isFixed || type === 'list' ? [] : [[sentAs, valueAt(unit, shownAt)] as const],
  );
  return { ...unit, ...Object.fromEntries(elsewhere) };
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

/** The ids of the records in a list, such as the attributes of a unit. */
export function idsIn(list: unknown): readonly unknown[] {
  return recordsIn(list).map(({ id }) => id);
}

/** Wanted fields, with the languages of texts that are not wanted as they are; those wanted as `undefined` go. */
export function withOtherLanguages(shown: ServiceRecord, wanted: ServiceRecord): ServiceRecord {
  const whole = Object.entries(wanted).map(([field, to]) => {
    const from = shown[field];
    return [field, isRecord(to) ? withoutHoles({ ...(isRecord(from) ? from : {}), ...to }) : to];
  });
  return Object.fromEntries(whole);
}

/**
 * The body that replaces a unit group: what is wanted, and of the rest what it is now; and the steps from one to the other.
 * What a group is made of is fixed, and sent as it is.
 *
 * @param group read in every language.
 * @param wanted texts are whole; `undefined` removes a field.
 */
export function groupReplacement(group: ServiceRecord, wanted: ServiceRecord) {
  const kept = kindTable.unit_group.fields.filter(({ isFixed }) => isFixed !== true);
  const parts = recordsIn(group['connected_unit_groups']).map(({ id: unit_group_id, member_count }) => {
    return { unit_group_id, member_count };
  });
  const now: ServiceRecord = withoutHoles({
    ...Object.fromEntries(kept.map(({ name }) => [name, group[name] ?? undefined])),
    connected_unit_groups: parts.length === 0 ? undefined : parts,
  });
  const body: ServiceRecord = withoutHoles({ ...now, ...wanted });
  const steps = differencesBetween(now, body).map((each) => stepOf(each));
  return { body, steps };
}

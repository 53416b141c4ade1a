import { isDeepStrictEqual } from 'node:util';
import { camelCase, camelCasePath } from './fields.ts';
import { fieldOf, type Kind, kindTable } from './kinds.ts';
import { includes, type PatchStep, pointerTo } from './patch.ts';
import { isRecord, recordsIn, type ServiceRecord, valueAt, withoutHoles } from './records.ts';

/** Names that lead from a record to a value in it, known names in snake_case. */
export type FieldPath = readonly string[];

/**
 * What a record shows of one wanted value.
 *
 * - `missing`: it is not set.
 * - `removed`: it is shown, and not wanted.
 */
export interface Difference {
  readonly path: FieldPath;
  /** What is shown, or `undefined`. */
  readonly from: unknown;
  /** What is wanted; `undefined` if `removed`. */
  readonly to: unknown;
  readonly state: 'same' | 'different' | 'missing' | 'removed';
}

/**
 * Compares a record with some wanted values, one by one. Other fields and languages are ignored.
 *
 * @param shown its known fields in snake_case, as in `wanted`.
 */
export function compareWanted(
  wanted: ServiceRecord,
  shown: unknown,
  above: FieldPath = [],
): readonly Difference[] {
  return Object.entries(wanted).flatMap(([name, to]): readonly Difference[] => {
    const path = [...above, name];
    const from = isRecord(shown) && Object.hasOwn(shown, name) ? shown[name] : undefined;
    if (from === undefined || from === null)
      return [{ path, from, to, state: includes(from, to) ? 'same' : 'missing' }];
    if (isRecord(to) && Object.keys(to).length > 0) return compareWanted(to, from, path);
    return [{ path, from, to, state: showsValue(from, to) ? 'same' : 'different' }];
  });
}

/** A service may show a text of digits as a number. */
function showsValue(from: unknown, to: unknown): boolean {
  return includes(typeof from === 'number' && typeof to === 'string' ? String(from) : from, to);
}

/**
 * The differences between two whole records: one for each value, and for each language. A list is one value. The order of
 * fields does not matter.
 */
export function differencesBetween(
  before: ServiceRecord,
  after: ServiceRecord,
  above: FieldPath = [],
): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): readonly Difference[] => {
    const path = [...above, name];
    const from = Object.hasOwn(before, name) ? before[name] : undefined;
    if (!Object.hasOwn(after, name)) return [{ path, from, to: undefined, state: 'removed' }];
    const to = after[name];
    if (isRecord(from) && isRecord(to)) return differencesBetween(from, to, path);
    if (isDeepStrictEqual(from, to)) return [];
    return [{ path, from, to, state: from === undefined || from === null ? 'missing' : 'different' }];
  });
}

/** The steps that set fields of a user. */
export function userSteps(wanted: ServiceRecord): readonly PatchStep[] {
  return Object.entries(wanted).map(([field, to]) =>
    stepOf({ path: [field], from: undefined, to, state: 'different' }, 'user'),
  );
}

/** The step that sets the wanted value, at the path of the contract. @param kind default: one that is written as it is shown. */
export function stepOf({ path, to, state }: Difference, kind?: Kind): PatchStep {
  const at = pointerTo(...camelCasePath(path));
  if (state === 'removed') return { op: 'remove', path: at };
  const { type, patchedBy } = (kind && fieldOf(kind, path.join('.'))) ?? {};
  const value = type === 'list' && Array.isArray(to) ? [...new Set(to)] : to;
  return { op: patchedBy ?? (state === 'missing' ? 'add' : 'replace'), path: at, value };
}

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

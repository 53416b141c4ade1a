import { isDeepStrictEqual } from 'node:util';
import { camelCasePath } from './fields.ts';
import { includes, type PatchStep, pointerTo } from './patch.ts';
import { languageMaps, timeFields } from './property-fields.ts';
import { isRecord, isSameSet, type ServiceRecord } from './records.ts';

/** Names that lead from a record to a value in it, known names in snake_case. */
export type FieldPath = readonly string[];

/**
 * What a record shows of one value that is wanted.
 *
 * - `missing`: the record shows what is around it, and nothing in its place.
 * - `removed`: it is shown, and not wanted.
 * - `unread`: the record does not show it.
 */
export interface Difference {
  readonly path: FieldPath;
  /** What is shown; `undefined` where nothing is. */
  readonly from: unknown;
  /** What is wanted; `undefined` where it is `removed`. */
  readonly to: unknown;
  readonly state: 'same' | 'different' | 'missing' | 'removed' | 'unread';
}

/** How records of one kind are compared and written. Fields are named with dots between names. */
export interface DiffSpec {
  /** Fields with a text for each language. A language that a shown map lacks is not there. */
  readonly languageMaps: ReadonlySet<string>;
  /** Fields whose lists are sets. */
  readonly sets: ReadonlySet<string>;
  /** Fields that are written with one operation, whatever is shown. */
  readonly operations: ReadonlyMap<string, 'add' | 'replace'>;
}

/** Times of day may be there although no service shows them, so that they are replaced. */
export const propertySpec: DiffSpec = {
  languageMaps,
  sets: new Set(),
  operations: new Map(timeFields.map((field) => [field, 'replace'])),
};

/** The contract shows `add` for the properties of a user, which sets all of them, and `replace` for the rest. */
export const userSpec: DiffSpec = {
  languageMaps: new Set(),
  sets: new Set(['properties']),
  operations: new Map([
    ['enabled', 'replace'],
    ['properties', 'add'],
    ['first_name', 'replace'],
    ['last_name', 'replace'],
    ['is_account_admin', 'replace'],
  ]),
};

/**
 * Compares a record with some wanted values, one by one. Fields and languages that are not wanted are ignored.
 *
 * @param shown its known fields in snake_case, as in `wanted`.
 * @param shownIfSet fields that have no value where they are not shown.
 */
export function compareWanted(
  wanted: ServiceRecord,
  shown: unknown,
  spec: DiffSpec,
  shownIfSet: ReadonlySet<string> = new Set(),
  above: FieldPath = [],
): readonly Difference[] {
  return Object.entries(wanted).flatMap(([name, to]) => {
    const path = [...above, name];
    const field = path.join('.');
    const isShown = isRecord(shown) && Object.hasOwn(shown, name);
    const from = isShown ? shown[name] : undefined;
    if (from === null || (!isShown && isRecord(shown) && shownIfSet.has(field)))
      return { path, from, to, state: 'missing' };
    if (isRecord(to) && Object.keys(to).length > 0) return compareWanted(to, from, spec, shownIfSet, path);
    const isLanguage = path.length === 2 && spec.languageMaps.has(path[0] ?? '');
    if (!isShown) return { path, from, to, state: isLanguage && isRecord(shown) ? 'missing' : 'unread' };
    return { path, from, to, state: showsValue(from, to) ? 'same' : 'different' };
  });
}

/** A service may show a number where a text of the same digits was sent. */
function showsValue(from: unknown, to: unknown): boolean {
  return includes(typeof from === 'number' && typeof to === 'string' ? String(from) : from, to);
}

/**
 * The fewest differences between two whole records: one for each value, and for each language. A list is one value. The
 * order of fields does not matter.
 */
export function differencesBetween(
  before: ServiceRecord,
  after: ServiceRecord,
  spec: DiffSpec,
  above: FieldPath = [],
): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): readonly Difference[] => {
    const path = [...above, name];
    const from = Object.hasOwn(before, name) ? before[name] : undefined;
    if (!Object.hasOwn(after, name)) return [{ path, from, to: undefined, state: 'removed' }];
    const to = after[name];
    if (isRecord(from) && isRecord(to)) return differencesBetween(from, to, spec, path);
    if (isDeepStrictEqual(from, to) || isReordered(path, from, to, spec)) return [];
    return [{ path, from, to, state: from === undefined || from === null ? 'missing' : 'different' }];
  });
}

function isReordered(path: FieldPath, from: unknown, to: unknown, { sets }: DiffSpec): boolean {
  return sets.has(path.join('.')) && Array.isArray(from) && Array.isArray(to) && isSameSet(from, to);
}

/** The step that makes a value what is wanted, at the path of the contract. */
export function stepOf({ path, to, state }: Difference, { operations, sets }: DiffSpec): PatchStep {
  const at = pointerTo(...camelCasePath(path));
  if (state === 'removed') return { op: 'remove', path: at };
  const field = path.join('.');
  const value = sets.has(field) && Array.isArray(to) ? [...new Set(to)] : to;
  return { op: operations.get(field) ?? (state === 'missing' ? 'add' : 'replace'), path: at, value };
}

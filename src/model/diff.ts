import { isDeepStrictEqual } from 'node:util';
import { camelCasePath } from './fields.ts';
import { fieldOf, type Kind } from './kinds.ts';
import { includes, type PatchStep, pointerTo } from './patch.ts';
import { isRecord, type ServiceRecord } from './records.ts';

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

import type { ServiceRecord } from '../records.ts';
import { isNumber, isObject, memberOf, valueAt } from './members.ts';

/** What is wanted of a value: all of it, or some of its members in this order. */
type Wanted = 'all' | Map<string, Wanted>;

/**
 * A function that keeps these fields of a record in their nesting, `{ id, location: { city } }`, in the order in which they
 * are given. What a record lacks is null; of an array the entries asked for remain.
 *
 * @param fields dotted paths.
 */
export function nestedPick(fields: readonly string[]): (record: unknown) => ServiceRecord {
  const wanted = new Map<string, Wanted>();
  for (const field of fields) want(wanted, field.split('.'));
  return (record) => picked(record, wanted);
}

/** These fields of a record side by side, `{ id, 'location.city' }`, in the order given; what it lacks is null. */
export function flatPick(record: ServiceRecord, fields: readonly string[]): ServiceRecord {
  return Object.fromEntries(fields.map((field) => [field, valueAt(record, field) ?? null]));
}

function want(among: Map<string, Wanted>, [name = '', ...inside]: readonly string[]): void {
  const before = among.get(name);
  if (before === 'all') return;
  if (inside.length === 0) {
    among.set(name, 'all');
    return;
  }
  const members = before ?? new Map<string, Wanted>();
  among.set(name, members);
  want(members, inside);
}

function picked(value: unknown, wanted: ReadonlyMap<string, Wanted>): ServiceRecord {
  return Object.fromEntries([...wanted].map(([name, inside]) => [name, part(memberOf(value, name), inside)]));
}

function part(value: unknown, wanted: Wanted): unknown {
  if (wanted === 'all') return value ?? null;
  const isList = [...wanted.keys()].every(isNumber) && (Array.isArray(value) || !isObject(value));
  if (!isList) return picked(value, wanted);
  return [...wanted].map(([name, inside]) => part(memberOf(value, name), inside));
}

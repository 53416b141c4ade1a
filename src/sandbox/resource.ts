import type { Call, Outcome } from './call.ts';
import { type Change, type Collections, put, type Records } from './records.ts';
import { existing, pageOf } from './refusal.ts';

/** What records of the inventory are called, in sentences and in paths. */
const nouns = {
  properties: ['property', 'properties'],
  unit_groups: ['unit group', 'unit-groups'],
  units: ['unit', 'units'],
  unit_attributes: ['unit attribute', 'unit-attributes'],
} as const;

type Name = keyof typeof nouns;

/** A call whose path names a record. */
type Addressed = Pick<Call<'getUnit'>, 'records' | 'path'>;

/** How many records the lists of the inventory have on a page. */
export const INVENTORY_PAGE = 500;

/** The record that the path names. @throws {Refusal} 404. */
export function recordAt<Each extends Name>(name: Each, { records, path }: Addressed): Collections[Each] {
  return existing(records[name], nouns[name][0], path.id);
}

/** A handler: 200 or 404, without a body. */
export function existsIn(name: Name) {
  return (call: Addressed): Outcome => {
    recordAt(name, call);
    return { status: 200 };
  };
}

/** A page of a list. */
export function listed<Kept>(
  found: readonly Kept[],
  query: URLSearchParams,
  view: (record: Kept) => unknown,
): Outcome {
  return {
    status: 200,
    body: { count: found.length, items: pageOf(found, query, INVENTORY_PAGE).map(view) },
  };
}

/** A record was created. @param more changes besides. */
export function created<Each extends Name>(
  name: Each,
  record: Collections[Each],
  more: readonly Change[] = [],
): Outcome {
  const { id } = record;
  return {
    status: 201,
    body: { id },
    headers: { location: `/inventory/v1/${nouns[name][1]}/${id}` },
    changes: [put(name, id, record), ...more],
  };
}

/** A record has other values now; also if they are the same. */
export function changed<Each extends Name>(name: Each, record: Collections[Each]): Outcome {
  return { status: 204, changes: [put(name, record.id, record)] };
}

/** A record is gone. */
export function deleted(name: Name, id: string, more: readonly Change[] = []): Outcome {
  return { status: 204, changes: [{ delete: [name, id] }, ...more] };
}

/** The records of a property, oldest first. */
export function recordsIn<Each extends 'unit_groups' | 'units'>(
  name: Each,
  records: Records,
  propertyId: string,
): readonly Collections[Each][] {
  return [...records[name].values()].filter((record) => record.property_id === propertyId);
}

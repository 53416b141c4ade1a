import { propertyFields } from '../checks/property-fields.ts';
import { isRecord, type ServiceRecord } from '../records.ts';
import type { Entry } from './entry.ts';

/** Fields of a property that may be missing as long as it need not be created: services never read them back. */
export const neededToCreate: readonly string[] = ['default_check_in_time', 'default_check_out_time'];

/**
 * The body that creates what an entry describes: for a property that of create property, for an invitation that of
 * create invitation. What stands under `extra` is merged in, `extra.location` into the location; nulls are left out.
 */
export function bodyOf({ fields }: Pick<Entry, 'fields'>): Record<string, unknown> {
  const { extra, ...named } = fields;
  if (!isRecord(extra)) return withoutNulls(named);
  const { location, ...others } = extra;
  if (!isRecord(location)) return withoutNulls({ ...named, ...others });
  const inside = isRecord(named['location']) ? named['location'] : {};
  return withoutNulls({ ...named, ...others, location: { ...inside, ...location } });
}

/** The fields without which a property cannot be created, and which the entry lacks; a person lacks none. */
export function missingToCreate({ kind, fields }: Pick<Entry, 'kind' | 'fields'>): readonly string[] {
  if (kind !== 'property') return [];
  return propertyFields
    .filter(({ path: [first, second] }) => {
      const outer = fields[first];
      const value = second === undefined ? outer : isRecord(outer) ? outer[second] : undefined;
      return value === undefined || value === null;
    })
    .map(({ path }) => path.join('.'));
}

function withoutNulls(record: ServiceRecord): Record<string, unknown> {
  const entries = Object.entries(record)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, isRecord(value) ? withoutNulls(value) : value] as const);
  return Object.fromEntries(entries);
}

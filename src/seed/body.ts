import { normalise } from '../model/fields.ts';
import { type PropertyField, propertyFields, timeFields } from '../model/property-fields.ts';
import { isRecord } from '../model/records.ts';
import type { Dialect } from '../service/dialect.ts';
import { type Entry, isMissing } from './entry.ts';

/** Fields that every entry of a property has: those of the contract, without what services never read back. */
const needed: ReadonlySet<string> = new Set(
  propertyFields.map(nameOf).filter((name) => !timeFields.includes(name)),
);

/** Whether a property must have a field wherever it is described, and not only where it has to be created. */
export function isNeeded(field: Pick<PropertyField, 'path'>): boolean {
  return needed.has(nameOf(field));
}

/**
 * The body that creates what an entry describes: for a property that of create property, for an invitation that of
 * create invitation. What stands under `extra` is merged in, `extra.location` into the location.
 */
export function bodyOf({ fields }: Pick<Entry, 'fields'>): Record<string, unknown> {
  const { extra, ...named } = fields;
  if (!isRecord(extra)) return named;
  const { location, ...others } = extra;
  if (!isRecord(location)) return { ...named, ...others };
  const inside = isRecord(named['location']) ? named['location'] : {};
  return { ...named, ...others, location: { ...inside, ...location } };
}

/** The fields without which a property cannot be created, and which the entry lacks; a person lacks none. */
export function missingToCreate(
  entry: Pick<Entry, 'kind' | 'fields'>,
  { propertyFields: known }: Pick<Dialect, 'propertyFields'>,
): readonly string[] {
  if (entry.kind !== 'property') return [];
  const body = normalise(bodyOf(entry));
  return known
    .filter((field) => field.isOptional !== true && !isNeeded(field))
    .map(nameOf)
    .filter((name) => saysNothing(body[name]));
}

function nameOf({ path }: Pick<PropertyField, 'path'>): string {
  return path.join('.');
}

function saysNothing(value: unknown): boolean {
  return isMissing(value) || (isRecord(value) && Object.keys(value).length === 0);
}

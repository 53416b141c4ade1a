import { allPropertyFields } from '../checks/property-fields.ts';
import { isRecord, type ServiceRecord } from '../records.ts';
import type { Entry } from './entry.ts';

/** Every field of every kind, dots between names, in the order in which manifests are written. */
const paths: readonly string[] = [
  ...allPropertyFields.map(({ path }) => path.join('.')),
  ...['email', 'subject_id', 'first_name', 'last_name', 'role', 'roles'],
  ...['properties', 'property_roles', 'is_account_admin', 'enabled', 'extra'],
];

/** The fields of an entry in the order of the contract, languages by their codes. */
export function orderedFields({ fields }: Pick<Entry, 'fields'>): ServiceRecord {
  return ordered(fields, '');
}

/** Compares two fields by the order in which they are written; those without a place of their own by their names. */
export function byPlace(one: string, other: string): number {
  return rankOf(one) - rankOf(other) || inCodeUnits(one, other);
}

/** Compares two texts by their code units: the same order on every machine. */
export function inCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function ordered(record: ServiceRecord, prefix: string): ServiceRecord {
  const named = Object.entries(record)
    .sort(([one], [other]) => byPlace(`${prefix}${one}`, `${prefix}${other}`))
    .map(([name, value]) => [name, isRecord(value) ? ordered(value, `${prefix}${name}.`) : value]);
  return Object.fromEntries(named);
}

/** Where a field stands: at its own place, or at that of what it is in, or of what is in it. */
function rankOf(path: string): number {
  const rank = paths.findIndex(
    (known) => path === known || path.startsWith(`${known}.`) || known.startsWith(`${path}.`),
  );
  return rank === -1 ? paths.length : rank;
}

import type { Entry, Kind } from '../../manifest/entry.ts';
import { isMissing } from '../../manifest/missing.ts';
import { orderedFields } from '../../manifest/order.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';

/** An entry that stands in no file yet; its fields have their order. */
export function entryOf(kind: Kind, name: string, fields: ServiceRecord): Entry {
  const place = { file: kind, unit: 'line', number: 1 } as const;
  return { kind, name, place, fields: orderedFields({ fields }) };
}

/** The record without what a manifest takes for missing: null, blank texts, and objects of nothing else. */
export function tidy(record: ServiceRecord): ServiceRecord {
  const named = Object.entries(record)
    .map(([name, value]) => [name, isRecord(value) ? tidy(value) : value] as const)
    .filter(([, value]) => !isMissing(value) && !(isRecord(value) && Object.keys(value).length === 0));
  return Object.fromEntries(named);
}

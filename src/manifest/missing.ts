import { isRecord, type ServiceRecord } from '../records.ts';

/** Whether a field says nothing: it is left out, null, or a text that is empty or blank. */
export function isMissing(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}

/** The record without fields that say nothing, in all of its levels; lists stay as they are. */
export function withoutMissing(record: ServiceRecord): ServiceRecord {
  if (saysAll(record)) return record;
  const given = Object.entries(record)
    .filter(([, value]) => !isMissing(value))
    .map(([name, value]) => [name, isRecord(value) ? withoutMissing(value) : value]);
  return Object.fromEntries(given);
}

function saysAll(record: ServiceRecord): boolean {
  return Object.values(record).every((value) => (isRecord(value) ? saysAll(value) : !isMissing(value)));
}

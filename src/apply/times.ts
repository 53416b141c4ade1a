import { timeFields } from '../checks/property-fields.ts';
import type { Entry } from '../manifest/entry.ts';
import type { FieldChange, Item } from './item.ts';
import type { RowMemory } from './memory.ts';

type Sent = RowMemory['sent'];

/** The times of day among some fields, which no service shows; `undefined` where there are none. */
export function timesIn(fields: Readonly<Record<string, unknown>>): Sent {
  const times = timeFields.flatMap((field) => {
    const value = fields[field];
    return typeof value === 'string' ? [[field, value] as const] : [];
  });
  return times.length === 0 ? undefined : Object.fromEntries(times);
}

/** The times of day that an item sends. */
export function timesSentBy({ kind, body, changes }: Pick<Item, 'kind' | 'body' | 'changes'>): Sent {
  if (kind !== 'property') return undefined;
  return timesIn(body ?? Object.fromEntries(changes.map(({ field, to }) => [field, to])));
}

/** The times of day that a file changed since they were sent. @param id of the property that is there. */
export function changedTimes(
  { fields }: Pick<Entry, 'fields'>,
  row: RowMemory | undefined,
  id: string,
): readonly FieldChange[] {
  if (row?.sent === undefined || row.id !== id) return [];
  const { sent } = row;
  return Object.entries(timesIn(fields) ?? {}).flatMap(([field, to]) => {
    const from = sent[field];
    return from === undefined || from === to ? [] : [{ field, from, to }];
  });
}

/** A change that only the file shows, as a clause. */
export function changedText({ field, from, to }: FieldChange): string {
  return `${field} changed in the file since the last run (${String(from)} -> ${String(to)})`;
}

/** The same of a field that could be written. */
export function unwrittenText(change: FieldChange): string {
  return `${changedText(change)}; the service doesn't show it: --write-unreadable writes it`;
}

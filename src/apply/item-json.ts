import type { ServiceRecord } from '../records.ts';
import type { Item } from './item.ts';

/** One row of a plan as programs read it; names of what is not there are left out. */
export function itemJson({ action, kind, name, id, entry, ...item }: Item): ServiceRecord {
  const { changes, steps, body, unread, reason, seen } = item;
  const parts = {
    action,
    kind,
    name,
    id,
    file: entry?.place.file,
    ...(entry === undefined ? {} : { [entry.place.unit]: entry.place.number }),
    changes: changes.length === 0 ? undefined : changes,
    patch: steps.length === 0 ? undefined : steps,
    body,
    unread: unread.length === 0 ? undefined : unread,
    reason,
    seen,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

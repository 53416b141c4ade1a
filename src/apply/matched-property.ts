import { bodyOf } from '../manifest/body.ts';
import type { Entry } from '../manifest/entry.ts';
import type { ServiceRecord } from '../records.ts';
import { hashOf } from './canonical.ts';
import { compareProperty, showsAll, withTexts } from './compare.ts';
import { type Item, itemFor } from './item.ts';
import type { PlanApi, PlanOptions } from './plan-options.ts';
import { bareCode, type Listed } from './property-index.ts';
import { changedText, changedTimes } from './times.ts';
import { unchangeableText } from './unchangeable.ts';

/** What comparing a property goes by. */
interface Comparing {
  readonly api: Pick<PlanApi, 'dialect'>;
  readonly options: Pick<PlanOptions, 'memory' | 'runId' | 'writeUnreadable' | 'now'>;
}

/** The properties of which the list alone says that nothing is to be done about them. */
export interface ListedItems {
  /** Is given each record as the list brings it, and keeps none. */
  see(record: ServiceRecord, listed: Listed): void;
  /** @returns `undefined` where the property with this id has to be read alone. */
  itemOf(entry: Entry, id: string): Item | undefined;
}

/** What the run that goes on has created so recently is not looked through once more. */
const RECENT_MS = 24 * 60 * 60_000;

/** Compares entries with a list while it is read. What differs is not concluded from a list: it may be an older state. */
export function createListedItems(entries: readonly Entry[], comparing: Comparing): ListedItems {
  const byCode = new Map(entries.map((entry) => [bareCode(entry.name), entry]));
  const items = new Map<Entry, Item>();
  return {
    see(record, { id, code }) {
      const entry = code === undefined ? undefined : byCode.get(bareCode(code));
      if (entry === undefined || id === undefined) return;
      const body = bodyOf(entry);
      const whole = withTexts(body, record, (map) => tellsAll(map, { body, entry, id }, comparing.options));
      if (!showsAll(body, whole)) return;
      const item = matched(entry, id, whole, comparing);
      if (item.action === 'same' || item.action === 'cannot_compare') items.set(entry, item);
    },
    itemOf(entry, id) {
      const item = items.get(entry);
      return item?.id === id ? item : undefined;
    },
  };
}

/**
 * Whether one text of a map that a run of ours has sent tells the others: there are no others, or the run that goes on
 * sent them a while ago.
 */
function tellsAll(
  map: ServiceRecord,
  { body, entry, id }: { readonly body: ServiceRecord; readonly entry: Entry; readonly id: string },
  { memory, runId, now }: Comparing['options'],
): boolean {
  const row = memory.recall('property', entry.name);
  if (row?.id !== id || row.action !== 'create' || row.state !== 'done') return false;
  const isRecent = row.runId === runId && now() - row.at < RECENT_MS;
  return (isRecent || Object.keys(map).length === 1) && row.hash === hashOf(body);
}

/** What is to be done about a property that was found. */
export function matched(entry: Entry, id: string, record: ServiceRecord, { api, options }: Comparing): Item {
  const seen = hashOf(record);
  const { changes, steps, unread, conflicts } = compareProperty(entry, record, {
    writeUnreadable: options.writeUnreadable,
    dialect: api.dialect,
  });
  if (conflicts.length > 0) {
    const reason = conflicts.map(unchangeableText).join('; ');
    return { ...conflict(entry, reason, id), cannotChange: conflicts, unread, seen };
  }
  const action = steps.length > 0 ? 'change' : unread.length > 0 ? 'cannot_compare' : 'same';
  const changed = changedTimes(entry, options.memory.recall('property', entry.name), id);
  const changedInFile = changed.filter(({ field }) => unread.includes(field));
  const kept = changed.filter(({ field }) => api.dialect.fixedFields.includes(field)).map(changedText);
  const reason = kept.length === 0 ? undefined : `${kept.join(', ')}; it stays as it was created`;
  return itemFor(entry, action, { entry, id, changes, steps, unread, changedInFile, reason, seen });
}

/** A property that cannot be made as the entry says. */
export function conflict(entry: Entry, reason: string, id?: string): Item {
  return itemFor(entry, 'conflict', { entry, reason, id });
}

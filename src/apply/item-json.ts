import { type Place, placeText } from '../manifest/entry.ts';
import { type ServiceRecord, withoutHoles } from '../records.ts';
import type { Item } from './item.ts';

/** One row of a plan as programs read it; names of what is not there are left out. */
export function itemJson({ action, kind, name, id, entry, ...item }: Item): ServiceRecord {
  const { changes, steps, body, unread, changedInFile, reason, seen } = item;
  return withoutHoles({
    action,
    kind,
    name,
    id,
    ...placeJson(entry?.place),
    changes: changes.length === 0 ? undefined : changes,
    patch: steps.length === 0 ? undefined : steps,
    body,
    unread: unread.length === 0 ? undefined : unread,
    ...changedJson(changedInFile),
    reason,
    seen,
  });
}

/**
 * Where an entry stands, as programs read it and as people do. In tables `file_row` is the row of the spreadsheet, of
 * which the header is the first.
 */
export function placeJson(place: Place | undefined): ServiceRecord {
  if (place === undefined) return {};
  const { file, unit, number } = place;
  return { file, [unit === 'row' ? 'file_row' : 'line']: number, place: placeText(place) };
}

/** What the file alone shows to be changed, as programs read it. */
export function changedJson(changed: Item['changedInFile'] = []): ServiceRecord {
  return changed.length === 0 ? {} : { changed_in_file: changed };
}

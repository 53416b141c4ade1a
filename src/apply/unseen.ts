import { OutcomeUnknown } from '../errors.ts';
import { bodyOf } from '../manifest/body.ts';
import type { Entry } from '../manifest/entry.ts';
import { hashOf } from './canonical.ts';
import { type Item, itemFor } from './item.ts';
import { protectedUntil } from './key-age.ts';
import type { RowMemory } from './memory.ts';
import { createdAt, isoText, momentText, shownBy, wasAnswered, wasLookedFor } from './visibility.ts';

/** A row that may be there or not: it ends unknown, and nothing is sent for it. */
export function unseenItem(row: Pick<Item, 'kind' | 'name' | 'entry' | 'id'>, reason: string): Item {
  const { entry, id } = row;
  return itemFor(row, 'cannot_tell', { entry, id, reason, error: new OutcomeUnknown(reason) });
}

/**
 * Why a property is neither there nor gone, and until when its key, or patience, keeps it from being created twice.
 *
 * @param now milliseconds since the epoch.
 */
export function unseenProperty(row: RowMemory, entry: Entry, now: number): Item {
  const { keyAge, id } = row;
  const isSame = row.hash === hashOf(bodyOf(entry));
  const told = `not visible yet: ${pastText(row)}`;
  if (isSame && row.action === 'create' && row.state === 'done' && wasLookedFor(row)) {
    const reason = `${told}; the service said so again at ${isoText(row.at)}`;
    return itemFor(entry, 'cannot_compare', { entry, id, reason });
  }
  const isProtected = row.state === 'done' && isSame && keyAge !== undefined;
  const until = isProtected
    ? `its key protects it until ${momentText(protectedUntil(keyAge), now)}: the same command sends it under that key again`
    : `${isSame || keyAge === undefined ? 'no key is left that protects it' : 'its key protects only the values that were sent'}, so that nothing ` +
      `is sent before it shows, or before ${momentText(shownBy(row), now)}`;
  return unseenItem({ ...entry, entry, id }, `${told}; ${until}`);
}

/**
 * An invitation that the service answered and that no list shows: a second mail is never sent for it. What a run looked for
 * in vain once is done.
 *
 * @param now milliseconds since the epoch.
 */
export function unseenInvitation(row: RowMemory, entry: Entry, now: number): Item {
  const until = `lists may show it until ${momentText(shownBy(row), now)}`;
  const told = `not visible yet: invited at ${isoText(createdAt(row))}, as the service answered; ${until}`;
  if (wasLookedFor(row)) return itemFor(entry, 'cannot_compare', { entry, reason: told });
  return { ...unseenItem({ ...entry, entry }, `${told}; nothing is sent again`), isMailed: true };
}

/** Why something that is not wanted any more can be neither deleted nor forgotten yet. */
export function unseenLeft(row: RowMemory, now: number): Item {
  const later = `not deleted: a later --prune does that once it shows; it counts as gone from ${momentText(shownBy(row), now)} on`;
  return unseenItem({ ...row, entry: undefined }, `not visible yet: ${pastText(row)}; ${later}`);
}

/** What a journal says of a row that nothing shows: `created as HAM at 2026-04-21T12:00:00Z`. */
export function pastText(row: RowMemory): string {
  const { action, id } = row;
  const when = `at ${isoText(createdAt(row))}`;
  if (action === 'change') return `${id} was there ${when}`;
  return wasAnswered(row)
    ? `created${id === undefined ? '' : ` as ${id}`} ${when}`
    : `perhaps created ${when}`;
}

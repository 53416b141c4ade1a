import { type CliError, OutcomeUnknown } from '../cli/errors.ts';
import { hashOf } from '../model/canonical.ts';
import { bodyOf, type Entry } from './entry.ts';
import { type Item, itemFor } from './item.ts';
import { isInDoubt, type RowMemory } from './journal-line.ts';
import type { PlanOptions } from './plan-context.ts';
import {
  createdAt,
  isFailing,
  isoText,
  isUsable,
  momentText,
  protectedUntil,
  shownBy,
  wasAnswered,
  wasLookedFor,
} from './visibility.ts';

/** An earlier creation of a property that may have been carried out. */
interface DoubtfulCreation {
  /** It has the same body, and its key can be sent again safely. */
  readonly isKeyUsable: boolean;
  /** The service stores a failure under that key, so that an absent property needs a new one. */
  readonly isKeyFailing: boolean;
}

/** The earlier creation of a property, if it is in doubt. */
export function doubtfulCreation(entry: Entry, { memory, now }: PlanOptions): DoubtfulCreation | undefined {
  const row = memory.recall('property', entry.name);
  if (!isInDoubt(row) || row.action !== 'create') return undefined;
  const { keyAge, hash, state } = row;
  if (keyAge === undefined || !isUsable(keyAge, now()) || hash !== hashOf(bodyOf(entry)))
    return { isKeyUsable: false, isKeyFailing: false };
  return { isKeyUsable: true, isKeyFailing: state === 'unknown' && isFailing(keyAge, now()) };
}

/** Whether waiting may help: the record may become visible, or an earlier creation may still be under way. */
export function mayChangeSoon({ action, error, entry }: Item, options: PlanOptions): boolean {
  if (error !== undefined) return error instanceof OutcomeUnknown;
  const isOpen = action === 'create' || action === 'cannot_tell';
  return entry !== undefined && isOpen && mayComeTwice(doubtfulCreation(entry, options));
}

/** Whether an earlier creation may still be carried out beside the next one, under another key. */
function mayComeTwice(doubt: DoubtfulCreation | undefined): boolean {
  return doubt !== undefined && (!doubt.isKeyUsable || doubt.isKeyFailing);
}

/** A note about earlier creations of a property that certainly does not exist now. */
export function pastNote(entry: Entry, options: PlanOptions): string | undefined {
  const row = options.memory.recall('property', entry.name);
  if (row?.action === 'create' && wasAnswered(row))
    return `${pastText(row)} by run ${row.runId}, and deleted since: it is created again, under a new key`;
  if (row === undefined || !mayComeTwice(doubtfulCreation(entry, options))) return undefined;
  return `run ${row.runId} may have created it; lists are read again before it is sent`;
}

/** A row whose existence is in doubt: it ends unknown, and nothing is sent. */
export function unseenItem(row: Pick<Item, 'kind' | 'name' | 'entry' | 'id'>, reason: string): Item {
  const { entry, id } = row;
  return itemFor(row, 'cannot_tell', { entry, id, reason, error: new OutcomeUnknown(reason) });
}

/**
 * Plans a property that may not be visible yet: sends nothing, and says until when its key protects it.
 *
 * @param now milliseconds since the epoch.
 */
export function unseenProperty(row: RowMemory, entry: Entry, now: number): Item {
  const { keyAge, id } = row;
  const isSame = row.hash === hashOf(bodyOf(entry));
  const known = `not visible yet: ${pastText(row)}`;
  if (isSame && row.action === 'create' && row.state === 'done' && wasLookedFor(row)) {
    const reason = `${known}; the service said so again at ${isoText(row.at)}`;
    return itemFor(entry, 'cannot_compare', { entry, id, reason });
  }
  const isProtected = row.state === 'done' && isSame && keyAge !== undefined;
  const until = isProtected
    ? `its key protects it until ${momentText(protectedUntil(keyAge), now)}: the same command sends it under that key again`
    : `${isSame || keyAge === undefined ? 'no key is left that protects it' : 'its key protects only the values that were sent'}, so that nothing ` +
      `is sent before it shows, or before ${momentText(shownBy(row), now)}`;
  return unseenItem({ ...entry, entry, id }, `${known}; ${until}`);
}

/**
 * Plans an invitation that was confirmed and is not listed: no second mail is sent. It is done once a run has looked for it
 * in vain.
 *
 * @param now milliseconds since the epoch.
 */
export function unseenInvitation(row: RowMemory, entry: Entry, now: number): Item {
  const until = `lists may show it until ${momentText(shownBy(row), now)}`;
  const known = `not visible yet: invited at ${isoText(createdAt(row))}, as the service answered; ${until}`;
  if (wasLookedFor(row)) return itemFor(entry, 'cannot_compare', { entry, reason: known });
  return { ...unseenItem({ ...entry, entry }, `${known}; nothing is sent again`), isMailed: true };
}

/** Plans a deletion that has to wait until the record is visible. */
export function unseenLeft(row: RowMemory, now: number): Item {
  const later = `not deleted: a later --prune does that once it shows; it counts as gone from ${momentText(shownBy(row), now)} on`;
  return unseenItem({ ...row, entry: undefined }, `not visible yet: ${pastText(row)}; ${later}`);
}

/** The last creation of a row in the journal, as a clause: `created as HAM at 2026-04-21T12:00:00Z`. */
function pastText(row: RowMemory): string {
  const { action, id } = row;
  const when = `at ${isoText(createdAt(row))}`;
  if (action === 'change') return `${id} was there ${when}`;
  return wasAnswered(row)
    ? `created${id === undefined ? '' : ` as ${id}`} ${when}`
    : `perhaps created ${when}`;
}

/** A row that cannot be planned because a read failed. It fails with that error; a row in doubt stays unknown. */
export function unreadItem(
  row: Pick<Item, 'kind' | 'name'>,
  cause: CliError,
  { memory }: Pick<PlanOptions, 'memory'>,
  more: Pick<Item, 'entry' | 'id' | 'reason'>,
): Item {
  const before = memory.recall(row.kind, row.name);
  const unknown = `${cause.message} The outcome of run ${before?.runId} is still unknown.`;
  const error = isInDoubt(before) ? new OutcomeUnknown(unknown, { cause }) : cause;
  return itemFor(row, 'cannot_tell', { reason: error.message, ...more, error });
}

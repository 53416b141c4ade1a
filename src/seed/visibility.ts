import { type CliError, OutcomeUnknown } from '../cli/errors.ts';
import { hashOf } from '../model/canonical.ts';
import { counted } from '../model/text.ts';
import { isOfService } from '../service/retry.ts';
import { bodyOf, type Entry } from './entry.ts';
import { type Item, itemFor } from './item.ts';
import { isInDoubt, type RowMemory } from './journal-line.ts';
import type { PlanOptions } from './plan-context.ts';

/** A created record becomes visible within this time, milliseconds. */
export const VISIBLE_WITHIN_MS = 15 * 60_000;

/** When a row was, or may have been, created, milliseconds since the epoch. */
function createdAt({ keyAge, madeAt, at }: RowMemory): number {
  return keyAge?.madeAt ?? madeAt ?? at;
}

/** From when on an invisible row counts as gone, milliseconds since the epoch. */
export function shownBy(row: RowMemory): number {
  return createdAt(row) + VISIBLE_WITHIN_MS;
}

/**
 * Whether a row was, or may have been, created so recently that reads may not show it yet. A change proves that it existed.
 *
 * @param now milliseconds since the epoch.
 */
export function mayShowLater(row: RowMemory, now: number): boolean {
  if (now >= shownBy(row)) return false;
  const { action, id } = row;
  if (action === 'change') return id !== undefined;
  return action === 'create' && (wasAnswered(row) || isInDoubt(row));
}

/** Whether an answer confirmed the creation of a row. */
export function wasAnswered({ state, keyAge, madeAt }: RowMemory): boolean {
  return state === 'done' || keyAge?.madeAt !== undefined || madeAt !== undefined;
}

/** Whether a run did not find a created record, or got the same answer for its key again. */
function wasLookedFor(row: RowMemory): boolean {
  return wasAnswered(row) && row.at > createdAt(row);
}

/** A time in the future: `2026-04-21T12:15:00Z (14 minutes from now)`. */
export function momentText(ms: number, now: number): string {
  return `${isoText(ms)} (${lengthText(ms - now)} from now)`;
}

/** A time in UTC, to the second. */
export function isoText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function lengthText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return minutes < 1 ? 'less than a minute' : counted(minutes, 'minute');
}

/** Services forget a key after a day; a request must not be under way at that time. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** Consecutive runs that must fail before the failure counts as stored under the key. */
const RUNS_FAILED = 2;

/** The longest that a request may wait behind a gateway, milliseconds. */
const LONGEST_HELD_MS = 15 * 60_000;

/** What decides whether an idempotency key can still be used. */
export interface KeyAge {
  /** When it was first sent, milliseconds since the epoch. */
  readonly since: number;
  /** Whether it certainly created something. */
  readonly isSpent: boolean;
  /** When an answer first confirmed a creation, milliseconds since the epoch. */
  readonly madeAt?: number | undefined;
  /** The service refused it, and may repeat that answer as long as it knows the key. */
  readonly isRefused?: boolean | undefined;
  /** Consecutive runs that were answered with a failure. */
  readonly failures?: number | undefined;
  /** The last status, unless it was a success. */
  readonly status?: number | undefined;
  /** When the last answer came, milliseconds since the epoch. */
  readonly answeredAt?: number | undefined;
}

/**
 * Whether a key can be sent again: the service still knows it, and it has neither created anything nor been refused. A time in
 * the future, after the clock was set back, counts as now.
 *
 * @param now milliseconds since the epoch.
 */
export function isUsable(age: KeyAge, now: number): boolean {
  return !age.isSpent && age.isRefused !== true && now < protectedUntil(age);
}

/**
 * Until when a key protects against a second creation, milliseconds since the epoch: while the service knows it and, if it
 * created something, while that may not be visible yet. After that it would only repeat the answer.
 */
export function protectedUntil({ since, madeAt = since + KEY_LIFE_MS }: KeyAge): number {
  return Math.min(since + KEY_LIFE_MS, madeAt + VISIBLE_WITHIN_MS);
}

/**
 * Whether the service has stored a failure under a key, and repeats it as long as it knows the key. One failure is not enough:
 * the first request may have been carried out, and a repeat returns its answer. A failure of a gateway counts only after the
 * longest time that a request can wait behind it.
 *
 * @param now milliseconds since the epoch.
 */
export function isFailing({ failures = 0, status, answeredAt = 0 }: KeyAge, now: number): boolean {
  return failures >= RUNS_FAILED && (isOfService(status) || now - answeredAt > LONGEST_HELD_MS);
}

/**
 * The earlier creation of a property, if it is in doubt.
 *
 * @returns `isKeyUsable`: it has the same body, and its key can be sent again safely. `isKeyFailing`: the service stores a
 * failure under that key, so that an absent property needs a new one.
 */
export function doubtfulCreation(entry: Entry, { memory, now }: PlanOptions) {
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
function mayComeTwice(doubt: ReturnType<typeof doubtfulCreation>): boolean {
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

/** Plans inventory that was created and is not listed yet: nothing is sent before it shows, or counts as gone. */
export function unseenInventory(row: RowMemory, entry: Entry, now: number): Item {
  const until = `nothing is sent before it shows, or before ${momentText(shownBy(row), now)}`;
  return unseenItem({ ...entry, entry, id: row.id }, `not visible yet: ${pastText(row)}; ${until}`);
}

/**
 * Plans an invitation that was confirmed and is not listed: no second mail is sent. It is done once a run did not find
 * it again.
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

import type { CliError } from '../cli/errors.ts';
import { errorText } from '../cli/errors.ts';
import { type Place, placeText } from '../files/entry.ts';
import { type PropertyChange, rolelessAfter, withoutRoles } from '../model/access-change.ts';
import { type ServiceRecord, withoutHoles } from '../model/records.ts';
import type { ReadBack } from '../service/settling.ts';
import type { UserUpdate } from '../service/users.ts';
import { accessChangeOf, type Item, makesAdmin } from './item.ts';

/** One row of a plan as programs read it; names of what is not there are left out. */
export function itemJson(item: Item): ServiceRecord {
  const { action, kind, name, id, entry, changes, steps, body, cannotChange, reason, seen } = item;
  return withoutHoles({
    action,
    kind,
    name,
    id,
    ...placeJson(entry?.place),
    changes: unlessEmpty(changes),
    patch: unlessEmpty(steps),
    body,
    cannot_change: unlessEmpty(cannotChange),
    reason,
    error: item.error && errorJson(item.error),
    seen,
    gives_full_access: makesAdmin(item) || undefined,
    ...accessJson(accessChangeOf(item)),
    without_roles: unlessEmpty(withoutRolesIn(item)),
  });
}

/** One row of a run as programs read it. @param index from 0, in the order of the files. */
export function resultJson(result: Result, index: number): ServiceRecord {
  const { item, outcome, id, access, readBack, error } = result;
  const { kind, name, action, entry } = item;
  return withoutHoles({
    row: index + 1,
    ...placeJson(entry?.place),
    kind,
    name,
    action,
    outcome,
    id,
    ...accessJson(access),
    without_roles: unlessEmpty(withoutRolesAfter(result)),
    verification: readBack?.verification,
    unconfirmed: unlessEmpty(readBack?.paths),
    error: error && errorJson(error),
  });
}

/** The properties where a user is to have access and will have no role, as far as the service shows roles. */
export function withoutRolesIn(
  { record = {}, edits, steps, askedAt = [] }: Item,
  added = rolelessAfter(record, { ...edits, steps }),
): readonly string[] {
  return [...new Set([...added, ...withoutRoles(record, askedAt)])];
}

/** The same once a row is done. */
export function withoutRolesAfter({ item, outcome, access }: Result): readonly string[] {
  return outcome === 'done' ? withoutRolesIn(item, access?.withoutRoles) : [];
}

/** What became, or becomes, of the properties of a user. */
function accessJson(change: PropertyChange | undefined): ServiceRecord {
  if (change === undefined || change.isOpen) return {};
  const { added, removed, removedRoles } = change;
  return { added, removed, removed_roles: unlessEmpty(removedRoles) };
}

function unlessEmpty<Value>(list: readonly Value[] = []): readonly Value[] | undefined {
  return list.length === 0 ? undefined : list;
}

/**
 * Where an entry is, as programs read it and as people do. In tables `file_row` is the row of the spreadsheet, of
 * which the header is the first.
 */
function placeJson(place: Place | undefined): ServiceRecord {
  if (place === undefined) return {};
  const { file, unit, number } = place;
  return { file, [unit === 'row' ? 'file_row' : 'line']: number, place: placeText(place) };
}

/** Why a row failed, or could not be planned, as programs read it. The message says all that the details do. */
function errorJson(error: CliError): ServiceRecord {
  const { code, details, requestId } = error;
  return withoutHoles({
    code,
    message: errorText(error),
    details: unlessEmpty(details),
    request_id: requestId,
  });
}

/** How one row ended; `done` includes those that needed nothing. */
export const outcomes = ['done', 'failed', 'unknown', 'not_attempted'] as const;
export type Outcome = (typeof outcomes)[number];

/** One row of a run. */
export interface Result {
  readonly item: Item;
  readonly outcome: Outcome;
  /** The service's own id, where it is known. */
  readonly id?: string | undefined;
  /** The idempotency key of a creation. */
  readonly key?: string | undefined;
  /** Whether a list shows what was created; `undefined` if none was read. */
  readonly isListed?: boolean | undefined;
  /** The record in the answer to a creation. */
  readonly record?: ServiceRecord | undefined;
  /** It was there, or another process created it meanwhile. */
  readonly isForeign?: boolean | undefined;
  /** What became of the properties of a user, where the row changed them. */
  readonly access?: GivenAccess | undefined;
  /** What a change or deletion did, and what reading it back showed. */
  readonly readBack?: Written | undefined;
  /** The refusal of a deletion, because nothing is there. */
  readonly missing?: CliError | undefined;
  /** Why it failed, is unknown or was not attempted. */
  readonly error?: CliError | undefined;
}

/** How a change or deletion went; of users also whether something was written, and what became of the properties. */
export type Written = ReadBack & Partial<UserUpdate>;

/** What a row that is done gave a user, and took. */
export interface GivenAccess extends PropertyChange {
  /** Added properties at which the user has no role, as far as the record shows roles. */
  readonly withoutRoles: readonly string[];
}

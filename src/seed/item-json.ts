import type { CliError } from '../cli/errors.ts';
import type { PropertyChange } from '../model/access-change.ts';
import { type ServiceRecord, withoutHoles } from '../model/records.ts';
import { accessChangeOf, makesAdmin } from './consequences.ts';
import { type Place, placeText } from './entry.ts';
import type { Item } from './item.ts';

/** One row of a plan as programs read it; names of what is not there are left out. */
export function itemJson(whole: Item): ServiceRecord {
  const { action, kind, name, id, entry, changes, steps, body, unread, reason, seen } = whole;
  const { cannotChange = [], changedInFile, error } = whole;
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
    cannot_change: cannotChange.length === 0 ? undefined : cannotChange,
    ...changedJson(changedInFile),
    reason,
    error: error && errorJson(error),
    seen,
    ...effectsJson(whole),
  });
}

function effectsJson(item: Item): ServiceRecord {
  return {
    gives_full_access: makesAdmin(item) ? true : undefined,
    ...accessJson(accessChangeOf(item)),
  };
}

/** What became, or becomes, of the properties of a user, as programs read it. */
export function accessJson(change: PropertyChange | undefined): ServiceRecord {
  if (change === undefined || change.isOpen) return {};
  const { added, removed, removedRoles } = change;
  return { added, removed, ...(removedRoles.length === 0 ? {} : { removed_roles: removedRoles }) };
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

/** Why a row failed, or could not be planned, as programs read it. The message says all that the details do. */
export function errorJson(error: CliError): ServiceRecord {
  const { code, details, requestId } = error;
  return {
    code,
    message: errorText(error),
    ...(details.length === 0 ? {} : { details }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
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
  /** What became of the properties of a user, where the row changed them. */
  readonly access?: GivenAccess | undefined;
  /** Why it failed, is unknown or was not attempted. */
  readonly error?: CliError | undefined;
}

/** What a row that is done gave a user, and took. */
export interface GivenAccess extends PropertyChange {
  /** Added properties at which the user has no role, as far as the record shows roles. */
  readonly withoutRoles: readonly string[];
}

/** All that an error says, on one line: the fields that its sentence does not name, and the service's number for it. */
export function errorText(error: CliError): string {
  const { requestId } = error;
  return `${reasonText(error)}${requestId === undefined ? '' : ` (request id ${requestId})`}`;
}

/** The same without the number, which is another one for each request. */
export function reasonText({ message, details }: CliError): string {
  const fields = details
    .map(({ field, reason }) => `${field}: ${reason}`)
    .filter((detail) => !message.includes(detail));
  return [message, ...fields].join(' ');
}

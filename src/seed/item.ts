import type { CliError } from '../cli/errors.ts';
import type { PatchStep } from '../model/patch.ts';
import { timeFields } from '../model/property-fields.ts';
import type { ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { clip } from '../out/text.ts';
import type { Entry, Kind } from './entry.ts';
import type { RowMemory } from './journal-line.ts';

/**
 * What is to be done about one entry.
 *
 * - `create`: it is not there.
 * - `change`: it is there, and fields that are shown differ.
 * - `same`: it is there, and nothing differs.
 * - `cannot_change`: it is there, and nothing differs but what no operation changes.
 * - `cannot_compare`: nothing that is shown differs, and some fields are not shown.
 * - `conflict`: it cannot be made so; `reason` says why.
 * - `cannot_tell`: nothing says whether it is there.
 * - `delete`: a journal says that we created it, and no entry wants it.
 */
export const actions = [
  'create',
  'change',
  'same',
  'cannot_change',
  'cannot_compare',
  'conflict',
  'cannot_tell',
  'delete',
] as const;
export type Action = (typeof actions)[number];

/** One field that differs; `field` is as a manifest names it: `location.city`, `name.de`, `extra.description.de`, `property_roles.BER`. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  /** The service does not show it: it is written every time. */
  readonly unread?: true;
}

/** One row of a plan. */
export interface Item {
  readonly kind: Kind;
  readonly name: string;
  /** What the manifest says; a deletion has none. */
  readonly entry?: Entry | undefined;
  readonly action: Action;
  /** The service's own id of what is there: a property's id, a user's subject id. */
  readonly id?: string | undefined;
  /** The JSON Patch that a change sends; codes of properties that are not there yet stand for their ids. */
  readonly steps: readonly PatchStep[];
  /** What a creation sends, its properties as in `steps`; only creations have it. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly changes: readonly FieldChange[];
  /** Fields of the entry that the service does not show, named as in changes. */
  readonly unread: readonly string[];
  /** Those of them that the file changed since a run sent them, where a journal knows. */
  readonly changedInFile?: readonly FieldChange[] | undefined;
  /** What differs and no operation changes: fields of properties that are written once (`time_zone`), roles of users. */
  readonly cannotChange?: readonly FieldChange[] | undefined;
  /** A creation of which earlier requests were answered with failures: the list shows all codes, and not this one. */
  readonly isAbsent?: true | undefined;
  /** An invitation that an earlier run sent: certainly where nothing is to be sent now, else perhaps, and just so. */
  readonly isMailed?: true | undefined;
  /** Why not, or what else there is to know. */
  readonly reason?: string | undefined;
  /** Digest of the record that was read. */
  readonly seen?: string | undefined;
  /** The user that a change was planned from, as listed or read alone. */
  readonly record?: ServiceRecord | undefined;
  /** Why this row alone could not be planned: it ends failed or, with an `OutcomeUnknown`, unknown. */
  readonly error?: CliError | undefined;
}

const none: readonly never[] = [];

/** An item about something, with what is known besides. */
export function itemFor(
  { kind, name }: Pick<Item, 'kind' | 'name'>,
  action: Action,
  more: Partial<Omit<Item, 'kind' | 'name' | 'action'>> = {},
): Item {
  return { kind, name, action, steps: none, changes: none, unread: none, ...more };
}

/** Whether applying an item sends something. */
export function isPending({ action }: Item): boolean {
  return action === 'create' || action === 'change' || action === 'delete';
}

/** Whether the file says of an item what a run has not sent yet, though applying it sends nothing without --write-unreadable. */
export function isChangedInFile({ changedInFile = none }: Item): boolean {
  return changedInFile.length > 0;
}

const ROLES = 'property_roles.';
const LONGEST_LIST = 200;

/** How the roles of a user at one property are named among fields. */
export function rolesField(propertyId: string): string {
  return `${ROLES}${propertyId}`;
}

/** A field that differs and that no operation changes, as a clause. */
export function unchangeableText({ field, from, to }: FieldChange): string {
  if (field.startsWith(ROLES)) {
    const where = `roles at ${field.slice(ROLES.length)}`;
    return `${where} differ (file: ${listText(to)}, there: ${listText(from)}): cannot be changed here`;
  }
  return `${field} is ${quoteValue(from)}, not ${quoteValue(to)}, and cannot be changed after creation`;
}

function listText(roles: unknown): string {
  return Array.isArray(roles) && roles.length > 0 ? clip(roles.join(', '), LONGEST_LIST) : 'none';
}

function quoteValue(value: unknown): string {
  return typeof value === 'string' ? quote(value) : quote(JSON.stringify(value) ?? 'nothing');
}

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

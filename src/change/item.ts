import type { Entry } from '../files/entry.ts';
import type { Past, Sent } from '../journal/history.ts';
import { invitesAdmin, placedRoles } from '../model/access.ts';
import {
  givesFullAccess,
  type PropertyChange,
  propertyChange,
  reductionBy,
  rolelessAfter,
  touchesProperties,
  type UserChanges,
  withoutRoles,
} from '../model/access-change.ts';
import type { CliError } from '../model/errors.ts';
import { timesIn } from '../model/field-values.ts';
import { hashOf } from '../model/json-text.ts';
import type { Kind } from '../model/kinds.ts';
import { changesNothing, namesIn, type PatchStep } from '../model/patch.ts';
import { type ServiceRecord, valueAt } from '../model/records.ts';
import { quote } from '../model/text.ts';
import type { LifeVerb } from '../service/inventory.ts';
import type { ReadBack } from '../service/settling.ts';
import type { UserUpdate } from '../service/users.ts';
import { emailOf } from '../service/users.ts';

/**
 * The action for one entry.
 *
 * - `create`: it does not exist.
 * - `change`: it exists, and fields differ.
 * - `same`: it exists, and nothing differs.
 * - `cannot_change`: it exists, and only fields that no operation changes differ.
 * - `conflict`: it cannot be applied; `reason` says why.
 * - `cannot_tell`: it cannot be determined now, because the outcome of an earlier write is unknown; `error` says why.
 * - `delete`: the journal says that we created it, and no entry wants it.
 */
export const actions = [
  'create',
  'change',
  'same',
  'cannot_change',
  'conflict',
  'cannot_tell',
  'delete',
] as const;
export type Action = (typeof actions)[number];

/** One difference; `field` is named as in a manifest: `location.city`, `name.de`, `extra.description.de`, `property_roles.BER`. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What a name stands for: an existing record, or the row that creates it. */
export type Link = { readonly id: string } | Pick<Item, 'kind' | 'name'>;

/** The key of a link: a name in a field of an entry. */
export function linkKey(field: string, name: string): string {
  return `${field}:${name}`;
}

/** One row of a plan. */
export interface Item {
  readonly kind: Kind;
  readonly name: string;
  /** `undefined` for a deletion. */
  readonly entry?: Entry | undefined;
  readonly action: Action;
  /** The id at the service, or the subject id of a user, if it exists. */
  readonly id?: string | undefined;
  /** The JSON Patch of a change; properties that do not exist yet are named by their codes. */
  readonly steps: readonly PatchStep[];
  /** Properties that a user gains and loses, on top of the steps; the user is read again before they are sent. */
  readonly edits?: Pick<UserChanges, 'addProperties' | 'removeProperties'> | undefined;
  /** Where a user is to have access, besides the properties that are added. */
  readonly askedAt?: readonly string[] | undefined;
  /** The body of a creation, with properties as in `steps`. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** What the names in the body stand for, by `linkKey`: of inventory. */
  readonly links?: ReadonlyMap<string, Link> | undefined;
  /** How many levels of other rows of its kind come before it. */
  readonly level?: number | undefined;
  readonly changes: readonly FieldChange[];
  /** Differences that no operation changes: fixed fields of properties (`time_zone`), roles of users. */
  readonly cannotChange?: readonly FieldChange[] | undefined;
  /** The earlier request that is sent again, unchanged. */
  readonly repeats?: Sent | undefined;
  /** Which of the units that are created together it is, from 0. */
  readonly place?: number | undefined;
  /** The property that is cloned. */
  readonly source?: string | undefined;
  /** An invitation that an earlier run sent, perhaps. */
  readonly isMailed?: true | undefined;
  /** Whether it is read back after it was written. */
  readonly isReadBack?: boolean | undefined;
  /** A deletion that finds nothing fails; default: it is done. */
  readonly mustExist?: boolean | undefined;
  /** An invitation to send again: `listed` is withdrawn first, `withdrawn` was by an earlier run. */
  readonly resends?: 'listed' | 'withdrawn' | undefined;
  /** What a record of inventory shall be, from what it is right before it is changed; default: what the body says. */
  readonly wantedFor?: ((now: ServiceRecord) => ServiceRecord) | undefined;
  /** What a change does in place of its steps. */
  readonly life?: LifeVerb | undefined;
  /** An explanation. */
  readonly reason?: string | undefined;
  /** Digest of the record that was read. */
  readonly seen?: string | undefined;
  /** What was read of the user to change, of the inventory to delete, or of that which a command changes. */
  readonly record?: ServiceRecord | undefined;
  /** Why this row is not sent: it ends failed or, with an `OutcomeUnknown`, unknown. */
  readonly error?: CliError | undefined;
}

const none: readonly never[] = [];

/** Creates an item without steps and differences. */
export function itemFor(
  { kind, name }: Pick<Item, 'kind' | 'name'>,
  action: Action,
  more: Partial<Omit<Item, 'kind' | 'name' | 'action'>> = {},
): Item {
  return { kind, name, action, steps: none, changes: none, ...more };
}

/** Digest of what a creation asks for: a clone of a property is no creation of the same fields. */
export function creationHash({ body, source }: Pick<Item, 'body' | 'source'>): string {
  return hashOf(source === undefined ? body : { source, body });
}

/** The action for a record that exists, by what differs. */
export function actionFor({ changes, cannotChange = none }: Pick<Item, 'changes' | 'cannotChange'>): Action {
  if (changes.length > 0) return 'change';
  return cannotChange.length > 0 ? 'cannot_change' : 'same';
}

/** What steps change of a record, for the plan. */
export function changesShown(record: ServiceRecord, steps: readonly PatchStep[]): readonly FieldChange[] {
  return steps
    .filter((step) => step.op !== 'test' && !changesNothing(record, [step]))
    .map((step) => {
      const names = namesIn(step.path);
      const to = 'value' in step ? step.value : undefined;
      return { field: names.join('.'), from: valueAt(record, names), to };
    });
}

/** What the journal keeps of the fields that a write changes. */
export function beforeAndAfter(changes: readonly FieldChange[]) {
  return {
    before: Object.fromEntries(changes.map(({ field, from }) => [field, from])),
    after: Object.fromEntries(changes.map(({ field, to }) => [field, to ?? null])),
  };
}

/** Whether applying an item sends something. */
export function isPending({ action }: Item): boolean {
  return action === 'create' || action === 'change' || action === 'delete';
}

/** The field name for the roles of a user at one property. */
export function rolesField(propertyId: string): string {
  return `${placedRoles}.${propertyId}`;
}

/** A difference that no operation changes, as a clause. */
export function unchangeableText({ field, from, to }: FieldChange): string {
  return `${field} is ${quoteValue(from)}, not ${quoteValue(to)}, and cannot be changed`;
}

function quoteValue(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') || 'none' : value;
  return quote(typeof text === 'string' ? text : (JSON.stringify(value) ?? 'nothing'));
}

/** The times of day that changed in the file since they were sent. @param id of the existing property. */
export function changedTimes(
  { fields }: Pick<Entry, 'fields'>,
  past: Past | undefined,
  id: string,
): readonly FieldChange[] {
  if (past?.times === undefined || past.id !== id) return [];
  const { times: sent } = past;
  return Object.entries(timesIn(fields) ?? {}).flatMap(([field, to]) => {
    const from = sent[field];
    return from === undefined || from === to ? [] : [{ field, from, to }];
  });
}

/** A change in the file, as a clause. */
export function changedText({ field, from, to }: FieldChange): string {
  return `${field} changed in the file since the last run (${String(from)} -> ${String(to)})`;
}

/** Finds the items that need consent, each list in the order of the plan. */
export function consequencesOf(items: readonly Item[]) {
  const reducing = items.filter(({ kind }) => kind === 'user');
  return {
    deletes: items.filter(({ action }) => action === 'delete'),
    disables: reducing.filter(({ steps }) => reductionBy(steps)?.disables !== undefined),
    givesFullAccess: items.filter(makesAdmin),
    takesFullAccess: reducing.filter(({ steps }) => reductionBy(steps)?.demotes !== undefined),
    takesProperties: reducing.filter((item) => {
      const { removed = [], isOpen } = accessChangeOf(item) ?? {};
      return removed.length > 0 || isOpen;
    }),
  };
}

/** Whether an item disables a user, or takes full access away. */
export function reduces({ kind, steps }: Item): boolean {
  return kind === 'user' && reductionBy(steps) !== undefined;
}

/** The items that send a mail to somebody. */
export function mailsIn(items: readonly Item[]): readonly Item[] {
  return items.filter(({ kind, action }) => kind === 'invitation' && action === 'create');
}

/** Whether an item makes or invites an account admin. */
export function makesAdmin({ kind, action, body = {}, steps }: Item): boolean {
  if (kind === 'invitation') return action === 'create' && invitesAdmin(body);
  return kind === 'user' && givesFullAccess(steps);
}

/**
 * How an item changes the properties of a user; `undefined` if it does not.
 *
 * @param steps as they are sent, with ids instead of codes.
 */
export function accessChangeOf(
  { kind, record, edits, ...item }: Pick<Item, 'kind' | 'record' | 'steps' | 'edits'>,
  steps: readonly PatchStep[] = item.steps,
): PropertyChange | undefined {
  const changes = { ...edits, steps };
  return kind === 'user' && touchesProperties(changes) ? propertyChange(record, changes) : undefined;
}

/** The person of an item: the e-mail address, if the service shows one. */
export function titleOfPerson({ name, record = {} }: Item): string {
  return emailOf(record) ?? name;
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

/** The number of items of each action that occurs, and of mails that are sent. */
export function summaryOf(items: readonly Item[]) {
  const { length } = mailsIn(items);
  return { ...countByAction(items), ...(length === 0 ? {} : { mails: length }) };
}

/** The number of items of each action that occurs. */
export function countByAction(items: readonly Item[]): Readonly<Partial<Record<Item['action'], number>>> {
  const counts = actions.map((action) => [action, items.filter((item) => item.action === action).length]);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

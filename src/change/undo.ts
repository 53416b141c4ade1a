import { isDeepStrictEqual } from 'node:util';
import { identityOf, inventoryName, listed, missingToCreate, tidy } from '../files/entry.ts';
import type { Past, Sent } from '../journal/history.ts';
import type { SentRow } from '../journal/line.ts';
import { shownProperties } from '../model/access.ts';
import {
  asWritten,
  differencesBetween,
  idsIn,
  stepOf,
  userSteps,
  withOtherLanguages,
} from '../model/diff.ts';
import { hashOf } from '../model/json-text.ts';
import {
  fieldOf,
  type InventoryKind,
  isInventory,
  isKind,
  type Kind,
  kindTable,
  timeFields,
} from '../model/kinds.ts';
import type { PatchStep } from '../model/patch.ts';
import {
  groupBy,
  isRecord,
  isSameSet,
  recordOf,
  recordsIn,
  type ServiceRecord,
  valueAt,
} from '../model/records.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import { invitationFrom } from '../service/invitations.ts';
import { compareInvitation, compareProperty } from './compare.ts';
import { inventoryBody, stepsTo } from './inventory-row.ts';
import { type FieldChange, type Item, itemFor, type Link, linkKey } from './item.ts';
import { idOf, nameOf } from './listing.ts';
import { valueText } from './outline.ts';

/** What some requests did to one record, all of them together. */
export interface Deed {
  readonly kind: Kind;
  readonly name: string;
  readonly id: string | undefined;
  /** `replace`: an invitation was withdrawn and sent again. */
  readonly did: 'create' | 'change' | 'delete' | 'replace';
  /** No answer says that it was created or deleted. */
  readonly isUnsure: boolean;
  /** What was deleted. */
  readonly before: unknown;
  /** What it was created with, as it was sent. */
  readonly after: unknown;
  /** Of each field the first value before, and the last one after. */
  readonly changes: readonly FieldChange[];
  /** The record was not read before it was changed. */
  readonly isUnread: boolean;
  /** What no operation undoes. */
  readonly life: string | undefined;
}

/** What there is now of the record of a deed, and how its service is. */
export interface Seen {
  readonly dialect: Dialect;
  /** With its id; an invitation with its address. */
  readonly now?: ServiceRecord | undefined;
  /** Another one that has its name. */
  readonly other?: ServiceRecord | undefined;
  /** The user who has the address of an invitation. */
  readonly user?: ServiceRecord | undefined;
  /** What is in a created property, and was not created with it. */
  readonly strangers?: readonly string[];
  readonly past?: Past | undefined;
  /** The id of an attribute or a group that the journal names by its id, name or code. */
  readonly idOf: (word: string) => string;
  /** What the id of a record stands for: its own or, if it is created again, the new one or the row. */
  readonly linkOf: (id: string) => Link;
}

const lives = ['set-live', 'archive', 'reset'];
/** Fields whose values are added and removed one by one. */
const sets = ['properties', 'attributes'];

/** What requests did, a deed for each record that is not as it was before. */
export function deedsOf(sent: readonly Sent[]): readonly Deed[] {
  const deeds = new Map<string, Deed>();
  for (const request of sent)
    for (const row of request.rows) {
      const next = deedOf(request, row);
      const key = next && identityOf(next);
      const deed = next && key !== undefined ? joined(deeds.get(key), next) : undefined;
      if (key !== undefined) deeds.delete(key);
      if (key !== undefined && deed !== undefined) deeds.set(key, deed);
    }
  return [...deeds.values()];
}

function deedOf({ kind, action: did, rows, answer }: Sent, row: SentRow): Deed | undefined {
  if (!isKind(kind) || answer?.outcome === 'failed') return undefined;
  const { name, id = rows.length === 1 ? answer?.id : undefined, before, after } = row;
  const [was, now] = [before, after].map((each) => (did === 'change' && isRecord(each) ? each : {}));
  const { add_properties: to, remove_properties: from, ...fields } = now ?? {};
  const life = lives.find((each) => fields[each] === true);
  const edits = to === undefined && from === undefined ? [] : [{ field: 'properties', from, to }];
  const changes = differencesBetween(was ?? {}, fields).map((each) => {
    const field = each.path
      .join('.')
      .replace(/^extra\./, '')
      .replace(/^group$/, 'unit_group_id');
    return { field, from: each.from ?? undefined, to: each.to ?? undefined };
  });
  const isUnread = did === 'change' && !isRecord(before);
  const isUnsure = answer?.outcome !== 'done';
  return { kind, name, id, did, before, after, isUnsure, isUnread, life, changes: [...edits, ...changes] };
}

/** @returns `undefined` if nothing is left of both. */
function joined(earlier: Deed | undefined, next: Deed): Deed | undefined {
  if (earlier === undefined) return next;
  const id = next.id ?? earlier.id;
  const isUnsure = earlier.isUnsure && next.isUnsure;
  const isMade = earlier.did === 'create' || earlier.did === 'replace';
  const before = isMade ? earlier.before : (next.before ?? earlier.before);
  if (next.did === 'create')
    return { ...next, id, before, isUnsure, did: earlier.did === 'create' ? 'create' : 'replace' };
  if (next.did === 'change') {
    const first = (each: FieldChange) => earlier.changes.find(({ field }) => field === each.field) ?? each;
    const later = next.changes.map((each) => ({ ...each, from: first(each).from }));
    const kept = earlier.changes.filter(({ field }) => !later.some((each) => each.field === field));
    const isUnread = earlier.isUnread || next.isUnread;
    return { ...earlier, id, isUnread, life: next.life ?? earlier.life, changes: [...kept, ...later] };
  }
  if (isMade && next.isUnsure) return earlier;
  if (earlier.did === 'create') return undefined;
  return { ...next, id, before, changes: earlier.changes, isUnsure: earlier.did === 'delete' && isUnsure };
}

/** The row that turns a deed round. Its `reason` is what does not come back, or why nothing is sent. */
export function turned(deed: Deed, seen: Seen): Item {
  const { did, life, changes } = deed;
  if (life !== undefined)
    return itemFor(deed, 'cannot_change', { id: deed.id, reason: `${life} cannot be undone` });
  if (did === 'create') return uncreated(deed, seen);
  if (did === 'delete' && changes.length > 0)
    return conflict(deed, 'was changed, and then deleted: undo each of its requests, the last one first');
  if (did === 'delete' || did === 'replace') return recreated(deed, seen);
  // As the body of `innctl api`, which is a JSON Patch.
  if (deed.isUnread && changes.length === 0)
    return conflict(deed, 'the journal does not know what it was before: innctl history shows what was sent');
  return seen.now === undefined ? conflict(deed, 'is not there any more') : unchanged(deed, seen.now, seen);
}

function conflict({ kind, name, id }: Deed, reason: string): Item {
  return itemFor({ kind, name }, 'conflict', { id, reason });
}

/** Deletes what was created, if it is as it was created. */
function uncreated(deed: Deed, { now, other, user, strangers = [], past, dialect }: Seen): Item {
  const { kind, name, id, after, changes } = deed;
  if (user !== undefined && now === undefined)
    return conflict(deed, `was accepted; to disable the user: innctl people offboard ${name}`);
  if (deed.isUnsure && past?.creation?.isShown !== true)
    return conflict(deed, 'may have been created: repeat the command that creates it, and undo that');
  if (other !== undefined) return conflict(deed, `another one has this name now: ${String(other['id'])}`);
  if (now === undefined) return itemFor(deed, 'same', { id });
  if (strangers.length > 0) return conflict(deed, `has what this did not create: ${listed(strangers)}`);
  const fields = Object.entries(recordOf(after)).filter(
    ([field]) => !changes.some((each) => each.field === field || each.field.startsWith(`${field}.`)),
  );
  const since = changes.filter(({ field, to }) => !isAlike(shownAt(kind, now, field), to));
  const others = differing(kind, Object.fromEntries(fields), now, dialect);
  const changed = [...since.map(({ field }) => field), ...others];
  if (changed.length > 0) return conflict(deed, `was changed since: ${changed.join(', ')}`);
  const known = { id: idOf(kind, now), record: now, level: levelOf(now) };
  const reason = kind === 'invitation' ? 'the mail that went out stays' : undefined;
  return itemFor(deed, 'delete', { ...known, isReadBack: true, reason });
}

/** What does not come back of a record that is created again. */
const lost: Readonly<Partial<Record<Kind, string>>> = {
  property: 'may get another id; what else was in it does not come back',
  invitation: 'a new mail goes out',
};

/**
 * Creates what was deleted, if nothing has its name. An invitation that was sent again with other access is withdrawn, and sent as it
 * was.
 */
function recreated(deed: Deed, { now, other = now, user, past, linkOf, dialect }: Seen): Item {
  const { kind, id, did, before, after, isUnsure } = deed;
  const isReplaced = did === 'replace';
  if (!isRecord(before))
    return conflict(deed, 'the journal does not have it: it was not read before it was deleted');
  if (!isReplaced && isUnsure && now !== undefined) return itemFor(deed, 'same', { id });
  if (user !== undefined)
    return itemFor(deed, 'cannot_change', { reason: 'has a user, who cannot be invited again' });
  const body =
    kind === 'invitation' ? invitationFrom(before, dialect) : bodyFrom(kind, { ...past?.times, ...before });
  if (typeof body === 'string') return conflict(deed, body);
  const replacement = recordOf(after);
  if (isReplaced && differing(kind, body, replacement, dialect).length === 0)
    return itemFor(deed, 'cannot_change', { reason: 'a mail went out; the invitation gives what it gave' });
  if (other !== undefined) {
    const sent = isInventory(kind) ? inventoryBody(body, (_, word) => idThrough(linkOf(word), word)) : body;
    const changed = differing(kind, sent, other, dialect);
    if (changed.length === 0) return itemFor(deed, 'same', { id: idOf(kind, other) });
    const since = isReplaced ? differing(kind, replacement, other, dialect) : changed;
    if (since.length > 0) return conflict(deed, `is there again, and differs in ${since.join(', ')}`);
  }
  const missing = kind === 'invitation' ? [] : missingToCreate(kind, body, dialect);
  if (missing.length > 0) return conflict(deed, `the journal does not know ${missing.join(', ')}`);
  const name = (isInventory(kind) ? inventoryName(kind, body) : nameOf(kind, body)) ?? deed.name;
  const links = isInventory(kind) ? linksIn(kind, body, linkOf) : undefined;
  const { [kind]: reason = 'may get another id' } = lost;
  const again = other && ({ resends: 'listed', record: other, seen: hashOf(other) } as const);
  return itemFor({ kind, name }, 'create', { body, links, level: levelOf(before), reason, ...again });
}

/** Gives changed fields back what they had, unless they were changed since. */
function unchanged(deed: Deed, record: ServiceRecord, { idOf: idCalled, linkOf }: Seen): Item {
  const { kind, name, id, isUnread } = deed;
  const idFor = (word: string) => idThrough(linkOf(idCalled(word)), idCalled(word));
  const isLost = ({ field, from }: FieldChange) => from === undefined && timeFields.includes(field);
  const all = deed.changes
    .filter((each) => !isLost(each) && !sets.includes(each.field))
    .map((each) => {
      const { field } = each;
      const meant = (value: unknown) => (field === 'unit_group_id' ? idFor(String(value)) : value);
      const [from, to] = [meant(each.from), meant(each.to)];
      return { field, from, to, now: timeFields.includes(field) ? to : shownAt(kind, record, field) };
    });
  const blind = all.filter(({ field, from }) => from === undefined && (isUnread || !mayLack(kind, field)));
  const left = all.filter(({ now, from }) => !isAlike(now, from));
  const changed = left.filter(({ now, to }) => !isAlike(now, to));
  const texts = [
    ...blind.map(({ field }) => `the journal does not know ${field} from before`),
    ...changed.map((each) => {
      const [from, to, now] = [each.from, each.to, each.now].map(valueText);
      return `${each.field}: ${from} -> ${to}, and is ${now} now`;
    }),
  ];
  if (texts.length > 0)
    return conflict(deed, `${changed.length > 0 ? 'was changed since: ' : ''}${texts.join('; ')}`);
  const set = deed.changes.find(({ field }) => sets.includes(field));
  const held = kind === 'user' ? shownProperties(record) : idsIn(record['attributes']).map(String);
  const [before, after] = [textsIn(set?.from).map(idFor), textsIn(set?.to).map(idFor)];
  const add = before.filter((each) => !after.includes(each) && !held.includes(each));
  const remove = after.filter((each) => !before.includes(each) && held.includes(each));
  const back = [...held.filter((each) => !remove.includes(each)), ...add];
  const isEdited = add.length + remove.length > 0;
  const changes = left.map(({ field, from: to, now: from }) => ({ field, from, to }));
  const edit = { field: set?.field ?? 'properties', from: held, to: back };
  const shown = isEdited ? [...changes, edit] : changes;
  const reasons = [
    ...deed.changes.filter(isLost).map(({ field }) => `${field} stays: nothing shows what it was`),
    ...(kind === 'user' && add.length > 0 ? [`the roles at ${add.join(', ')} do not come back`] : []),
    ...(isUnread && remove.length > 0 ? [`perhaps ${remove.join(', ')} was there before`] : []),
  ];
  const reason = reasons.length === 0 ? undefined : reasons.join('; ');
  if (shown.length === 0)
    return itemFor(deed, reason === undefined ? 'same' : 'cannot_change', { id, reason });
  const item = itemFor({ kind, name }, 'change', { id, record, changes: shown, isReadBack: true, reason });
  if (kind === 'user') {
    const steps = userSteps(nested(changes));
    return { ...item, steps, edits: isEdited ? { addProperties: add, removeProperties: remove } : undefined };
  }
  if (!isInventory(kind)) return { ...item, steps: propertySteps(record, changes) };
  const { unit_group_id: group, attributes, ...values } = nested(shown);
  const body = { ...values, ...(group === undefined ? {} : { group }), ...(isEdited && { attributes }) };
  const links = linksIn(kind, body, linkOf);
  // What another row creates has no id yet.
  if ([...links.values()].some((link) => !('id' in link))) return { ...item, record: undefined, body, links };
  const wanted = { ...nested(changes), ...(isEdited && { attributes: back.map((each) => ({ id: each })) }) };
  const wantedFor = (each: ServiceRecord) => withOtherLanguages(each, wanted);
  return { ...item, wantedFor, steps: stepsTo(kind, record, wantedFor(record)) };
}

/** Texts are set as a whole where one has to go or is not there: no service documents the removal of one language. */
function propertySteps(record: ServiceRecord, changes: readonly FieldChange[]): readonly PatchStep[] {
  return [...groupBy(changes, rootOf)].flatMap(([root, some]) => {
    const isInside = root !== 'location' && some.every(({ field }) => field !== root);
    const isWhole = isInside && some.some(({ from, to }) => from === undefined || to === undefined);
    const value = tidy(recordOf(withOtherLanguages(record, nested(some))[root]));
    const to = Object.keys(value).length === 0 ? undefined : value;
    return (isWhole ? [{ field: root, from: record[root], to }] : some).map((each) => {
      const state = each.to === undefined ? 'removed' : each.from === undefined ? 'missing' : 'different';
      return stepOf({ ...each, path: each.field.split('.'), state }, 'property');
    });
  });
}

/** The fields of a body that a record does not show as they were sent. */
function differing(kind: Kind, body: ServiceRecord, now: ServiceRecord, dialect: Dialect): readonly string[] {
  const entry = { kind, name: '', place: { file: '', unit: 'line', number: 1 }, fields: body } as const;
  if (kind === 'property') {
    const { changes, cannotChange } = compareProperty(entry, now, dialect);
    return [...changes, ...cannotChange].map(({ field }) => field);
  }
  if (!isInventory(kind)) {
    const wider = isSameSet(shownProperties(body), shownProperties(now)) ? [] : ['properties'];
    const takesRoles = takes(dialect, 'createInvitation', 'roles');
    return [...new Set([...compareInvitation(entry, now, shownProperties(body), takesRoles), ...wider])];
  }
  const shown = inventoryBody(bodyFrom(kind, now), (_, id) => id);
  // The service sets choices and ranks where a creation does not.
  const isOwn = (field: string) => !['choice', 'whole'].includes(fieldOf(kind, field)?.type ?? '');
  const own = Object.keys(shown).filter(isOwn);
  const fields = [...new Set([...own, ...Object.keys(body)])];
  return fields.filter((field) => !isAlike(shown[field], body[field]));
}

/** The body that creates a record, other records by their ids. */
function bodyFrom(kind: Kind, record: ServiceRecord): ServiceRecord {
  const values = kindTable[kind].fields.map(({ name: field, path, type, shownAt: at = path }) => {
    const value = valueAt(record, at);
    const parts = recordsIn(value);
    const counts = parts.map(({ id, member_count }) => [id, member_count]);
    const list = type === 'counts' ? Object.fromEntries(counts) : idsIn(value);
    const text = type === 'languages' && !isRecord(value) ? undefined : value;
    return { field, from: undefined, to: parts.length > 0 ? list : Array.isArray(value) ? undefined : text };
  });
  return tidy(nested(values));
}

/** What the ids in a body of inventory stand for. */
function linksIn(kind: InventoryKind, body: ServiceRecord, linkOf: Seen['linkOf']) {
  const links = kindTable[kind].fields.flatMap(({ name, of }) => {
    const value = of && body[name];
    const words = isRecord(value) ? Object.keys(value) : textsIn([value].flat());
    return words.map((word) => [linkKey(name, word), linkOf(word)] as const);
  });
  return new Map<string, Link>(links);
}

function idThrough(link: Link, word: string): string {
  return 'id' in link ? link.id : word;
}

/** What is made of others of its kind comes after them. */
function levelOf(record: ServiceRecord): number {
  return recordsIn(record['connected_units'] ?? record['connected_unit_groups']).length > 0 ? 1 : 0;
}

function shownAt(kind: Kind, record: ServiceRecord, field: string): unknown {
  return valueAt(kind === 'unit' ? asWritten(record) : record, field.split('.'));
}

/** Whether a record may have no value there: of a text in one language, and of what is optional. */
function mayLack(kind: Kind, field: string): boolean {
  const known = kindTable[kind].fields.find(({ name }) => name === field);
  return kind !== 'user' && (known === undefined || known.isOptional === true);
}

function isAlike(one: unknown, other: unknown): boolean {
  const texts = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each));
  if (Array.isArray(one) && Array.isArray(other)) return isSameSet(texts(one), texts(other));
  const bare = (value: unknown) => (typeof value === 'string' ? value.trim() : (value ?? undefined));
  return isDeepStrictEqual(bare(one), bare(other));
}

/** Values by dotted names as the record that they are in. */
function nested(changes: readonly FieldChange[]): ServiceRecord {
  const roots = [...groupBy(changes, rootOf)].map(([root, some]) => {
    const inner = some.map(({ field, to }) => [field.slice(root.length + 1), to] as const);
    return [root, inner[0]?.[0] === '' ? inner[0][1] : Object.fromEntries(inner)] as const;
  });
  return Object.fromEntries(roots);
}

function rootOf({ field }: FieldChange): string {
  return field.split('.')[0] ?? field;
}

/** The texts in a list; none in anything else. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

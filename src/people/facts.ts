import * as v from 'valibot';
import { CliError, invalidInput, usageError } from '../cli/errors.ts';
import { readJson } from '../fs/document.ts';
import { inOneShape, invitesAdmin, newerRoles, personName, rolesByProperty } from '../model/access.ts';
import { hashOf } from '../model/canonical.ts';
import { momentOf } from '../model/dates.ts';
import { groupBy, isRecord, type ServiceRecord } from '../model/records.ts';
import { inCodeUnits, sameName } from '../model/text.ts';
import { translationIn } from '../out/cells.ts';

/** Every property: what an account admin reaches. */
export const EVERY_PROPERTY = '*';

/** The service does not show which properties a person has. */
export const NOT_SHOWN = '?';

const text = v.string('must be a text');
/** `null`: not shown. */
const truth = v.nullable(v.boolean('must be true, false or null'));
const count = v.number('must be a number');

/** What may be said of an account. `unknown`: the service does not show whether the user is enabled. */
export const states = ['active', 'disabled', 'invited', 'expired', 'unknown'] as const;

/** What one person may do at one property, from one record of the service. */
export type Fact = v.InferOutput<typeof factSchema>;

const factSchema = v.pipe(
  v.object({
    /** As the service shows it; a user without an address is named by the subject id. Compare with `sameAddress`. */
    email: v.pipe(text, v.nonEmpty('must not be empty')),
    /** `Ben Schuster`; empty where none is shown. */
    name: text,
    /** Of a user. */
    subject_id: v.exactOptional(text),
    state: v.picklist(states, `must be one of ${states.join(', ')}`),
    account_admin: truth,
    /** An id; `*`: every property; `?`: not shown; `null`: none. */
    property: v.nullable(text),
    /** In English, or in its first language; empty where unknown. */
    property_name: text,
    /** Sorted; `null`: not shown. */
    roles: v.nullable(v.pipe(v.array(text, 'must be a list of texts, or null'), v.readonly())),
    mfa: truth,
    passkeys: truth,
    invited_by: v.exactOptional(text),
    /** When an invitation was made, as the service shows it. */
    since: v.exactOptional(text),
    /** Whole days since then. It changes by itself, so it counts in no difference and no digest. */
    age_days: v.exactOptional(count),
    source: v.picklist(['user', 'invitation'], 'must be user or invitation'),
  }),
  v.readonly(),
);

/** Facts that were asked for: of some properties, of one person. */
export interface Selection {
  readonly properties?: readonly string[];
  readonly user?: string;
}

/** A property as reports name it. */
export type FoundProperty = v.InferOutput<typeof propertySchema>;

const propertySchema = v.pipe(
  v.object({
    id: text,
    /** What people call it; left out where it is the id, or not shown. */
    code: v.exactOptional(text),
    /** In English, or in its first language; empty where unknown. */
    name: text,
  }),
  v.readonly(),
);

/** All facts of an account, as `access report --json` prints them. Two of them differ in `made` alone if nothing changed. */
export type AccessDocument = v.InferOutput<typeof documentSchema>;

const aboutSchema = v.object({
  version: v.literal(1, 'must be 1: this innctl reads no other version'),
  made: text,
  identity_url: text,
  base_url: text,
  dialect: text,
  /** The user of the token; `null` for client credentials. */
  actor: v.nullable(text),
  complete: v.literal(true, 'must be true: a part of a report is no report'),
  /** What the facts are limited to. Such a report is printed, and not read. */
  selected: v.exactOptional(
    v.custom<Selection>(() => false, 'must not be there: a part of the account cannot stand for all of it'),
  ),
  /** Number of facts of which a part is not shown. */
  unknown: count,
  /** Sorted by id: those of the account, archived ones only if somebody has them, and others that somebody has. */
  properties: v.pipe(v.array(propertySchema, 'must be a list'), v.readonly()),
});

const documentSchema = v.pipe(
  v.object({
    access: v.pipe(aboutSchema, v.readonly()),
    count,
    items: v.pipe(v.array(factSchema, 'must be a list'), v.readonly()),
  }),
  v.readonly(),
);

/** What facts are made of: whole lists, known fields in snake_case. */
export interface AccessRecords {
  readonly users: readonly ServiceRecord[];
  readonly invitations: readonly ServiceRecord[];
  readonly properties: readonly ServiceRecord[];
  /** How long an invitation lives; `undefined`: it is never taken as expired. */
  readonly invitationDays: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const DAY_MS = 86_400_000;

/**
 * The facts of an account: one for each person, record and property, sorted by address, user before invitation, property.
 * Somebody without any property has one fact, too.
 *
 * @throws {CliError} `malformed_answer` for a record that names nobody.
 */
export function factsFrom(records: AccessRecords): readonly Fact[] {
  const findProperty = propertyFinder(records.properties.flatMap(propertyIn));
  const facts = [
    ...records.users.flatMap((user) => factsOfUser(inOneShape(user), findProperty)),
    ...records.invitations.flatMap((invitation) => factsOfInvitation(invitation, findProperty, records)),
  ];
  return facts
    .map((fact) => ({ fact, key: sameName(fact.email) }))
    .sort((one, other) => inCodeUnits(one.key, other.key) || inOrder(one.fact, other.fact))
    .map(({ fact }) => fact);
}

function inOrder(one: Fact, other: Fact): number {
  return (
    inCodeUnits(other.source, one.source) ||
    inCodeUnits(one.subject_id ?? '', other.subject_id ?? '') ||
    inCodeUnits(one.email, other.email) ||
    inCodeUnits(one.property ?? '', other.property ?? '')
  );
}

/** Whether two addresses are the same: services ignore case. */
export function sameAddress(one: string, other: string): boolean {
  return sameName(one) === sameName(other);
}

/** Names the user, or the invitations of an address, that a fact is about. Sorts by address. */
export function holderOf({ email, source, subject_id: subject }: Fact): string {
  return JSON.stringify([sameName(email), source, subject]);
}

/** The facts of each user, and of the invitations of each address. */
export function byHolder(facts: readonly Fact[]): readonly (readonly [Fact, ...Fact[]])[] {
  return [...groupBy(facts, holderOf).values()];
}

/** Whether the service does not show a part of what the person may do. An account admin needs no properties and roles. */
export function isUnknown({ state, account_admin: isAdmin, property, roles }: Fact): boolean {
  if (state === 'unknown' || isAdmin === null) return true;
  return !isAdmin && (property === NOT_SHOWN || roles === null);
}

/** Whether a person reaches a property: directly, or as an account admin. Records that do not show it may, and do not count. */
export function reaches(fact: Fact, property: string): boolean {
  return fact.property === property || fact.property === EVERY_PROPERTY;
}

/** Tells whether a fact is still the same: SHA-256 in hex, without what changes by itself. */
export function digestOf({ age_days: _, ...fact }: Fact): string {
  return hashOf(fact);
}

/** Finds a property by what records name: its id, or a code that only one property has. */
type FindProperty = (reference: string) => FoundProperty;

/** @returns finds by the reference itself what is not among the properties. */
export function propertyFinder(properties: readonly FoundProperty[]): FindProperty {
  const byId = new Map(properties.map((each) => [each.id, each]));
  const byCode = groupBy(properties, ({ code }) => code);
  return (reference) => {
    const [coded, ...others] = byCode.get(reference) ?? [];
    const found = byId.get(reference) ?? (others.length === 0 ? coded : undefined);
    return found ?? { id: reference, name: '' };
  };
}

function propertyIn({ id, code, name }: ServiceRecord): readonly FoundProperty[] {
  if (typeof id !== 'string') return [];
  const text = isRecord(name) ? translationIn(name) : name;
  const isOther = typeof code === 'string' && code !== id;
  return [{ id, ...(isOther ? { code } : {}), name: typeof text === 'string' ? text : '' }];
}

/** @param user in one shape. */
function factsOfUser(user: ServiceRecord, findProperty: FindProperty): readonly Fact[] {
  const { subject_id: id, enabled } = user;
  const roles = rolesByProperty(user['property_roles'], (reference) => findProperty(reference).id);
  const ids = shownIds(user, findProperty);
  const access = [...(ids ?? []), ...(roles?.keys() ?? [])].map((each) => {
    // Where roles are shown, a property without an entry has none.
    const isWithout = roles !== undefined && !roles.has(each);
    return [each, isWithout ? [] : roles?.get(each)] as const;
  });
  const record = {
    email: addressOf(user, 'a user'),
    name: personName(user),
    ...(typeof id === 'string' ? { subject_id: id } : {}),
    state: typeof enabled === 'boolean' ? (enabled ? 'active' : 'disabled') : 'unknown',
    account_admin: truthOrNull(user['is_account_admin']),
    ...nowhere,
    mfa: truthOrNull(user['is_mfa_enabled']),
    passkeys: truthOrNull(user['is_passkeys_enabled']),
    source: 'user',
  } as const;
  return factsAt(record, access, ids !== undefined, findProperty);
}

function factsOfInvitation(
  invitation: ServiceRecord,
  findProperty: FindProperty,
  { invitationDays = Number.POSITIVE_INFINITY, now }: Pick<AccessRecords, 'invitationDays' | 'now'>,
): readonly Fact[] {
  const { created, invited_by: inviter } = invitation;
  const made = momentOf(created);
  const age = made === undefined ? undefined : Math.max(0, Math.floor((now - made) / DAY_MS));
  const roles = shownRoles(invitation);
  const ids = shownIds(invitation, findProperty);
  const record = {
    email: addressOf(invitation, 'an invitation'),
    name: '',
    state: age !== undefined && age >= invitationDays ? 'expired' : 'invited',
    account_admin: invitesAdmin(invitation) || truthOrNull(invitation['is_account_admin']),
    ...nowhere,
    // Those of an account admin belong to no property.
    roles: roles ?? [],
    mfa: null,
    passkeys: null,
    ...(typeof inviter === 'string' ? { invited_by: inviter } : {}),
    ...(typeof created === 'string' ? { since: created } : {}),
    ...(age === undefined ? {} : { age_days: age }),
    source: 'invitation',
  } as const;
  const access = (ids ?? []).map((each) => [each, roles] as const);
  return factsAt(record, access, ids !== undefined, findProperty);
}

/** A fact before its property is known: fields keep their order. */
const nowhere = { property: null, property_name: '', roles: [] } as const;

/**
 * The facts of one record.
 *
 * @param record its fact without a property, with the roles of an account admin.
 * @param access properties and the roles there, `undefined` if not shown.
 * @param isWhole whether the record shows all properties.
 */
function factsAt(
  record: Fact,
  access: readonly (readonly [property: string, roles: readonly string[] | undefined])[],
  isWhole: boolean,
  findProperty: FindProperty,
): readonly Fact[] {
  const isAdmin = record.account_admin === true;
  const places = new Map<Fact['property'], Fact['roles'] | undefined>([
    ...(isAdmin ? [[EVERY_PROPERTY, record.roles] as const] : []),
    ...access,
    ...(isWhole || isAdmin ? [] : [[NOT_SHOWN, null] as const]),
  ]);
  if (places.size === 0) places.set(null, []);
  return [...places].map(([property, roles]) => ({
    ...record,
    property,
    property_name: property === null ? '' : findProperty(property).name,
    roles: roles ? [...new Set(roles)].sort(inCodeUnits) : null,
  }));
}

/** The properties of a record; `undefined` if it does not show them. */
function shownIds({ properties }: ServiceRecord, findProperty: FindProperty): readonly string[] | undefined {
  if (properties === null) return [];
  const isReadable = Array.isArray(properties) && properties.every((each) => typeof each === 'string');
  return isReadable ? properties.map((each) => findProperty(each).id) : undefined;
}

/** The roles of an invitation, under their newer names; `undefined` if it does not show them. */
function shownRoles(invitation: ServiceRecord): readonly string[] | undefined {
  const { role, roles } = invitation;
  const isReadable = [role, roles].flat().every((each) => typeof (each ?? '') === 'string');
  return (role === undefined && roles === undefined) || !isReadable ? undefined : newerRoles(invitation);
}

function addressOf({ email, subject_id: id }: ServiceRecord, noun: string): string {
  const found = [email, id].find((each) => typeof each === 'string' && each.trim() !== '');
  if (typeof found === 'string') return found;
  const sentence = `The service lists ${noun} without an e-mail address, so nobody can tell who has that access.`;
  throw new CliError('malformed_answer', sentence);
}

function truthOrNull(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/**
 * The facts of an account as one document.
 *
 * @param properties of the account.
 * @param about where they are from.
 */
export function documentOf(
  items: readonly Fact[],
  properties: readonly ServiceRecord[],
  about: Pick<AccessDocument['access'], 'made' | 'identity_url' | 'base_url' | 'dialect' | 'actor'>,
): AccessDocument {
  const named = items.flatMap(({ property: id, property_name: name }) => (isPlace(id) ? [{ id, name }] : []));
  const isNamed = new Set(named.map(({ id }) => id));
  const listed = properties.filter(
    ({ id, is_archived: isArchived }) => isArchived !== true || isNamed.has(String(id)),
  );
  const known = new Map<string, FoundProperty>(
    [...named, ...listed.flatMap(propertyIn)].map((each) => [each.id, each]),
  );
  const sorted = [...known.values()].sort((one, other) => inCodeUnits(one.id, other.id));
  const unknown = items.filter(isUnknown).length;
  const access = { version: 1, ...about, complete: true, unknown, properties: sorted } as const;
  return { access, count: items.length, items };
}

/** What to call each property in little space: its code if no other has it, else its id. */
export function propertyLabels(properties: readonly FoundProperty[]): ReadonlyMap<string, string> {
  const names = properties.map(({ id, code = id }) => code);
  const isUnique = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return new Map(properties.map(({ id, code = id }) => [id, isUnique(code) ? code : id]));
}

/** Whether a fact is about one property. */
export function isPlace(property: Fact['property']): property is string {
  return property !== null && property !== EVERY_PROPERTY && property !== NOT_SHOWN;
}

/** Where a fact is, in words. @param labels by id. */
export function placeText(property: unknown, labels?: ReadonlyMap<string, string>): string {
  if (property === EVERY_PROPERTY) return 'every property';
  if (property === NOT_SHOWN) return 'not shown';
  return typeof property === 'string' ? (labels?.get(property) ?? property) : 'none';
}

/**
 * A saved report.
 *
 * @param name the file, for sentences.
 * @throws {CliError} exit 2 when it is no JSON; when it is not what `access report --json` prints, with all places.
 */
export async function readDocument(json: string, name: string): Promise<AccessDocument> {
  const value = await readJson(json, name);
  const hint = 'innctl access report --json > access.json makes one.';
  if (!isRecord(value) || !isRecord(value['access'])) throw usageError(`${name} is no access report.`, hint);
  const { success, output, issues } = v.safeParse(documentSchema, value);
  if (!success) {
    const details = issues.map((issue) => ({
      field: `${name}: ${v.getDotPath(issue) ?? 'the report'}`,
      reason: issue.received === 'undefined' ? 'is missing' : issue.message,
    }));
    throw invalidInput(details, hint);
  }
  const { count, items } = output;
  if (count !== items.length)
    throw usageError(`${name} counts ${count} facts and has ${items.length}: it was cut, or edited.`, hint);
  return output;
}

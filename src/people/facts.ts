import { CliError } from '../cli/errors.ts';
import { inOneShape, invitesAdmin, newerRoles, personName, rolesByProperty } from '../model/access.ts';
import { momentOf } from '../model/dates.ts';
import { groupBy, isRecord, type ServiceRecord } from '../model/records.ts';
import { andList, counted, inCodeUnits, sameName } from '../model/text.ts';
import { translationIn } from '../print/cells.ts';
import type { AccessDocument, Fact, FoundProperty } from './access-document.ts';

/** Every property: what an account admin reaches. */
export const EVERY_PROPERTY = '*';

/** The service does not show which properties a person has. */
export const NOT_SHOWN = '?';

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
  // Where roles are shown, a property without an entry has none.
  const access = new Map<Place, Roles>(ids?.map((each) => [each, roles === undefined ? null : []]));
  for (const [each, own] of roles ?? []) access.set(each, own ?? null);
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
  const access = new Map<Place, Roles>(ids?.map((each) => [each, roles ?? null]));
  return factsAt(record, access, ids !== undefined, findProperty);
}

/** A fact before its property is known: fields keep their order. */
const nowhere = { property: null, property_name: '', roles: [] } as const;

type Place = Fact['property'];

/** `null`: not shown. */
type Roles = Fact['roles'];

/**
 * The facts of one record.
 *
 * @param record its fact without a property, with the roles of an account admin.
 * @param access properties and the roles there.
 * @param isWhole whether the record shows all properties.
 */
function factsAt(
  record: Fact,
  access: ReadonlyMap<Place, Roles>,
  isWhole: boolean,
  findProperty: FindProperty,
): readonly Fact[] {
  const places = new Map(access);
  if (record.account_admin === true) places.set(EVERY_PROPERTY, record.roles);
  else if (!isWhole) places.set(NOT_SHOWN, null);
  if (places.size === 0) places.set(null, []);
  return [...places].map(([property, roles]) => ({
    ...record,
    property,
    property_name: property === null ? '' : findProperty(property).name,
    roles: roles && [...new Set(roles)].sort(inCodeUnits),
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
  const sentence = `The service lists ${noun} without an e-mail address, so its access cannot be assigned to a person.`;
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
  const known = new Map<string, FoundProperty>();
  for (const { property: id, property_name: name } of items) if (isPlace(id)) known.set(id, { id, name });
  const listed = properties.filter((each) => each['is_archived'] !== true || known.has(String(each['id'])));
  for (const each of listed.flatMap(propertyIn)) known.set(each.id, each);
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

/** `12 people, of them 2 active account admins and 1 disabled.` */
export function summaryOf(items: readonly Fact[]): string {
  const count = (test: (fact: Fact) => boolean) =>
    new Set(items.filter(test).map(({ email }) => sameName(email))).size;
  const inState = (wanted: Fact['state']) => count(({ state }) => state === wanted);
  const admins = count(({ account_admin: isAdmin, state }) => isAdmin === true && state === 'active');
  const parts = [
    admins === 0 ? '' : counted(admins, 'active account admin'),
    ...(['disabled', 'invited', 'expired'] as const).map((state) =>
      inState(state) === 0 ? '' : `${inState(state)} ${state}`,
    ),
  ].filter(Boolean);
  const people = counted(count(Boolean), 'person', 'people');
  return `${people}${parts.length > 0 ? `, of them ${andList(parts)}` : ''}.`;
}

/** Whether a fact is about one property. */
function isPlace(property: Fact['property']): property is string {
  return property !== null && property !== EVERY_PROPERTY && property !== NOT_SHOWN;
}

/** Where a fact is, in words. @param labels by id. */
export function placeText(property: unknown, labels?: ReadonlyMap<string, string>): string {
  if (property === EVERY_PROPERTY) return 'every property';
  if (property === NOT_SHOWN) return 'not shown';
  return typeof property === 'string' ? (labels?.get(property) ?? property) : 'none';
}

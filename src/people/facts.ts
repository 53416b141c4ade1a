import {
  adminFlag,
  inOneShape,
  invitesAdmin,
  newerRoles,
  personName,
  placedRoles,
  rolesByProperty,
  shownProperties,
} from '../model/access.ts';
import { momentOf } from '../model/dates.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import { groupBy, isRecord, type ServiceRecord } from '../model/records.ts';
import {
  andList,
  counted,
  didYouMean,
  inCodeUnits,
  nearest,
  nearestAddress,
  quote,
  sameName,
} from '../model/text.ts';
import { translationIn } from '../print/cells.ts';
import type { AccessDocument, Fact, FoundProperty, Selection } from './access-document.ts';

/** Every property: what an account admin reaches. */
export const EVERY_PROPERTY = '*';

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
 */
export function factsFrom(records: AccessRecords): readonly Fact[] {
  const findProperty = propertyFinder(records.properties.map(propertyIn));
  const facts = [
    ...records.users.flatMap((user) => factsOfUser(inOneShape(user), findProperty)),
    ...records.invitations.flatMap((invitation) => factsOfInvitation(invitation, findProperty, records)),
  ];
  const keyOf = ({ email, source, subject_id: id = '', property }: Fact) => [
    ...[sameName(email), source === 'user' ? '' : source, id, email, property ?? ''],
  ];
  return facts
    .map((fact) => ({ fact, key: keyOf(fact).join('\0') }))
    .sort((one, other) => inCodeUnits(one.key, other.key))
    .map(({ fact }) => fact);
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

/** Whether the service does not show the roles of a person there. An account admin needs none. */
export function isUnknown({ account_admin: isAdmin, roles }: Fact): boolean {
  return !isAdmin && roles === null;
}

/** Whether a person reaches a property: directly, or as an account admin. */
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

/** A property as facts name it. */
export function propertyIn({ id, code, name }: ServiceRecord): FoundProperty {
  const text = isRecord(name) ? translationIn(name) : name;
  const isOther = typeof code === 'string' && code !== id;
  return { id: String(id), ...(isOther ? { code } : {}), name: typeof text === 'string' ? text : '' };
}

/** @param user in one shape. */
function factsOfUser(user: ServiceRecord, findProperty: FindProperty): readonly Fact[] {
  const { subject_id: id, email, enabled } = user;
  const roles = rolesByProperty(user[placedRoles], (reference) => findProperty(reference).id);
  // Where roles are shown, a property without an entry has none.
  const other = roles === undefined ? null : [];
  const record = {
    email: typeof email === 'string' && email.trim() !== '' ? email : String(id),
    name: personName(user),
    subject_id: String(id),
    state: enabled === false ? 'disabled' : 'active',
    account_admin: user[adminFlag] === true,
    ...nowhere,
    mfa: user['is_mfa_enabled'] === true,
    passkeys: user['is_passkeys_enabled'] === true,
    source: 'user',
  } as const;
  return factsAt(record, [...placesIn(user, findProperty, other), ...(roles ?? [])], findProperty);
}

function factsOfInvitation(
  invitation: ServiceRecord,
  findProperty: FindProperty,
  { invitationDays = Number.POSITIVE_INFINITY, now }: Pick<AccessRecords, 'invitationDays' | 'now'>,
): readonly Fact[] {
  const { email, created, invited_by: inviter } = invitation;
  const made = momentOf(created);
  const age = made === undefined ? undefined : Math.max(0, Math.floor((now - made) / DAY_MS));
  const roles = newerRoles(invitation);
  const record = {
    email: String(email),
    name: '',
    state: age !== undefined && age >= invitationDays ? 'expired' : 'invited',
    account_admin: invitesAdmin(invitation),
    ...nowhere,
    // Those of an account admin belong to no property.
    roles,
    mfa: null,
    passkeys: null,
    ...(typeof inviter === 'string' ? { invited_by: inviter } : {}),
    ...(typeof created === 'string' ? { since: created } : {}),
    ...(age === undefined ? {} : { age_days: age }),
    source: 'invitation',
  } as const;
  return factsAt(record, placesIn(invitation, findProperty, roles), findProperty);
}

/** A fact before its property is known: fields keep their order. */
const nowhere = { property: null, property_name: '', roles: [] } as const;

/** A property, and the roles there. */
type Place = readonly [Fact['property'], Fact['roles']];

function placesIn(record: ServiceRecord, findProperty: FindProperty, roles: Fact['roles']): readonly Place[] {
  return shownProperties(record).map((reference) => [findProperty(reference).id, roles]);
}

/**
 * The facts of one record.
 *
 * @param record its fact without a property, with the roles of an account admin.
 * @param access the last place of a property counts.
 */
function factsAt(record: Fact, access: readonly Place[], findProperty: FindProperty): readonly Fact[] {
  const places = new Map(access);
  if (record.account_admin) places.set(EVERY_PROPERTY, record.roles);
  if (places.size === 0) places.set(null, []);
  return [...places].map(([property, roles]) => ({
    ...record,
    property,
    property_name: property === null ? '' : findProperty(property).name,
    roles: roles && [...new Set(roles)].sort(inCodeUnits),
  }));
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
  for (const { property: id, property_name: name } of items)
    if (id !== null && id !== EVERY_PROPERTY) known.set(id, { id, name });
  const listed = properties.filter((each) => each['is_archived'] !== true || known.has(String(each['id'])));
  for (const each of listed.map(propertyIn)) known.set(each.id, each);
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
  const admins = count(({ account_admin: isAdmin, state }) => isAdmin && state === 'active');
  const others = (['disabled', 'invited', 'expired'] as const).flatMap((wanted) => {
    const found = count(({ state }) => state === wanted);
    return found === 0 ? [] : [`${found} ${wanted}`];
  });
  const parts = [...(admins === 0 ? [] : [counted(admins, 'active account admin')]), ...others];
  const people = counted(count(Boolean), 'person', 'people');
  return `${people}${parts.length > 0 ? `, of them ${andList(parts)}` : ''}.`;
}

/** Where a fact is, in words. @param labels by id. */
export function placeText(property: unknown, labels?: ReadonlyMap<string, string>): string {
  if (property === EVERY_PROPERTY) return 'every property';
  return typeof property === 'string' ? (labels?.get(property) ?? property) : 'none';
}

/** The roles of a fact, in words; empty for somebody without a property. */
export function rolesText({ property, roles }: ServiceRecord): string {
  if (property === EVERY_PROPERTY) return 'account admin';
  if (!Array.isArray(roles)) return 'not shown';
  return roles.length === 0 && property !== null ? 'no role' : roles.join(', ');
}

/** Letters of the first word that a code may have. */
const MOST_LETTERS = 6;

/**
 * A short code for each role of some facts, for cells of a matrix: `FD` for FrontDesk, `HK` for Housekeeping, `AU` for
 * Auditor. Codes are unique: where the initials are not, the first word gives more letters, as in `REVM` and `RESM`.
 */
export function roleCodes(facts: readonly Fact[]): ReadonlyMap<string, string> {
  const roles = [...new Set(facts.flatMap((fact) => fact.roles ?? []))].sort(inCodeUnits);
  const codes = new Map<string, string>();
  for (let letters = 1; letters <= MOST_LETTERS; letters++) {
    const taken = new Set(codes.values());
    const open = roles.filter((role) => !codes.has(role));
    for (const [code, [role, ...others]] of groupBy(open, (each) => codeOf(each, letters)))
      if (others.length === 0 && !taken.has(code)) codes.set(role, code);
  }
  return new Map(roles.map((role) => [role, codes.get(role) ?? role]));
}

/** @param letters of the first word; a single word gives one more. */
function codeOf(role: string, letters: number): string {
  const [first, ...others] = role
    .replace('keeping', 'Keeping')
    .split(/(?=\p{Lu})|[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  if (first === undefined) return role;
  const start = first.slice(0, others.length === 0 ? letters + 1 : letters);
  return [start, ...others.map((word) => word.slice(0, 1))].join('').toUpperCase();
}

/** The cell at each property; at every other one that of `*`. Access that cannot be used now is in brackets. */
export function cellsOf(
  facts: readonly Fact[],
  codes: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const cells = facts.flatMap(({ property, roles, state, account_admin: isAdmin }) => {
    if (property === null) return [];
    const own = property === EVERY_PROPERTY ? [] : (roles?.map((role) => codes.get(role) ?? role) ?? ['?']);
    const text = [...(isAdmin ? ['*'] : []), ...own].join(' ') || '-';
    return [[property, state === 'active' ? text : `(${text})`] as const];
  });
  return new Map(cells);
}

/** What the cells mean. */
export function legendOf(codes: ReadonlyMap<string, string>): readonly string[] {
  const signs = ['* account admin', '- no role', '? not shown', '( ) not now'];
  return [...[...codes].map(([role, code]) => `${code} ${role}`), ...signs];
}

/**
 * The part of a report that was asked for: properties by id or code, a user by address or subject id. Of a property, these are
 * all who reach it.
 *
 * @throws {CliError} exit 3 for a property or a person that the report does not name.
 */
export function selectFacts(document: AccessDocument, { properties, user }: Selection): AccessDocument {
  if (properties === undefined && user === undefined) return document;
  const { access, items } = document;
  const ids = properties?.map((reference) => propertyCalled(reference, access.properties));
  const found = user === undefined ? items : factsOf(user, items);
  const isWanted = (fact: Fact) => ids === undefined || ids.some((id) => reaches(fact, id));
  const selected = found.filter(isWanted);
  const places = access.properties.filter(({ id }) => ids === undefined || ids.includes(id));
  return {
    access: {
      ...access,
      selected: {
        ...(ids && { properties: ids }),
        ...(user !== undefined && { user: found[0]?.email ?? user }),
      },
      unknown: selected.filter(isUnknown).length,
      properties: places,
    },
    count: selected.length,
    items: selected,
  };
}

/** The id of a property that is named by its id, or by a code that no other has. */
function propertyCalled(reference: string, properties: readonly FoundProperty[]): string {
  const found = propertyFinder(properties)(reference);
  if (properties.includes(found)) return found.id;
  const names = properties.flatMap(({ id, code = id }) => [id, code]);
  throw notFound(`There is no property ${quote(reference)}.`, nearest(reference, names));
}

/** Those of one person, named by an e-mail address or a subject id. */
function factsOf(user: string, items: readonly Fact[]): readonly Fact[] {
  const found = items.filter(({ email, subject_id: id }) => id === user || sameAddress(email, user));
  if (found.length > 0) return found;
  const sentence = `No user or invitation has the e-mail address ${quote(user)}.`;
  const addresses = [...new Set(items.map(({ email }) => email))];
  throw notFound(sentence, nearestAddress(user, addresses));
}

function notFound(sentence: string, meant: string | undefined): CliError {
  return new CliError('not_found', sentence, { exitCode: ExitCode.notFound, hint: didYouMean(meant) });
}

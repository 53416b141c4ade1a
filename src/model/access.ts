import type { Comparison, PatchStep } from './patch.ts';
import { groupBy, isRecord, isSameSet, type ServiceRecord } from './records.ts';

const PATH = '/properties';

/** The flag of an account admin, as `plain` gives it. */
const ADMIN_FLAG = 'isaccountadmin';

/** The fields of a user that say where which roles are, and that every property is open. */
export const placedRoles = 'property_roles';
export const adminFlag = 'is_account_admin';

/** Properties that a user gains and loses; the others stay. */
export interface PropertyEdits {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** The result of adding and removing properties. */
export type PropertiesResult = ReturnType<ReturnType<typeof planProperties>['result']>;

/**
 * Plans to add properties to those of a user, and to remove some. The service replaces the whole list, so the other
 * properties are sent along. The plan keeps the lists that it has read and sent.
 */
export function planProperties({ add, remove }: PropertyEdits) {
  /** Lists that no other client made: the first one, and each that was sent. */
  const known: (readonly string[])[] = [];
  let base: readonly string[] = [];
  let sent: readonly string[] | undefined;
  let isChangedMeanwhile = false;
  const see = (now: readonly string[]) => {
    isChangedMeanwhile ||= known.length > 0 && !known.some((each) => isSameSet(each, now));
    if (known.length === 0) known.push(now);
  };
  const without = (ids: readonly string[]) => ids.filter((id) => !remove.includes(id));
  const isDone = (now: readonly string[]) => isSubset(add, now) && without(now).length === now.length;
  return {
    /**
     * The step to the wanted list; none if the record has it already.
     */
    stepsFor(seen: ServiceRecord): readonly PatchStep[] {
      const now = shownProperties(seen);
      see(now);
      base = now;
      if (isDone(now)) return [];
      sent = [...new Set([...without(now), ...add])];
      known.push(sent);
      return [{ op: 'add', path: PATH, value: sent }];
    },
    /** Whether a record shows all properties that were to stay: a loss may be a mistake. */
    isPlausible: (record: ServiceRecord): boolean => isSubset(without(base), shownProperties(record)),
    /** Whether a record shows all that was added, and nothing that was removed. */
    judge(record: ServiceRecord): Comparison {
      return { different: isDone(shownProperties(record)) ? [] : [PATH], unseen: [] };
    },
    /**
     * @param record as it was read back.
     * @returns the properties as first read (`before`), the list that was sent last (`sent`, `undefined` if none was) and
     * the list as read back (`now`, `undefined` if not read); those that were added and are missing now; and
     * whether another client changed them since the first read.
     */
    result(record: ServiceRecord | undefined) {
      const now = record && shownProperties(record);
      if (now !== undefined) see(now);
      const missing = now === undefined ? [] : add.filter((id) => !now.includes(id));
      return { before: known[0] ?? [], sent, now, missing, isChangedMeanwhile };
    },
  };
}

/** The ids of the properties of a user or an invitation, and of those where the user has roles. */
export function shownProperties({ properties, property_roles: roles }: ServiceRecord): readonly string[] {
  const entries = [properties ?? [], roles ?? []].flat();
  return [...new Set(entries.map(idOf).filter((id) => typeof id === 'string'))];
}

function isSubset(some: readonly string[], others: readonly string[]): boolean {
  return some.every((each) => others.includes(each));
}

function idOf(entry: unknown): unknown {
  return isRecord(entry) ? entry['id'] : entry;
}

/** First and last name of a user; empty where neither is shown. */
export function personName({ first_name: first, last_name: last }: ServiceRecord): string {
  return [first, last].filter((name) => typeof name === 'string' && name !== '').join(' ');
}

/** The names under `role` and `roles` of an invitation, each once. */
export function rolesOf({ role, roles }: ServiceRecord): readonly string[] {
  const named: readonly unknown[] = [role, ...(Array.isArray(roles) ? roles : [roles])];
  return [...new Set(named.filter((name) => typeof name === 'string'))];
}

/** Older names that `role` of an invitation accepts and may show, with those in the role list. */
export const olderRoles: Readonly<Record<string, readonly string[]>> = {
  FinanceManager: ['Accountant'],
  ReservationOffice: ['ReservationManager'],
  FrontOffice: ['FrontDesk', 'FrontDeskSenior'],
};

/** The roles under their names in the role list: `role` may have an older name of one of them. */
export function newerRoles({ role, roles }: ServiceRecord): readonly string[] {
  const newer = rolesOf({ roles });
  return newer.length > 0 ? newer : rolesOf({ role });
}

/** The fields for some roles: `role` for a single one, as in the contract. */
export function roleFields(names: readonly string[]) {
  const [role] = names;
  if (role === undefined) return {};
  return names.length === 1 ? { role } : { roles: names };
}

/** Whether an invitation, in any spelling, makes an account admin: by the flag or by a role. */
export function invitesAdmin(invitation: ServiceRecord): boolean {
  return Object.entries(invitation).some(([name, value]) => {
    const field = plain(name);
    if (field === ADMIN_FLAG) return isGiving(value);
    const isRole = field === 'role' || field === 'roles';
    return (
      isRole && [value].flat().some((role) => typeof role === 'string' && plain(role) === 'accountadmin')
    );
  });
}

/** Whether an invitation gives any access. */
export function givesAccess(invitation: ServiceRecord): boolean {
  const { properties } = invitation;
  const isSomewhere = Array.isArray(properties) && properties.length > 0;
  return (isSomewhere && rolesOf(invitation).length > 0) || invitesAdmin(invitation);
}

/**
 * Whether a listed invitation shows other access than was sent; what it does not show is no difference. A service may
 * list the older name of a role under `role`, and what was sent under `roles`; `role` alone is one of several. Of an
 * account admin it may show neither roles nor properties.
 */
export function showsOtherAccess(listed: ServiceRecord, sent: ServiceRecord): boolean {
  const { properties, is_account_admin: isAdmin } = listed;
  const { properties: wanted = [], is_account_admin: isWanted = false } = sent;
  if (typeof isAdmin === 'boolean' && isAdmin !== isWanted) return true;
  if (isWanted === true) return false;
  if (Array.isArray(properties) && Array.isArray(wanted) && !isSameSet(properties, wanted)) return true;
  const [shown, roles] = [rolesOf(listed), rolesOf(sent)];
  if (Array.isArray(listed['roles'])) return roles.some((role) => !shown.includes(role));
  return shown.length > 0 && roles.length > 0 && !roles.some((role) => shown.includes(role));
}

/** Whether a field is the flag of an account admin, in any spelling that a service may accept. */
export function isAdminFlag(name: string): boolean {
  return plain(name) === ADMIN_FLAG;
}

/** Whether a value of that flag may make a user an account admin. */
export function isGiving(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined;
}

/** A name without the differences that services ignore: case, underscores, blanks. */
export function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** Whether a record shows full access to every property. */
export function hasFullAccess(record: ServiceRecord): boolean {
  return record[adminFlag] === true;
}

/** What a user may do at one property. */
interface Access extends ServiceRecord {
  readonly id: string;
}

/**
 * A user in the shape of a single record: `properties` are ids, `property_roles` are `{id, roles}`. In lists the public
 * service has the properties as `{id, roles}` instead.
 *
 * Fields are not invented; but no properties means no roles. An entry with nothing but an id gives no `property_roles`. Roles in
 * both fields are merged.
 *
 * @param user as `normalise` gives it.
 */
export function inOneShape(user: ServiceRecord): ServiceRecord {
  const { properties, property_roles: shown } = user;
  if (!Array.isArray(properties)) return user;
  if (properties.length === 0) return { ...user, property_roles: shown ?? [] };
  const listed = properties.filter(isAccess);
  if (listed.length === 0) return user;
  const ids = [...new Set(properties.map(idOf))];
  const described = listed.filter((entry) => Object.keys(entry).length > 1);
  const entries = [...[shown].flat().filter(isAccess), ...described];
  if (entries.length === 0) return { ...user, properties: ids };
  return { ...user, properties: ids, property_roles: united(entries) };
}

function isAccess(entry: unknown): entry is Access {
  return isRecord(entry) && typeof entry['id'] === 'string';
}

/** One entry for each property: the first value of a field stays, but lists of roles are merged. */
function united(entries: readonly Access[]): readonly Access[] {
  const groups = [...groupBy(entries, ({ id }) => id)];
  if (groups.length === entries.length) return entries;
  return groups.map(([id, own]) => {
    const fields = Object.fromEntries(own.toReversed().flatMap((entry) => Object.entries(entry)));
    return own.length === 1 ? own[0] : { ...fields, id, roles: [...new Set(own.flatMap(rolesIn))] };
  });
}

function rolesIn({ roles }: Access): readonly string[] {
  return Array.isArray(roles) ? roles : [];
}

/**
 * The roles of a list of `{id, roles}` by id; `undefined` without a list. Roles of several entries of one property are merged.
 *
 * @param idOf resolves the id of an entry.
 */
export function rolesByProperty(
  list: unknown,
  idOf = (id: string) => id,
): ReadonlyMap<string, readonly string[]> | undefined {
  if (!Array.isArray(list)) return undefined;
  const found = united(list.filter(isAccess).map((entry) => ({ ...entry, id: idOf(entry.id) })));
  return new Map(found.map((entry) => [entry.id, rolesIn(entry)]));
}

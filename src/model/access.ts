import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Comparison, PatchStep } from './patch.ts';
import { groupBy, isRecord, isSameSet, type ServiceRecord } from './records.ts';

const PATH = '/properties';

/** Properties that a user gains and loses; those in neither list stay. */
export interface PropertyEdits {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** The result of adding and removing properties. */
export interface PropertiesResult {
  /** The properties as first read. */
  readonly before: readonly string[];
  /** All properties that were sent last; `undefined` where none had to be. */
  readonly sent: readonly string[] | undefined;
  /** Those that were read back; `undefined` where they were not, or are not shown. */
  readonly now: readonly string[] | undefined;
  /** Those that were to be added and are not there now. */
  readonly missing: readonly string[];
  /** Another client changed them since the first read. */
  readonly isChangedMeanwhile: boolean;
}

/** A plan to add and remove properties. The service replaces the whole list, so the other properties are sent along. */
export interface PropertiesPlan {
  /**
   * The step that makes a record what is wanted; none where it is that already.
   *
   * @throws {CliError} `not_readable`, exit 6, when the record does not show them: an edit of what cannot be seen takes
   * it away.
   */
  stepsFor(seen: ServiceRecord): readonly PatchStep[];
  /** Whether a record shows what stays of the properties that the steps were last made from: a loss may be a slip. */
  isPlausible(record: ServiceRecord): boolean;
  /** What a record says of the edits: all that was added is there and nothing that was removed, whatever else is. */
  judge(record: ServiceRecord): Comparison;
  /** @param record as it was read back. */
  result(record: ServiceRecord | undefined): PropertiesResult;
}

/** Plans to add properties to those that a user has, and to remove some. */
export function planProperties(subjectId: string, { add, remove }: PropertyEdits): PropertiesPlan {
  /** Expected states: the first one, and each that was sent. */
  const known: (readonly string[])[] = [];
  let base: readonly string[] = [];
  let sent: readonly string[] | undefined;
  let isChangedMeanwhile = false;
  const see = (now: readonly string[]) => {
    isChangedMeanwhile ||= known.length > 0 && !known.some((each) => isSameSet(each, now));
    if (known.length === 0) known.push(now);
  };
  const without = (ids: readonly string[]) => ids.filter((id) => !remove.includes(id));
  const isThere = (now: readonly string[]) => isSubset(add, now) && without(now).length === now.length;
  return {
    stepsFor: (seen) => {
      const now = shownProperties(seen);
      if (now === undefined) throw notShown(subjectId);
      see(now);
      base = now;
      if (isThere(now)) return [];
      sent = [...new Set([...without(now), ...add])];
      known.push(sent);
      return [{ op: 'add', path: PATH, value: sent }];
    },
    isPlausible: (record) => isSubset(without(base), shownProperties(record) ?? []),
    judge: (record) => {
      const now = shownProperties(record);
      if (now === undefined) return { different: [], unseen: [PATH], absent: [] };
      return { different: isThere(now) ? [] : [PATH], unseen: [], absent: [] };
    },
    result: (record) => {
      const now = record && shownProperties(record);
      if (now !== undefined) see(now);
      const missing = now === undefined ? [] : add.filter((id) => !now.includes(id));
      return { before: known[0] ?? [], sent, now, missing, isChangedMeanwhile };
    },
  };
}

/**
 * The ids of a user's properties; `undefined` where the record does not tell, or has a role somewhere that is not among
 * them.
 */
export function shownProperties(user: ServiceRecord): readonly string[] | undefined {
  const { properties, property_roles: roles } = withPropertyIds(user);
  const ids: readonly unknown[] | undefined = properties === null ? [] : listIn(properties);
  const placed = roles === undefined || roles === null ? [] : listIn(roles);
  if (ids === undefined || !ids.every((id) => typeof id === 'string')) return undefined;
  return placed?.every((entry) => ids.some((id) => id === idOf(entry))) ? ids : undefined;
}

function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function notShown(subjectId: string): CliError {
  return new CliError(
    'not_readable',
    `The service does not show which properties user ${subjectId} has, so that changing some could take others away.`,
    { exitCode: ExitCode.refused, hint: 'Name all of them with --set-properties.' },
  );
}

function isSubset(some: readonly string[], others: readonly string[]): boolean {
  return some.every((each) => others.includes(each));
}

/** A user whose properties are ids, as one reads them alone; in lists they carry roles. */
export function withPropertyIds(user: ServiceRecord): ServiceRecord {
  const { properties } = user;
  if (!Array.isArray(properties)) return user;
  return { ...user, properties: properties.map(idOf) };
}

function idOf(entry: unknown): unknown {
  return isRecord(entry) ? entry['id'] : entry;
}

/** The names under `role` and `roles` of an invitation, each once. */
export function rolesOf({ role, roles }: ServiceRecord): readonly string[] {
  const named: readonly unknown[] = [role, ...(Array.isArray(roles) ? roles : [roles])];
  return [...new Set(named.filter((name) => typeof name === 'string'))];
}

/** The roles under the names of the role list: under `role` a service may show an older name of one of them. */
export function newerRoles({ role, roles }: ServiceRecord): readonly string[] {
  const newer = rolesOf({ roles });
  return newer.length > 0 ? newer : rolesOf({ role });
}

/** The fields that name some roles: of one role, the contract's. */
export function roleFields(names: readonly string[]): {
  readonly role?: string;
  readonly roles?: readonly string[];
} {
  const [role] = names;
  if (role === undefined) return {};
  return names.length === 1 ? { role } : { roles: names };
}

/** Whether an invitation, in any spelling, makes an account admin: by the flag or by a role. */
export function invitesAdmin(invitation: ServiceRecord): boolean {
  return Object.entries(invitation).some(([name, value]) => {
    if (isAdminFlag(name)) return isGiving(value);
    const isRole = ['role', 'roles'].includes(plain(name));
    return isRole && [value].flat().some((role) => plain(String(role)) === 'accountadmin');
  });
}

/** Whether an invitation gives any access. */
export function givesAccess(invitation: ServiceRecord): boolean {
  const { properties } = invitation;
  const isSomewhere = Array.isArray(properties) && properties.length > 0;
  return invitesAdmin(invitation) || (isSomewhere && rolesOf(invitation).length > 0);
}

/**
 * Whether a listed invitation shows other access than was sent; what it does not show is no difference. A service may
 * list the older name of a role under `role`, and what was sent under `roles`; `role` alone is one of several. It passes
 * over the roles and the properties of an account admin.
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

/** Whether a field is the flag of an account admin, in any spelling that a service may take for it. */
export function isAdminFlag(name: string): boolean {
  return plain(name) === 'isaccountadmin';
}

/** Whether a value of that flag may make a user an account admin. */
export function isGiving(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined;
}

/** A name without the differences that services ignore: case, underscores, blanks. */
export function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** What a user may do at one property. */
interface Access extends ServiceRecord {
  readonly id: string;
}

/**
 * A user in the shape in which one is read alone: `properties` are ids, `property_roles` are `{id, roles}`. In lists
 * the public service gives the properties as `{id, roles}` instead.
 *
 * What cannot be read stays as it is: properties without ids, roles that are no list. A field that is not shown is not
 * invented; but no properties means no roles. An entry that says no more than its id gives no `property_roles`. Roles
 * that stand in both fields are united.
 *
 * @param user as `normalise` gives it.
 */
export function inOneShape(user: ServiceRecord): ServiceRecord {
  const { properties, property_roles: shown } = user;
  if (!Array.isArray(properties)) return user;
  if (properties.length === 0) return shown === undefined || shown === null ? withRoles(user, [], []) : user;
  const listed = properties.filter(isAccess);
  const isReadable = properties.every((each) => typeof each === 'string' || isAccess(each));
  if (listed.length === 0 || !isReadable) return user;
  const apart = shown ?? [];
  if (!Array.isArray(apart) || !apart.every(isAccess)) return user;
  const ids = [...new Set(properties.map((each: string | Access) => (isAccess(each) ? each.id : each)))];
  const told = listed.filter((entry) => Object.keys(entry).length > 1);
  if (apart.length + told.length === 0) return { ...user, properties: ids };
  return withRoles(user, ids, united([...apart, ...told]));
}

/** The fields keep their places; roles that had none come last. */
function withRoles(
  user: ServiceRecord,
  properties: readonly string[],
  roles: readonly Access[],
): ServiceRecord {
  return { ...user, properties, property_roles: roles };
}

function isAccess(entry: unknown): entry is Access {
  return isRecord(entry) && typeof entry['id'] === 'string';
}

/** One entry for each property; of fields that are there twice the first stays, but lists of roles are united. */
function united(entries: readonly Access[]): readonly Access[] {
  return [...groupBy(entries, ({ id }) => id)].map(([id, own]) => {
    const fields = Object.fromEntries(own.toReversed().flatMap((entry) => Object.entries(entry)));
    return { ...fields, id, ...unitedRoles(own) };
  });
}

function unitedRoles(entries: readonly Access[]): ServiceRecord {
  const shown = entries.map(({ roles }) => roles ?? undefined).filter((roles) => roles !== undefined);
  if (entries.length === 1 || shown.length === 0) return {};
  // What cannot be read stays in sight.
  const odd = shown.find((roles) => !Array.isArray(roles));
  return { roles: odd ?? [...new Set(shown.flat())] };
}

/**
 * The roles of a list of `{id, roles}` by the ids, `undefined` for those that cannot be read; `undefined` where it is no
 * such list. Roles of one property that stand in several entries are united.
 *
 * @param idOf gives the id that an entry means.
 */
export function rolesByProperty(
  list: unknown,
  idOf = (id: string) => id,
): ReadonlyMap<string, readonly string[] | undefined> | undefined {
  if (!Array.isArray(list) || !list.every(isAccess)) return undefined;
  const found = united(list.map((entry) => ({ ...entry, id: idOf(entry.id) })));
  return new Map(
    found.map(({ id, roles }) => {
      const isReadable = Array.isArray(roles) && roles.every((role) => typeof role === 'string');
      return [id, isReadable ? roles : undefined];
    }),
  );
}

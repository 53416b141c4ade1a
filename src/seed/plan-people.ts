import { CliError } from '../cli/errors.ts';
import { newerRoles, rolesOf, shownProperties } from '../model/access.ts';
import { hashOf } from '../model/canonical.ts';
import { compareWanted, type Difference, stepOf, userSpec } from '../model/diff.ts';
import { includes, pointerTo } from '../model/patch.ts';
import type { ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { takes } from '../service/dialect.ts';
import { changeOf } from './compare.ts';
import { unreadItem } from './creation-rules.ts';
import { bodyOf, type Entry } from './entry.ts';
import { actionFor, type Item, itemFor } from './item.ts';
import { compareRoles, type Listings, type RoleList, roleProblems } from './match-people.ts';
import type { PlanContext } from './plan-context.ts';
import { orMissing, usableId } from './property-index.ts';
import type { ResolveReferences } from './property-references.ts';

/** The context of plans of people. */
export interface PeopleContext extends PlanContext {
  readonly resolve: ResolveReferences;
  readonly listings: Listings;
  readonly roles: RoleList | undefined;
}

/** The user that an entry means, or why there is none, or why it cannot be determined. */
type Found =
  | { readonly subjectId: string; readonly record: ServiceRecord }
  | { readonly problem: string }
  | { readonly subjectId: string; readonly error: CliError };

const NO_USER = 'there is no such user: invite the person first';

/** Plans the access of a user, who is found by the subject id or the e-mail address. */
export async function planUser(entry: Entry, context: PeopleContext): Promise<Item> {
  const found = await findUser(entry, context);
  if ('problem' in found) return itemFor(entry, 'conflict', { entry, reason: found.problem });
  const { options, resolve } = context;
  const { subjectId: id } = found;
  if ('error' in found) return unreadItem(entry, found.error, options, { entry, id });
  const { record } = found;
  const seen = hashOf(record);
  const { ids, problems, unread: open, idOf } = resolve(entry, shownProperties(record));
  if (open !== undefined) return unreadItem(entry, open, options, { entry, id });
  if (problems.length > 0)
    return itemFor(entry, 'conflict', { entry, id, seen, reason: problems.join('; ') });
  const differences = differencesOf(entry, ids, record);
  const written = differences.filter(({ state }) => state === 'different');
  const roles = compareRoles(entry, record, idOf);
  const unread = [
    ...differences.filter(({ state }) => state === 'unread').map(({ path }) => path.join('.')),
    ...(roles.isUnread ? ['property_roles'] : []),
  ];
  const cannotChange = roles.differing;
  const changes = written.map((each) => changeOf(each, each.path.join('.')));
  const steps = written.map((each) => ({ ...stepOf(each, userSpec), path: pointerTo(...each.path) }));
  const action = actionFor({ changes, cannotChange, unread });
  const seenBefore = action === 'change' ? { record } : {};
  return itemFor(entry, action, { entry, id, seen, changes, steps, unread, cannotChange, ...seenBefore });
}

async function findUser(entry: Entry, context: PeopleContext): Promise<Found> {
  const { users, invitations } = context.listings;
  if (entry.fields['subject_id'] !== undefined) return readUser(entry.name, context);
  const found = users.withEmail(entry.name);
  const ids = new Set(found.map((user) => usableId(user['subject_id'])));
  const [subjectId] = ids;
  const [user] = found;
  if (user === undefined) {
    const isInvited = invitations.withEmail(entry.name).length > 0;
    if (isInvited) return { problem: 'is invited and has no user yet: has to accept the invitation first' };
    return { problem: users.doubt === undefined ? NO_USER : `not found, and ${users.doubt}` };
  }
  if (ids.size > 1) {
    const all = [...ids].join(', ');
    return { problem: `${ids.size} users have this address: ${all}; name the one by its subject_id` };
  }
  if (subjectId === undefined) return { problem: 'the service lists the user without a subject id' };
  return showsAll(entry, user) ? { subjectId, record: user } : readUser(subjectId, context);
}

async function readUser(subjectId: string, { api, readForRow }: PlanContext): Promise<Found> {
  const found = await readForRow(() => orMissing(api.users.read(subjectId)));
  if (found instanceof CliError) return { subjectId, error: found };
  return found === undefined ? { problem: NO_USER } : { subjectId, record: found };
}

/** Whether the list shows all fields of an entry, so that the user need not be read alone. */
function showsAll(entry: Entry, user: ServiceRecord): boolean {
  const found = differencesOf(entry, [], user);
  return found.every(({ state }) => state !== 'unread') && !compareRoles(entry, user).isUnread;
}

/** In the order in which they are planned. */
const userFields = ['enabled', 'properties', 'first_name', 'last_name', 'is_account_admin'];

/** @param ids of the properties that the entry names. */
function differencesOf(
  { fields }: Entry,
  ids: readonly string[] | undefined,
  user: ServiceRecord,
): readonly Difference[] {
  const given = userFields.filter((field) => fields[field] !== undefined && fields[field] !== null);
  const wanted: ServiceRecord = { ...fields, properties: ids ?? [] };
  const properties = user['properties'] === undefined ? undefined : shownProperties(user);
  const shown: ServiceRecord = { ...user, properties };
  // A value of another type counts as not shown.
  const isReadable = (field: string) => typeof shown[field] === typeof wanted[field];
  return compareWanted(
    Object.fromEntries(given.map((field) => [field, wanted[field]])),
    Object.fromEntries(given.filter(isReadable).map((field) => [field, shown[field]])),
    userSpec,
  );
}

/** Plans an invitation. A person who is invited, or is a user, is never invited again. */
export function planInvitation(
  entry: Entry,
  { api, options, resolve, listings: { invitations, users }, roles }: PeopleContext,
): Item {
  const invited = invitations.withEmail(entry.name);
  const access = users.withEmail(entry.name);
  const [user] = access;
  const held = [...invited, ...access].flatMap((record) => shownProperties(record) ?? []);
  const { ids, problems: misnamed, unread } = resolve(entry, held);
  // An existing user is not invited, so the roles need no check.
  const strange = user === undefined ? roleProblems(entry, invited.flatMap(rolesOf), roles) : [];
  if (unread !== undefined && strange.length === 0) return unreadItem(entry, unread, options, { entry });
  const problems = [...misnamed, ...strange];
  if (problems.length > 0) return itemFor(entry, 'conflict', { entry, reason: problems.join('; ') });
  if (invited.length > 0)
    return compareInvited(
      entry,
      invited,
      wantedOf(entry, ids, takes(api.dialect, 'createInvitation', 'roles')),
    );
  if (user !== undefined) {
    const known = { id: usableId(user['subject_id']), seen: hashOf(user) };
    const reason = 'already has a user, whose access an invitation does not change (kind: user does)';
    return itemFor(entry, 'same', { entry, reason, ...known });
  }
  const body = { ...bodyOf(entry), ...(ids === undefined ? {} : { properties: ids }) };
  const doubt = invitations.doubt ?? users.doubt;
  if (doubt !== undefined && !options.assumeNew)
    return itemFor(entry, 'cannot_tell', { entry, reason: doubt });
  return itemFor(entry, 'create', { entry, body, reason: doubt && `assumed to be new: ${doubt}` });
}

/**
 * The access of an entry to compare; of an account admin only the flag, because the service ignores the rest. If the dialect
 * has one role, roles under `extra` are not compared, and others may be listed with it.
 */
function wantedOf(entry: Entry, ids: readonly string[] = [], takesRoles: boolean): ServiceRecord {
  const { role, roles, is_account_admin: isAdmin } = bodyOf(entry);
  if (isAdmin === true) return { is_account_admin: true };
  const names = rolesOf(takesRoles ? { role, roles } : { role });
  const named = names.length === 0 ? {} : { [takesRoles ? 'roles' : 'role']: names };
  return { ...named, properties: ids, is_account_admin: false };
}

/** Invitations cannot be changed; one match among several is enough. */
function compareInvited(entry: Entry, invited: readonly ServiceRecord[], wanted: ServiceRecord): Item {
  const compared = invited.map((record) => ({ record, found: compareInvitation(record, wanted) }));
  const same = compared.find(({ found: all }) => all.every(({ state }) => state !== 'different'));
  const { record = {}, found = [] } = same ?? compared[0] ?? {};
  const seen = hashOf(record);
  if (same === undefined) {
    const different = found.filter(({ state }) => state === 'different');
    const shown = different.map(({ field, from }) => fieldText(record, field, from));
    const reason = `is already invited, with ${shown.join(', ')}; withdraw it first`;
    return itemFor(entry, 'conflict', { entry, reason, seen });
  }
  const unread = found
    .filter(({ state, to }) => state === 'unread' && isGiven(to))
    .map(({ field }) => (field === 'roles' && entry.fields['roles'] === undefined ? 'role' : field));
  return itemFor(entry, actionFor({ changes: [], unread }), { entry, unread, seen });
}

/** Compares a listed invitation with the wanted access, field by field. */
function compareInvitation(record: ServiceRecord, wanted: ServiceRecord) {
  return Object.entries(wanted).map(([field, to]) => {
    const isRoles = field === 'role' || field === 'roles';
    const roles = rolesOf(record);
    const from = isRoles ? roles : (record[field] ?? undefined);
    if (from === undefined || (isRoles && roles.length === 0))
      return { field, from: undefined, to, state: 'unread' };
    const isSame = isRoles && Array.isArray(to) ? showsRoles(record, field, to) : includes(from, to);
    return { field, from, to, state: isSame ? 'same' : 'different' };
  });
}

function showsRoles(record: ServiceRecord, field: string, wanted: readonly unknown[]): boolean {
  const roles: readonly unknown[] = rolesOf(record);
  const hasMore = field === 'roles' && newerRoles(record).length > wanted.length;
  return !hasMore && wanted.every((name) => roles.includes(name));
}

/** Whether a value differs from the default of an invitation; a default need not be visible. */
function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

function anyText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A field of a listed invitation in words: `role "Auditor"`, `properties BER, VIE`. */
function fieldText(record: ServiceRecord, field: string, from: unknown): string {
  if (field === 'role' || field === 'roles') {
    const names = newerRoles(record);
    return names.length === 1 ? `role ${names.map(quote).join()}` : `roles ${names.join(', ')}`;
  }
  if (!Array.isArray(from)) return `${field} ${anyText(from)}`;
  return `${field} ${from.length === 0 ? 'none' : from.map(anyText).join(', ')}`;
}

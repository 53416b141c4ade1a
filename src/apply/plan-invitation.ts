import { includes } from '../api/patch.ts';
import { shownProperties } from '../api/user-properties.ts';
import { quote } from '../checks/text.ts';
import { bodyOf } from '../manifest/body.ts';
import type { Entry } from '../manifest/entry.ts';
import type { ServiceRecord } from '../records.ts';
import { hashOf } from './canonical.ts';
import { type Item, itemFor } from './item.ts';
import type { Listings } from './match-people.ts';
import { isInDoubt, type RowMemory } from './memory.ts';
import type { PlanApi, PlanOptions } from './plan-options.ts';
import { usableId } from './property-index.ts';
import type { NameProperties } from './property-references.ts';
import type { JudgeRoles } from './roles.ts';
import { unreadItem } from './row-reading.ts';
import { unseenInvitation, unseenItem } from './unseen.ts';
import { isoText, mayShowLater, momentText, shownBy, wasAnswered } from './visibility.ts';

/** What planning an invitation works with. */
interface InvitationSurroundings {
  readonly api: Pick<PlanApi, 'dialect'>;
  readonly listings: Listings;
  readonly options: PlanOptions;
  readonly judgeRoles: JudgeRoles;
}

/** What an invitation says that a listed one is compared with: one role, or several where the service has them. */
type Wanted = Readonly<Partial<Record<'role' | 'roles' | 'properties' | 'is_account_admin', unknown>>>;

/** What is to be done about an invitation. A person who is invited, or in, is never invited again. */
export function planInvitation(
  entry: Entry,
  nameOf: NameProperties,
  { api, listings: { invitations, users }, options, judgeRoles }: InvitationSurroundings,
): Item {
  const invited = invitations.withEmail(entry.name);
  const access = users.withEmail(entry.name);
  const [user] = access;
  const held = [...invited, ...access].flatMap((record) => shownProperties(record) ?? []);
  const { ids, problems: misnamed, unread } = nameOf(entry, held);
  // Who is in is not invited, whatever the roles are called by now.
  const strange = user === undefined ? judgeRoles(entry, invited.flatMap(rolesShown)) : [];
  if (unread !== undefined && strange.length === 0) return unreadItem(entry, unread, options, { entry });
  const problems = [...misnamed, ...strange];
  if (problems.length > 0) return itemFor(entry, 'conflict', { entry, reason: problems.join('; ') });
  if (invited.length > 0) return compareInvited(entry, invited, wantedOf(entry, ids, api.dialect));
  if (user !== undefined) {
    const known = { id: usableId(user['subject_id']), seen: hashOf(user) };
    const reason = 'has a user already, whose access an invitation does not change (kind: user does)';
    return itemFor(entry, 'same', { entry, reason, ...known });
  }
  const row = options.memory.recall('invitation', entry.name);
  if (row !== undefined && wasAnswered(row) && mayShowLater(row, options.now()))
    return unseenInvitation(row, entry, options.now());
  const body = { ...bodyOf(entry), ...(ids === undefined ? {} : { properties: ids }) };
  const mailed = mailDoubt(row, options.now());
  if (mailed !== undefined) {
    if (!options.resendUnknown)
      return unseenItem({ ...entry, entry }, `${mailed}; --resend-unknown invites again`);
    const isMailed = row?.hash === hashOf(body) ? true : undefined;
    return itemFor(entry, 'create', { entry, body, isMailed, reason: `invited again: ${mailed}` });
  }
  const past = invitedBefore(row);
  if (past !== undefined && !options.assumeNew)
    return itemFor(entry, 'conflict', { entry, reason: `${past}; --assume-new invites again` });
  const doubt = past ?? invitations.doubt ?? users.doubt;
  if (doubt !== undefined && !options.assumeNew)
    return itemFor(entry, 'cannot_tell', { entry, reason: doubt });
  return itemFor(entry, 'create', { entry, body, reason: doubt && `assumed to be new: ${doubt}` });
}

function invitedBefore(row: RowMemory | undefined): string | undefined {
  if (row?.action !== 'create' || row.state !== 'done') return undefined;
  const day = new Date(row.at).toISOString().slice(0, 10);
  return `was invited in run ${row.runId} on ${day} and is not listed any more: withdrawn, or run out`;
}

/**
 * Why an earlier mail may have gone out although no list shows it: it may not be visible yet, or its outcome is
 * unknown. There is no key that would keep a second request from being a second mail.
 */
function mailDoubt(row: RowMemory | undefined, now: number): string | undefined {
  if (row === undefined) return undefined;
  if (mayShowLater(row, now)) {
    const until = `lists may show it until ${momentText(shownBy(row), now)}, and no key protects an invitation`;
    return `not visible yet: perhaps invited at ${isoText(row.at)} by run ${row.runId}; ${until}`;
  }
  if (row.action !== 'create' || !isInDoubt(row)) return undefined;
  return `the mail of run ${row.runId} may have gone out at ${isoText(row.at)}, and no list shows it`;
}

function wantedOf(
  entry: Entry,
  ids: readonly string[] | undefined,
  { goesBeyond }: PlanApi['dialect'],
): Wanted {
  const { role, roles, is_account_admin: isAdmin = false } = bodyOf(entry);
  const properties = isAdmin === true ? ids : (ids ?? []);
  if (!goesBeyond) return { role, properties, is_account_admin: isAdmin };
  // The service passes over the roles and the properties of who is to administer the account.
  if (isAdmin === true) return { is_account_admin: isAdmin };
  const all = [...listOf(role ?? []), ...listOf(roles ?? [])];
  return { roles: all.length === 0 ? undefined : all, properties, is_account_admin: isAdmin };
}

/** Invitations cannot be changed; one that is the same is enough. */
function compareInvited(entry: Entry, invited: readonly ServiceRecord[], wanted: Wanted): Item {
  const [first] = invited;
  const same = invited.find((record) => differencesIn(record, wanted).length === 0);
  const record = same ?? first ?? {};
  const seen = hashOf(record);
  if (same === undefined) {
    const found = differencesIn(record, wanted).map((field) => `${field} ${textOf(record, field)}`);
    const reason = `is invited already, with ${found.join(', ')}; withdraw it first`;
    return itemFor(entry, 'conflict', { entry, reason, seen });
  }
  const unread = namesIn(wanted)
    .filter((field) => isGiven(wanted[field]) && shown(record, field) === undefined)
    .map((field) => (field === 'roles' && entry.fields['roles'] === undefined ? 'role' : field));
  return itemFor(entry, unread.length > 0 ? 'cannot_compare' : 'same', { entry, unread, seen });
}

function differencesIn(record: ServiceRecord, wanted: Wanted): readonly (keyof Wanted)[] {
  return namesIn(wanted).filter((field) => {
    const seen = shown(record, field);
    if (wanted[field] === undefined || seen === undefined) return false;
    if (field === 'properties' || field === 'is_account_admin') return !includes(seen, wanted[field]);
    const roles = listOf(wanted[field]);
    return (
      !roles.every((role) => listOf(seen).includes(role)) ||
      (field === 'roles' && rolesIn(record).length > roles.length)
    );
  });
}

function namesIn(wanted: Wanted): readonly (keyof Wanted)[] {
  // Of an object literal of that type these are all names there are.
  return Object.keys(wanted) as (keyof Wanted)[];
}

/** What is no more than the default of an invitation need not be seen. */
function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** A field of a listed invitation; `undefined` where it does not tell. */
function shown(record: ServiceRecord, field: keyof Wanted): unknown {
  const { role, roles } = record;
  if (field === 'role') return role ?? roles ?? undefined;
  if (field !== 'roles') return record[field] ?? undefined;
  const all = rolesShown(record);
  return all.length === 0 ? undefined : all;
}

/** `role` is one of `roles` under an older name, for some. */
function rolesShown({ role, roles }: ServiceRecord): readonly unknown[] {
  return [...new Set([...listOf(role ?? []), ...listOf(roles ?? [])])];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** The roles that an invitation is listed with, under the names of the role list where it has those. */
function rolesIn({ role, roles }: ServiceRecord): readonly unknown[] {
  return Array.isArray(roles) && roles.length > 0 ? [...new Set(roles)] : listOf(role ?? []);
}

function textOf(record: ServiceRecord, field: keyof Wanted): string {
  const value = field === 'roles' ? rolesIn(record) : shown(record, field);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  return typeof value === 'string' ? quote(value) : String(value);
}

import { randomUUID } from 'node:crypto';
import type { ServiceRecord } from '../model/records.ts';

/** What a person may do at one property. */
export interface PropertyRoles {
  readonly id: string;
  readonly roles: readonly string[];
}

export interface UserRecord extends ServiceRecord {
  readonly subject_id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly enabled: boolean;
  readonly is_account_admin: boolean;
  /** Property ids; empty for an account admin, who reaches them all. */
  readonly properties: readonly string[];
  readonly property_roles: readonly PropertyRoles[];
}

/** What callers write of an invitation. */
export interface NewInvitation extends ServiceRecord {
  readonly email: string;
  readonly is_account_admin?: boolean;
  readonly properties?: readonly string[];
  readonly role?: string;
  readonly roles?: readonly string[];
}

export interface InvitationRecord extends ServiceRecord {
  readonly email: string;
  readonly is_account_admin: boolean;
  /** ISO 8601, UTC. */
  readonly created: string;
  readonly properties: readonly string[];
  readonly roles: readonly string[];
}

/** The account's role list. */
export const roles: readonly string[] = [
  ...['AccountAdmin', 'PropertyAdmin', 'Accountant', 'RevenueManager', 'ReservationManager'],
  ...['FrontDesk', 'FrontDeskSenior', 'Housekeeping', 'HousekeepingManager', 'Auditor', 'StaffManager'],
];

/** Roles whose name in `role` of an invitation differs from the role list. */
export const olderRoles: ReadonlyMap<string, string> = new Map([
  ['Accountant', 'FinanceManager'],
  ['ReservationManager', 'ReservationOffice'],
  ['FrontDesk', 'FrontOffice'],
  ['FrontDeskSenior', 'FrontOffice'],
]);

/** The name in the role list of a role of an invitation. */
export function listedRole(role: string): string {
  return [...olderRoles].find(([, older]) => older === role)?.[0] ?? role;
}

/** The values of `role` in invitations, not all of which are in the role list. */
export const invitationRoles: readonly string[] = [
  ...new Set(roles.map((role) => olderRoles.get(role) ?? role)),
];

type Person = Pick<UserRecord, 'subject_id' | 'first_name' | 'last_name' | 'email'>;

/** The whole record of a person, who may log in but has no access unless it is given. */
export function userOf(person: Person & Partial<UserRecord>): UserRecord {
  const { subject_id, first_name, last_name, email, property_roles = [], ...rest } = person;
  return {
    ...{ subject_id, first_name, last_name, email },
    ...{ enabled: true, is_account_admin: false, is_mfa_enabled: false, is_passkeys_enabled: false },
    ...rest,
    properties: property_roles.map(({ id }) => id),
    property_roles,
  };
}

/** The user with these properties alone. The roles in those that stay are kept. */
export function withProperties(user: UserRecord, ids: readonly string[]): UserRecord {
  const properties = [...new Set(ids)];
  const property_roles = properties.map((id) => ({ id, roles: rolesAt(user, id) }));
  return { ...user, properties, property_roles };
}

/** A user in a list: `properties` has the roles. */
export function listedUser({ property_roles, ...user }: UserRecord) {
  const properties = user.properties.map((id) => ({ id, roles: rolesAt({ property_roles }, id) }));
  return { ...user, properties };
}

function rolesAt({ property_roles: all }: Pick<UserRecord, 'property_roles'>, id: string) {
  return all.find((entry) => entry.id === id)?.roles ?? [];
}

/** The invitation of a body. */
export function invitationOf(fields: NewInvitation, invited_by: string, created: string): InvitationRecord {
  const { email, role, roles: more = [], properties = [], is_account_admin = false } = fields;
  return {
    ...{ email, is_account_admin, invited_by, created, properties },
    ...(role === undefined ? { roles: more } : { role, roles: [...new Set([role, ...more])] }),
  };
}

/** The records of people. */
interface People {
  readonly users: ReadonlyMap<string, UserRecord>;
  readonly invitations: ReadonlyMap<string, InvitationRecord>;
}

/** How long the link in the mail of an invitation is valid. */
const INVITATION_DAYS = 30;
const DAY_MS = 86_400_000;
/**
 * What the link in an invitation's mail does: the invitation becomes an enabled user. A user of that address keeps what it
 * has, and gets what the invitation gives.
 *
 * @param now milliseconds since the epoch.
 * @returns 200 with the user; 404 without an invitation to the address; 410 if the invitation has expired.
 */
export function acceptInvitation(email: string, now: number, records: People) {
  const id = email.toLowerCase();
  const invitation = records.invitations.get(id);
  if (invitation === undefined) return { status: 404 };
  if (isExpired(invitation, now)) return { status: 410, body: { created: invitation.created } };
  const before = [...records.users.values()].find((each) => each.email.toLowerCase() === id);
  const user = withAccess(before ?? newUser(invitation), invitation);
  return {
    status: 200,
    body: { email: user.email, subject_id: user.subject_id },
    changes: [{ delete: ['invitations', id] }, { put: ['users', user.subject_id, user] }],
  } as const;
}

/** How many of the invitations can be accepted no more. */
export function expiredInvitations({ invitations }: People, now: number): number {
  return [...invitations.values()].filter((invitation) => isExpired(invitation, now)).length;
}

function isExpired({ created }: InvitationRecord, now: number): boolean {
  return now - Date.parse(created) >= INVITATION_DAYS * DAY_MS;
}

/** A new user of the address of an invitation, without access: `jonas.keller@...` is Jonas Keller. */
function newUser({ email }: InvitationRecord): UserRecord {
  const words = email
    .slice(0, email.indexOf('@'))
    .split(/[._-]+/)
    .filter(Boolean);
  const [first_name = '', ...others] = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return userOf({ subject_id: randomUUID(), first_name, last_name: others.join(' '), email });
}

/** The user, enabled, with the access of an invitation in addition. */
function withAccess(user: UserRecord, invitation: InvitationRecord): UserRecord {
  const { properties, roles, is_account_admin } = invitation;
  const given = [...new Set(roles.map(listedRole))];
  const { property_roles: before } = withProperties(user, [...user.properties, ...properties]);
  return userOf({
    ...user,
    enabled: true,
    is_account_admin: user.is_account_admin || is_account_admin || given.includes('AccountAdmin'),
    property_roles: before.map(({ id, roles: had }) => ({
      id,
      roles: properties.includes(id) ? [...new Set([...had, ...given])] : had,
    })),
  });
}

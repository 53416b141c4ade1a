import { randomUUID } from 'node:crypto';
import type { Outcome } from './call.ts';
import {
  type Change,
  dated,
  type InvitationRecord,
  listedRole,
  type Records,
  type UserRecord,
  withDates,
} from './records.ts';
import { userOf } from './seeds/seed.ts';

/** How long the link in the mail of an invitation is valid. */
const INVITATION_DAYS = 30;
const DAY_MS = 86_400_000;
/** Programs may take an earlier date for one that is not set. */
const EARLIEST = Date.UTC(2000, 0);

/**
 * What the link in an invitation's mail does: the invitation becomes an enabled user. A user of that address keeps what it
 * has, and gets what the invitation gives.
 *
 * @param now milliseconds since the epoch.
 * @returns 200 with the user; 404 if nobody is invited under the address; 410 if the invitation has expired.
 */
export function acceptInvitation(email: string, now: number, records: Records): Outcome {
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
  };
}

/**
 * Lets time pass: all that is stored becomes older, so that this machine's clock, and those of the programs that ask, need
 * not be moved. Tokens are not stored, and stay valid.
 */
export function passTime(ms: number, records: Records): Outcome {
  const earlier = (date: string) => new Date(Math.max(EARLIEST, Date.parse(date) - ms)).toISOString();
  const older = dated.flatMap((name) =>
    [...records[name]].map(([id, record]) => {
      // What it is made of is a record of that collection.
      return { put: [name, id, withDates(record, earlier)] } as Change;
    }),
  );
  const replies = [...records.replies].map(
    ([id, reply]): Change => ({ put: ['replies', id, { ...reply, expires: reply.expires - ms }] }),
  );
  return { status: 204, changes: [...older, ...replies] };
}

/** How many of the invitations can be accepted no more. */
export function expiredInvitations({ invitations }: Records, now: number): number {
  return [...invitations.values()].filter((invitation) => isExpired(invitation, now)).length;
}

function isExpired({ created }: InvitationRecord, now: number): boolean {
  return now - Date.parse(created) >= INVITATION_DAYS * DAY_MS;
}

/** `jonas.keller@...` is Jonas Keller. */
function newUser({ email }: InvitationRecord): UserRecord {
  const words = email
    .slice(0, email.indexOf('@'))
    .split(/[._-]+/)
    .filter(Boolean);
  const [first_name = '', ...others] = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return userOf({ subject_id: randomUUID(), first_name, last_name: others.join(' '), email });
}

/** The user, enabled, with the access of an invitation in addition. */
function withAccess(user: UserRecord, { properties, roles, is_account_admin }: InvitationRecord): UserRecord {
  const given = [...new Set(roles.map(listedRole))];
  const isAdmin = is_account_admin || given.includes('AccountAdmin');
  const all = [...new Set([...user.properties, ...properties])];
  return userOf({
    ...user,
    enabled: true,
    is_account_admin: user.is_account_admin || isAdmin,
    property_roles: all.map((id) => {
      const before = user.property_roles.find((entry) => entry.id === id)?.roles ?? [];
      return { id, roles: properties.includes(id) ? [...new Set([...before, ...given])] : before };
    }),
  });
}

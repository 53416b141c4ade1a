import * as v from 'valibot';
import type { Handlers } from './call.ts';
import { type InvitationRecord, invitationRoles, put, roles } from './records.ts';
import { check, listParameter, notFound, oneOf, requireProperties, taken } from './refusal.ts';

/** The contract does not list the values of `role`; people choose from its role list. */
const anyRole = [...new Set([...invitationRoles, ...roles])];

const fields = {
  email: v.pipe(
    v.string('must be a text'),
    v.maxLength(254, 'must not be longer than 254 characters'),
    v.regex(/^[^\s\p{C}@]+@[^\s\p{C}@.]+(\.[^\s\p{C}@.]+)+$/u, 'must be an e-mail address'),
  ),
  properties: v.exactOptional(v.array(v.string('must be a text'), 'must be an array of property ids')),
  is_account_admin: v.exactOptional(v.boolean('must be true or false')),
  role: v.exactOptional(oneOf(anyRole)),
};

const schema = v.strictObject(fields, 'must be an object');

/** The public service takes several roles, and `role` only under its older names. */
const publicSchema = v.strictObject(
  {
    ...fields,
    role: v.exactOptional(oneOf(invitationRoles)),
    roles: v.exactOptional(v.array(oneOf(roles), 'must be an array of roles')),
  },
  'must be an object',
);

type NewInvitation = v.InferOutput<typeof publicSchema> | v.InferOutput<typeof schema>;

/** The operations on invitations. */
export const invitationHandlers = {
  /** No count and no pages, as in the real service. */
  listInvitations: ({ records, query }) => {
    const wanted = listParameter(query, 'property_id');
    const invitations = [...records.invitations.values()].filter(
      ({ properties }) => wanted.length === 0 || wanted.some((id) => properties.includes(id)),
    );
    return { status: 200, body: { invitations } };
  },
  /** Sends no mail. An address that is invited or has a user is refused, in any case of its letters. */
  createInvitation: ({ body, records, caller, now, dialect }) => {
    const { email, ...given }: NewInvitation = check(dialect === 'apaleo' ? publicSchema : schema, body);
    const { role, properties = [], is_account_admin = false } = given;
    requireProperties(properties, records);
    const id = email.toLowerCase();
    const hasUser = [...records.users.values()].some((user) => user.email.toLowerCase() === id);
    if (records.invitations.has(id)) throw taken('email', `${email} is already invited.`);
    if (hasUser) throw taken('email', `${email} has a user in this account already.`);
    const more = 'roles' in given ? (given.roles ?? []) : [];
    const record: InvitationRecord = {
      email,
      is_account_admin,
      invited_by:
        caller.kind === 'client'
          ? caller.clientId
          : (records.users.get(caller.subjectId)?.email ?? caller.subjectId),
      created: new Date(now).toISOString(),
      properties,
      ...(role === undefined ? { roles: more } : { role, roles: [...new Set<string>([role, ...more])] }),
    };
    return { status: 200, body: { email }, changes: [put('invitations', id, record)] };
  },
  /** The address is found in any case of its letters. */
  deleteInvitation: ({ records, path }) => {
    const id = path.email.toLowerCase();
    if (!records.invitations.has(id)) throw notFound('invitation for', path.email);
    return { status: 204, changes: [{ delete: ['invitations', id] }] };
  },
} satisfies Partial<Handlers>;

import * as v from 'valibot';
import { snakeCaseName } from '../model/fields.ts';
import type { DialectName } from '../service/operations.ts';
import type { Call, Handlers } from './call.ts';
import { type InvitationRecord, invitationRoles, put, roles, type UserRecord } from './records.ts';
import {
  check,
  existing,
  flagParameter,
  isAmong,
  listParameter,
  notFound,
  oneOf,
  pageOf,
  parsePatch,
  refusal,
  requireKnown,
  type Step,
  taken,
  wrong,
} from './refusal.ts';

const trueOrFalse = v.boolean('must be true or false');
const propertyIds = v.array(v.string('must be a text'), 'must be an array of property ids');

/** The contract does not list the values of `role`; people choose from its role list. */
const anyRole = [...new Set([...invitationRoles, ...roles])];

const invitationFields = {
  email: v.pipe(
    v.string('must be a text'),
    v.maxLength(254, 'must not be longer than 254 characters'),
    v.regex(/^[^\s\p{C}@]+@[^\s\p{C}@.]+(\.[^\s\p{C}@.]+)+$/u, 'must be an e-mail address'),
  ),
  properties: v.exactOptional(propertyIds),
  is_account_admin: v.exactOptional(trueOrFalse),
  role: v.exactOptional(oneOf(anyRole)),
};

const invitationSchema = v.strictObject(invitationFields, 'must be an object');

/** The public service takes several roles, and `role` only under its older names. */
const publicSchema = v.strictObject(
  {
    ...invitationFields,
    role: v.exactOptional(oneOf(invitationRoles)),
    roles: v.exactOptional(v.array(oneOf(roles), 'must be an array of roles')),
  },
  'must be an object',
);

type NewInvitation = v.InferOutput<typeof publicSchema>;

/** The operations on invitations and users. */
export const peopleHandlers = {
  /** No count and no pages, as in the real service. */
  listInvitations: ({ records, query }) => {
    const wanted = listParameter(query, 'property_id');
    const invitations = [...records.invitations.values()].filter(({ properties }) =>
      isAmong(wanted, ...properties),
    );
    return { status: 200, body: { invitations } };
  },
  /** Sends no mail. An address that is invited or has a user is refused, in any case of its letters. */
  createInvitation: ({ body, records, caller, now, dialect }) => {
    const fields: NewInvitation = check(dialect === 'apaleo' ? publicSchema : invitationSchema, body);
    const { email, role, roles: more = [], properties = [], is_account_admin = false } = fields;
    requireKnown('properties', 'property', properties, records.properties);
    const id = email.toLowerCase();
    const hasUser = [...records.users.values()].some((user) => user.email.toLowerCase() === id);
    if (records.invitations.has(id)) throw taken('email', `${email} is already invited.`);
    if (hasUser) throw taken('email', `${email} has a user in this account already.`);
    const callerId = caller.kind === 'client' ? caller.clientId : caller.subjectId;
    const inviter = records.users.get(callerId);
    const record: InvitationRecord = {
      email,
      is_account_admin,
      invited_by: inviter?.email ?? callerId,
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
  /** Filters: property_ids, email, enabled; `sort` orders. Account admins are found under no property. */
  listUsers: ({ records, query, dialect }) => {
    const matching = [...records.users.values()].filter(filterOf(query));
    // Of several orders the first counts most.
    const found = query.getAll('sort').reduceRight(sortedBy, matching);
    // The public service pages only with a page size.
    const isWhole = dialect === 'apaleo' && !query.has('page_size');
    const users = (isWhole ? found : pageOf(found, query, MOST_ON_A_PAGE)).map(listView);
    return { status: 200, body: { users, count: found.length } };
  },
  /** One user; `properties` are ids, and `property_roles` has their roles. */
  getUser: ({ records, path }) => ({ status: 200, body: existing(records.users, 'user', path.subjectId) }),
  /** The caller, who must be a person. */
  getCurrentUser: ({ records, caller }) => {
    if (caller.kind === 'user')
      return { status: 200, body: existing(records.users, 'user', caller.subjectId) };
    const message = `The caller ${caller.clientId} authenticated with client credentials, which belong to no user.`;
    throw refusal(403, 'no_user', message);
  },
  /** Answers 204 also when the operations change nothing. */
  updateUser: (call) => {
    const { subjectId: id } = call.path;
    const changed = patchUser(existing(call.records.users, 'user', id), call);
    return { status: 204, changes: [put('users', id, changed)] };
  },
} satisfies Partial<Handlers>;

const MOST_ON_A_PAGE = 100;

/** In a list `properties` has the roles. */
function listView({ properties, property_roles: roles, ...user }: UserRecord) {
  return {
    ...user,
    properties: properties.map((id) => ({ id, roles: roles.find((entry) => entry.id === id)?.roles ?? [] })),
  };
}

function filterOf(query: URLSearchParams): (user: UserRecord) => boolean {
  const wanted = listParameter(query, 'property_ids');
  const email = query.get('email')?.toLowerCase();
  const enabled = flagParameter(query, 'enabled');
  return (user) =>
    isAmong(wanted, ...user.properties) &&
    (email === undefined || user.email.toLowerCase() === email) &&
    (enabled === undefined || user.enabled === enabled);
}

const name = v.pipe(v.string('must be a text'), v.trim(), v.nonEmpty('must not be empty'));

/** The writable fields of a user. */
const schemas = {
  enabled: trueOrFalse,
  properties: propertyIds,
  first_name: name,
  last_name: name,
  is_account_admin: trueOrFalse,
};

/**
 * Applies operations to a user: `replace` on whole fields, and on `/properties` also `add`, which sets the
 * whole array (RFC 6902). The roles in properties that stay are kept.
 *
 * @throws {Refusal} 422 for every other operation, and for values of a wrong type or of unknown properties.
 */
function patchUser(user: UserRecord, { body, records, dialect }: Call<'updateUser'>): UserRecord {
  const changes = parsePatch(body).map((step) => fieldsOf(step, dialect));
  const changed: UserRecord = Object.assign({}, user, ...changes);
  const added = changed.properties.filter((id) => !user.properties.includes(id));
  requireKnown('properties', 'property', added, records.properties);
  const properties = [...new Set(changed.properties)];
  const property_roles = properties.map(
    (id) => user.property_roles.find((entry) => entry.id === id) ?? { id, roles: [] },
  );
  return { ...changed, properties, property_roles };
}

/** @throws {Refusal} 422. A path may name a field as the contract does (`/firstName`) or as it is stored. */
function fieldsOf({ op, path, value }: Step, dialect: DialectName): Partial<UserRecord> {
  const field = snakeCaseName(path.slice(1));
  if (!isWritable(field)) throw wrong(path, 'cannot be changed');
  const isAdded = op === 'add' && field === 'properties' && dialect === 'contract';
  if (op !== 'replace' && !isAdded) throw wrong(path, `cannot be changed with ${op}`);
  return check(v.strictObject({ [field]: schemas[field] }), { [field]: value });
}

function isWritable(field: string): field is keyof typeof schemas {
  return Object.hasOwn(schemas, field);
}

const sortFields = ['first_name', 'last_name', 'email'] as const;

/** Sorts by `firstname|lastname|email`, then `:asc` or `:desc`. @throws {Refusal} 422 when the order is none of these. */
function sortedBy(users: UserRecord[], order: string): UserRecord[] {
  const [, name, direction] = /^(\w+?)(?::(asc|desc))?$/.exec(order.toLowerCase()) ?? [];
  const field = sortFields.find((each) => each.replace('_', '') === name);
  if (field === undefined)
    throw wrong('sort', `${JSON.stringify(order)} is not firstname, lastname or email with :asc or :desc`);
  const sign = direction === 'desc' ? -1 : 1;
  return users.toSorted((a, b) => sign * a[field].localeCompare(b[field], 'en'));
}

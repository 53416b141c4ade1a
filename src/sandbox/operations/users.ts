import type { Records, UserRecord } from '../store/records.ts';
import type { Call, Outcome } from './exchange.ts';
import { flagParameter, listParameter, pageOf, parameter } from './query.ts';
import { notFound, refusal } from './refusal.ts';
import { patchUser } from './user-patch.ts';
import { sortUsers } from './user-sort.ts';

const paging = {
  names: { size: ['page_size', 'pageSize'], number: ['page_number', 'pageNumber'] },
  most: 100,
} as const;

/** Filters: property_ids, email, enabled; `sort` orders. Account admins are found under no property. */
export function listUsers({ records, query, dialect }: Call<'listUsers'>): Outcome {
  const found = sortUsers([...records.users.values()].filter(filterOf(query)), query.getAll('sort'));
  // The public service pages only where a page size is asked for.
  const isWhole = dialect === 'apaleo' && !query.has('page_size');
  const users = (isWhole ? found : pageOf(found, query, paging)).map(listView);
  return { status: 200, body: { users, count: found.length } };
}

/** One user; `properties` are ids, and the roles stand beside them. */
export function getUser({ records, path }: Call<'getUser'>): Outcome {
  return { status: 200, body: existing(records, path.subjectId) };
}

/** The caller, who must be a person. */
export function getCurrentUser({ records, caller }: Call<'getCurrentUser'>): Outcome {
  if (caller.kind === 'user') return { status: 200, body: existing(records, caller.subjectId) };
  throw refusal(
    403,
    'no_user',
    `The caller ${caller.clientId} authenticated with client credentials, which belong to no user.`,
  );
}

/** Answers 204 also when the operations change nothing. */
export function updateUser(call: Call<'updateUser'>): Outcome {
  const changed = patchUser(existing(call.records, call.path.subjectId), call);
  return { status: 204, changes: [{ put: ['users', changed.subject_id, changed] }] };
}

function existing(records: Records, id: string): UserRecord {
  const user = records.users.get(id);
  if (user === undefined) throw notFound('user', id);
  return user;
}

/** In a list the properties carry the roles. */
function listView({ properties, property_roles: roles, ...user }: UserRecord) {
  return {
    ...user,
    properties: properties.map((id) => ({ id, roles: roles.find((entry) => entry.id === id)?.roles ?? [] })),
  };
}

function filterOf(query: URLSearchParams): (user: UserRecord) => boolean {
  const wanted = listParameter(query, 'property_ids', 'propertyIds');
  const email = parameter(query, 'email')?.toLowerCase();
  const enabled = flagParameter(query, 'enabled');
  return (user) =>
    (wanted.length === 0 || wanted.some((id) => user.properties.includes(id))) &&
    (email === undefined || user.email.toLowerCase() === email) &&
    (enabled === undefined || user.enabled === enabled);
}

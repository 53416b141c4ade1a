import { inCamelCase } from '../../api/fields.ts';
import type { OperationId } from '../../api/operations.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import type { Answer } from '../operations/exchange.ts';
import { invitationRoles, olderRoles, roles } from '../operations/reference-lists.ts';

type View = (body: ServiceRecord) => unknown;

/** Lists of which an empty one is answered with 204. */
const emptied: Partial<Record<OperationId, string>> = { listUsers: 'users', listProperties: 'items' };

const views: Partial<Record<OperationId, View>> = {
  listInvitations: ({ invitations }) => ({ invitations: recordsIn(invitations).map(invitation) }),
  listUsers: ({ users, count }) => ({ users: recordsIn(users).map(inCamelCase), count }),
  getUser: alone,
  getCurrentUser: alone,
  listProperties: ({ items, count }) => ({ properties: recordsIn(items).map(property), count }),
  getProperty: property,
  listCountries: ({ items }) => ({ countryCodes: items }),
};

/** A success as the service writes it. */
export function asShown(id: OperationId, answer: Answer): Answer {
  const { body } = answer;
  if (id === 'countProperties') return { ...answer, body: { count: body } };
  if (!isRecord(body)) return answer;
  const list = body[emptied[id] ?? ''];
  if (Array.isArray(list) && list.length === 0) return { status: 204 };
  return { ...answer, body: views[id]?.(body) ?? body };
}

/** Payment terms are always shown here; a property that was made by the contract may have none. */
function property(record: ServiceRecord): ServiceRecord {
  return inCamelCase(record['payment_terms'] === undefined ? { ...record, payment_terms: {} } : record);
}

/** Alone, a user does not show passkeys. */
function alone({ is_passkeys_enabled: _, ...user }: ServiceRecord): ServiceRecord {
  return inCamelCase(user);
}

/** `role` under the older names, `roles` under those of the role list. */
function invitation({ role, roles: given, ...record }: ServiceRecord): ServiceRecord {
  const all = [role, ...(Array.isArray(given) ? given : [])].filter((name) => typeof name === 'string');
  const listed = new Set(all.map((name) => newerName(name)).filter((name) => isOne(roles, name)));
  const older = [...listed].map((name) => olderRoles.get(name) ?? name);
  const first = older.find((name) => isOne(invitationRoles, name));
  return inCamelCase({ ...record, ...(first === undefined ? {} : { role: first }), roles: [...listed] });
}

function newerName(name: string): string {
  return [...olderRoles].find(([, older]) => older === name)?.[0] ?? name;
}

function isOne(list: readonly string[], name: string): boolean {
  return list.includes(name);
}

function recordsIn(list: unknown): readonly ServiceRecord[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

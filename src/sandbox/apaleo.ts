import {
  camelCasePath,
  inCamelCase,
  inCamelCaseAt,
  normalise,
  normaliseValue,
  snakeCaseName,
} from '../model/fields.ts';
import { isRecord, recordsIn, type ServiceRecord } from '../model/records.ts';
import { apaleoPaths, apaleoScopes, type OperationId, operations } from '../service/operations.ts';
import { readQuery } from './apaleo-query.ts';
import type { Answer, SandboxDialect } from './call.ts';
import { invitationRoles, listedRole, olderRoles, roles } from './records.ts';
import { type Refusal, refusal, segmentsOf } from './refusal.ts';

/** The statuses that the service documents for refusals; others are mapped to one of them. */
const described = new Set([400, 401, 403, 404, 415, 422, 429, 500, 503]);

/** The public service of apaleo: camelCase in and out, its own list wrappers, refusals as lists of sentences. */
export const apaleoSandbox: SandboxDialect = {
  name: 'apaleo',
  path: (id) => apaleoPaths[id] ?? operations[id].path,
  scopes: (id) => apaleoScopes[id] ?? [],
  requestIdHeader: 'apaleo-tracking-id',
  requestsPerSecond: 100,
  query: readQuery,
  body: (_id, body) => (Array.isArray(body) ? stepsAsRead(body) : asRead(body)),
  success: (id, answer) => asShown(id, answer),
  failure: ({ status, headers, body }) => ({
    status: described.has(status) ? status : status >= 500 ? 500 : 422,
    ...(headers === undefined ? {} : { headers }),
    ...(status === 403 ? {} : { body: { messages: sentencesIn(body) } }),
  }),
};

/** One sentence for each refused value, or the refusal's message. */
function sentencesIn(body: Answer['body']): readonly string[] {
  const error = isRecord(body) ? body['error'] : undefined;
  if (!isRecord(error)) return [];
  const details = recordsIn(error['details']);
  if (error['code'] !== 'validation_failed' || details.length === 0) return [String(error['message'])];
  return details.map(({ field, reason }) => `${fieldInCamelCase(String(field))} ${String(reason)}.`);
}

/** A field by its dotted path, or a JSON Pointer. */
function fieldInCamelCase(field: string): string {
  const [dot, names] = field.startsWith('/') ? ['/', field.slice(1)] : ['.', field];
  return `${dot === '/' ? '/' : ''}${camelCasePath(names.split(dot)).join(dot)}`;
}

/** A body under the names that operations read. @throws {Refusal} 422 for names of the contract that are not this service's. */
function asRead(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const foreign = foreignNames(body, inCamelCaseAt([], body), '');
  if (foreign.length > 0) throw unknown(foreign);
  return normalise(body);
}

/** The operations of a JSON Patch. @throws {Refusal} 422 as `asRead`. */
function stepsAsRead(steps: readonly unknown[]): readonly unknown[] {
  return steps.map((step) => {
    if (!isRecord(step) || typeof step['path'] !== 'string') return step;
    const { path, value } = step;
    const segments = segmentsOf(path);
    const spelt = camelCasePath(segments);
    if (segments.some((name, index) => name !== spelt[index])) throw unknown([path]);
    const foreign = foreignNames(value, inCamelCaseAt(segments, value), `${path}/`);
    if (foreign.length > 0) throw unknown(foreign);
    const [first = ''] = segments;
    return 'value' in step && segments.length === 1
      ? { ...step, value: normaliseValue(snakeCaseName(first), value) }
      : step;
  });
}

/** Names in another spelling than this service's. */
function foreignNames(given: unknown, spelt: unknown, place: string): readonly string[] {
  if (Array.isArray(given) && Array.isArray(spelt))
    return given.flatMap((each, index) => foreignNames(each, spelt[index], `${place}${index}.`));
  if (!isRecord(given) || !isRecord(spelt)) return [];
  return Object.keys(given).flatMap((name) =>
    Object.hasOwn(spelt, name)
      ? foreignNames(given[name], spelt[name], `${place}${name}.`)
      : [`${place}${name}`],
  );
}

function unknown(names: readonly string[]): Refusal {
  return refusal(422, 'unknown_fields', names.map((name) => `${name} is not a known field.`).join(' '));
}

type View = (body: ServiceRecord) => unknown;

const views: Partial<Record<OperationId, View>> = {
  listInvitations: ({ invitations }) => ({ invitations: recordsIn(invitations).map(invitation) }),
  listUsers: ({ users, count }) => ({ users: recordsIn(users).map(inCamelCase), count }),
  getUser: singleUser,
  getCurrentUser: singleUser,
  listProperties: ({ items, count }) => ({ properties: recordsIn(items).map(property), count }),
  getProperty: property,
  listCountries: ({ items }) => ({ countryCodes: items }),
  listUnitGroups: ({ items, count }) => ({ unitGroups: recordsIn(items).map(dated), count }),
  getUnitGroup: dated,
  listUnits: ({ items, count }) => ({ units: recordsIn(items).map(unit), count }),
  getUnit: unit,
  listUnitAttributes: ({ items, count }) => ({ unitAttributes: items, count }),
};

/** A success as the service writes it. */
function asShown(id: OperationId, answer: Answer): Answer {
  const { body } = answer;
  if (typeof body === 'number') return { ...answer, body: { count: body } };
  if (!isRecord(body)) return answer;
  // Lists but those of invitations are answered with 204 when they are empty.
  const list = body['users'] ?? body['items'];
  if (Array.isArray(list) && list.length === 0) return { status: 204 };
  return { ...answer, body: views[id]?.(body) ?? body };
}

/** A record as it is spelt, its dates in whole seconds. */
function dated(record: ServiceRecord): ServiceRecord {
  const dates = ['created', 'archived', 'from', 'to'].flatMap((name) => {
    const date = record[name];
    return typeof date === 'string' ? [[name, date.replace(/\.\d+/, '')]] : [];
  });
  return inCamelCase({ ...record, ...Object.fromEntries(dates) });
}

/** The dates of its maintenance, too. */
function unit(record: ServiceRecord): ServiceRecord {
  const { status } = record;
  const maintenance = isRecord(status) ? status['maintenance'] : undefined;
  if (!isRecord(status) || !isRecord(maintenance)) return dated(record);
  return dated({ ...record, status: { ...status, maintenance: dated(maintenance) } });
}

/** Payment terms are always shown here; a property that was created under the contract may have none. */
function property(record: ServiceRecord): ServiceRecord {
  return dated(record['payment_terms'] === undefined ? { ...record, payment_terms: {} } : record);
}

/** A single user is shown without passkeys. */
function singleUser({ is_passkeys_enabled: _, ...user }: ServiceRecord): ServiceRecord {
  return inCamelCase(user);
}

/** `role` has the older names, `roles` the names of the role list. */
function invitation({ role, roles: given, ...record }: ServiceRecord): ServiceRecord {
  const all = [role, ...(Array.isArray(given) ? given : [])].filter((name) => typeof name === 'string');
  const listed = new Set(all.map(listedRole).filter((name) => roles.includes(name)));
  const older = [...listed].map((name) => olderRoles.get(name) ?? name);
  const first = older.find((name) => invitationRoles.includes(name));
  return dated({ ...record, ...(first === undefined ? {} : { role: first }), roles: [...listed] });
}

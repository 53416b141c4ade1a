import {
  camelCasePath,
  inCamelCase,
  inCamelCaseAt,
  normalise,
  normaliseValue,
  snakeCaseName,
} from '../model/fields.ts';
import { isRecord, recordsIn, type ServiceRecord } from '../model/records.ts';
import {
  apaleoPaths,
  apaleoScopes,
  contractOperations,
  type OperationId,
  operations,
} from '../service/operations.ts';
import { type Answer, refusal, type SandboxDialect } from './call.ts';
import { segmentsOf } from './patches.ts';
import { invitationRoles, listedRole, olderRoles, roles } from './people.ts';
import { readQuery } from './query.ts';
import { withDates } from './records.ts';
import { TERMS } from './seeds/names.ts';

/** The contract's own names and paths. */
export const contractSandbox: SandboxDialect = {
  name: 'contract',
  path: (id) => (id in contractOperations ? operations[id].path : undefined),
  scopes: () => [],
  requestIdHeader: 'x-request-id',
  // The identity API takes the names of parameters in camelCase, too.
  query: (id, query) => (operations[id].area === 'identity' ? inSnakeCase(query) : query),
  body: (body) => body,
  success: (_id, answer) => answer,
  failure: (answer) => answer,
};

function inSnakeCase(query: URLSearchParams): URLSearchParams {
  const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return new URLSearchParams([...query].map(([name, value]): [string, string] => [snakeCase(name), value]));
}

/** The statuses that the service documents for refusals; others are mapped to one of them. */
const described = new Set([400, 401, 403, 404, 415, 422, 429, 500, 503]);

/** The public service of apaleo: camelCase in and out, its own list wrappers, refusals as lists of sentences. */
export const apaleoSandbox: SandboxDialect = {
  name: 'apaleo',
  path: (id) => apaleoPaths[id] ?? operations[id].path,
  scopes: apaleoScopes,
  requestIdHeader: 'apaleo-tracking-id',
  requestsPerSecond: 100,
  query: readQuery,
  body: asRead,
  success: asShown,
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
  if (Array.isArray(body)) return body.map(stepAsRead);
  refuse(foreignNames(body, inCamelCaseAt([], body), ''));
  return isRecord(body) ? normalise(body) : body;
}

/** An operation of a JSON Patch. @throws {Refusal} 422 as `asRead`. */
function stepAsRead(step: unknown): unknown {
  if (!isRecord(step) || typeof step['path'] !== 'string') return step;
  const { path, value } = step;
  const segments = segmentsOf(path);
  refuse(segments.join('/') === camelCasePath(segments).join('/') ? [] : [path]);
  refuse(foreignNames(value, inCamelCaseAt(segments, value), `${path}/`));
  const [first = '', ...inner] = segments;
  return inner.length > 0 ? step : { ...step, value: normaliseValue(snakeCaseName(first), value) };
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

/** @throws {Refusal} 422 if there are names that are not known. */
function refuse(names: readonly string[]): void {
  const sentences = names.map((name) => `${name} is not a known field.`);
  if (names.length > 0) throw refusal(422, 'unknown_fields', sentences.join(' '));
}

/** A success as the service writes it. */
function asShown(id: OperationId, answer: Answer): Answer {
  const { body } = answer;
  if (typeof body === 'number') return { ...answer, body: { count: body } };
  if (!isRecord(body)) return answer;
  if (!id.startsWith('list') || id === 'listRoles') return { ...answer, body: shown(id, body) };
  const all = [body['users'] ?? body['items'] ?? body['invitations']].flat();
  // Lists but those of invitations are answered with 204 when they are empty.
  if (all.length === 0 && id !== 'listInvitations') return { status: 204 };
  // `listUnitGroups` shows `unitGroups`.
  const plural = id.charAt('list'.length).toLowerCase() + id.slice('list'.length + 1);
  const [name, count] = id === 'listCountries' ? ['countryCodes'] : [plural, body['count']];
  return { ...answer, body: { [name]: all.map((each) => (isRecord(each) ? shown(id, each) : each)), count } };
}

/** What operations show besides other names. */
const views: Partial<Record<OperationId, (record: ServiceRecord) => ServiceRecord>> = {
  ...{ listInvitations: invitation, listProperties: property, getProperty: property },
  ...{ getUser: singleUser, getCurrentUser: singleUser },
};

/** A record, its dates in whole seconds. */
function shown(id: OperationId, record: ServiceRecord): ServiceRecord {
  return inCamelCase(withDates(views[id]?.(record) ?? record, (date) => date.replace(/\.\d+/, '')));
}

/** Payment terms are always shown here; a property that was created under the contract may have none. */
function property(record: ServiceRecord): ServiceRecord {
  return { ...record, [TERMS]: record[TERMS] ?? {} };
}

/** A single user is shown without passkeys. */
function singleUser({ is_passkeys_enabled: _, ...user }: ServiceRecord): ServiceRecord {
  return user;
}

/** `role` has the older names, `roles` the names of the role list. */
function invitation({ role, roles: given, ...record }: ServiceRecord): ServiceRecord {
  const all = [role, ...(Array.isArray(given) ? given : [])].filter((name) => typeof name === 'string');
  const listed = new Set(all.map(listedRole).filter((name) => roles.includes(name)));
  const older = [...listed].map((name) => olderRoles.get(name) ?? name);
  const first = older.find((name) => invitationRoles.includes(name));
  return { ...record, ...(first === undefined ? {} : { role: first }), roles: [...listed] };
}

import { plainName } from '../model/fields.ts';
import { isRecord } from '../model/records.ts';
import type { Dialect, Query } from './dialect.ts';
import type { Guard } from './guard.ts';
import { type Operation, type OperationId, operations, type PathValues } from './operations.ts';
import { fillPath } from './path.ts';
import { type Earlier, earlierOf, type Pause, type Send, type Sent, type ServiceRequest } from './send.ts';

/** What one call of an operation carries. */
export interface CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  /** Return a `Pause` before every further try; see `ServiceRequest`. */
  readonly pauses?: boolean;
  /** What this goes on from; see `Send`. */
  readonly earlier?: Earlier | undefined;
  /** See `ServiceRequest`. */
  readonly leavesDoubt?: boolean | undefined;
  readonly idempotencyKey?: string;
  /** When it must be answered, by `Clock.monotonic`; the command's own time limit holds as well. */
  readonly deadline?: number;
}

/** Carries out one operation of the contract: fills in path, query and body as the dialect spells them. */
export type Call = <Id extends OperationId, Options extends CallOptions>(
  id: Id,
  path: PathValues<Id>,
  options?: Options,
) => Promise<Options extends { readonly pauses: boolean } ? Sent | Pause : Sent>;

/**
 * Returns when the settings allow an operation, before anything is asked or read for it.
 *
 * @param ids what it is about, as far as that is known.
 * @throws {CliError} `blocked`, exit 11.
 */
export type Permit = (id: OperationId, ...ids: readonly string[]) => void;

/**
 * Returns when an operation could be sent about these: so that a command does not prompt about an id that no path can carry.
 *
 * @throws {CliError} exit 2, naming the placeholder.
 */
export type Check = <Id extends OperationId>(id: Id, path: PathValues<Id>) => void;

/** Where the two areas live, without a slash at the end, and how this service spells things. */
export interface Service {
  readonly identityUrl: string;
  readonly baseUrl: string;
  readonly dialect: Dialect;
  /** Name of the header that carries the key of a create. */
  readonly idempotencyHeader: string;
}

/** Binds the operations to one service. */
export function createCall(service: Service, send: Send): Call {
  const call = async <Id extends OperationId>(id: Id, path: PathValues<Id>, options: CallOptions = {}) => {
    const request = operationRequest(service, id, path, options);
    let sent = await send(request, options.earlier);
    while (!isTaken(request, sent)) sent = await send(request, earlierOf(sent));
    return sent;
  };
  // `send` returns a pause only where the request asks for it.
  return call as Call;
}

function operationRequest<Id extends OperationId>(
  { dialect, identityUrl, baseUrl, idempotencyHeader }: Service,
  id: Id,
  path: PathValues<Id>,
  { query, body, idempotencyKey, deadline, pauses, leavesDoubt }: CallOptions,
): ServiceRequest {
  const { area, method, safety, effect, does }: Operation = operations[id];
  const base = area === 'identity' ? identityUrl : baseUrl;
  const suffix = query === undefined ? '' : queryText(dialect.query(id, query));
  const spelt = dialect.body(id, body);
  return {
    deadline,
    method,
    safety,
    effect,
    does,
    ids: Object.values(path),
    scopes: dialect.scopes(id),
    fieldName: dialect.fieldName,
    url: `${base}${fillPath(dialect.path(id), path)}${suffix}`,
    body: spelt === undefined ? undefined : JSON.stringify(spelt),
    pauses,
    leavesDoubt,
    headers: idempotencyKey === undefined ? {} : { [idempotencyHeader.toLowerCase()]: idempotencyKey },
  };
}

function queryText(query: ReturnType<Dialect['query']>): string {
  if (query.length === 0) return '';
  return `?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`;
}

/** Fields by which an answer names the record that it is about. */
const namingFields = ['id', 'subject_id', 'email', 'code'];

/**
 * Whether this is the answer to an update or a deletion: nothing, an empty object, or the record. Any other success may be
 * any proxy's. Answers to what reads or creates are judged by who reads them.
 */
function isTaken({ safety, ids }: ServiceRequest, sent: Sent | Pause): boolean {
  if ((safety !== 'patch' && safety !== 'delete') || 'past' in sent || sent.doubt !== undefined) return true;
  const { status, body } = sent;
  if (status === 204) return true;
  if ((status !== 200 && status !== 202) || !isRecord(body)) return false;
  const fields = Object.entries(body);
  return fields.length === 0 || fields.some(([name, value]) => isNaming(ids, plainName(name), value));
}

function isNaming(ids: readonly string[], field: string, value: unknown): boolean {
  if (!namingFields.includes(field)) return false;
  const text = String(value).toLowerCase();
  return ids.some((id) => id.toLowerCase() === text);
}

/** Fills in the path as a call would. */
export function createCheck({ dialect }: Pick<Service, 'dialect'>): Check {
  return (id, path) => {
    fillPath(dialect.path(id), path);
  };
}

/** Asks the guard that every request passes, for an operation that is not yet a request. */
export function createPermit(guard: Guard): Permit {
  return (id, ...ids) => {
    const { effect, does, safety } = operations[id];
    if (safety !== 'read') guard({ effect, does, ids });
  };
}

import { plainName } from '../model/fields.ts';
import { isRecord } from '../model/records.ts';
import type { Dialect, Query } from './dialect.ts';
import { idsInBody, idsInQuery } from './guard.ts';
import { kindOf, type Operation, type OperationId, operations, type PathValues } from './operations.ts';
import { fillPath } from './path.ts';
import { type Earlier, earlierOf, type Pause, type Send, type Sent, type ServiceRequest } from './send.ts';

/** What one call of an operation carries. */
export interface CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  /** See `ServiceRequest`. */
  readonly pauses?: boolean;
  /** What this continues; see `Send`. */
  readonly earlier?: Earlier | undefined;
  readonly idempotencyKey?: string;
  /** When it must be answered, by `Clock.monotonic`, within the time limit of the command. */
  readonly deadline?: number | undefined;
}

/** Carries out one operation of the contract: fills in path, query and body as the dialect spells them. */
export type Call = <Id extends OperationId, Options extends CallOptions>(
  id: Id,
  path: PathValues<Id>,
  options?: Options,
) => Promise<Options extends { readonly pauses: boolean } ? Sent | Pause : Sent>;

/** One service: the URLs of its two areas, without a slash at the end, and how it spells things. */
export interface Service {
  readonly identityUrl: string;
  readonly baseUrl: string;
  readonly dialect: Dialect;
  /** The name of the header for idempotency keys. */
  readonly idempotencyHeader: string;
}

/** Binds the operations to one service. */
export function createCall(service: Service, send: Send): Call {
  const call = async <Id extends OperationId>(id: Id, path: PathValues<Id>, options: CallOptions = {}) => {
    const request = operationRequest(service, id, path, options);
    let sent = await send(request, options.earlier);
    while (!confirms(request, sent)) sent = await send(request, earlierOf(sent));
    return sent;
  };
  // `send` returns a pause only where the request asks for it.
  return call as Call;
}

function operationRequest<Id extends OperationId>(
  service: Service,
  id: Id,
  path: PathValues<Id>,
  { query = {}, body, idempotencyKey, deadline, pauses }: CallOptions,
): ServiceRequest {
  const { dialect } = service;
  const operation: Operation = operations[id];
  const { area, method, safety, effect, does } = operation;
  const pairs = dialect.query(id, query).map(([name, value]): [string, string] => [name, value]);
  const spelt = dialect.body(id, body);
  const text = spelt === undefined ? undefined : JSON.stringify(spelt);
  const encoded = String(new URLSearchParams(pairs));
  const isRead = effect === 'reads';
  return {
    method,
    url: urlOf(service, area, fillPath(dialect.path(id), path), encoded),
    headers: keyHeader(service, idempotencyKey),
    body: text,
    ids: Object.values(path),
    further: isRead ? [] : [...idsInQuery(encoded), ...idsInBody(text ?? '', operation)],
    safety,
    kind: kindOf(id),
    key: idempotencyKey,
    effect,
    does,
    scopes: dialect.scopes(id),
    fieldName: dialect.fieldName,
    pauses,
    leavesDoubt: safety === 'keyed',
    deadline,
  };
}

/** The URL of a path and an encoded query, which may be empty. */
export function urlOf(service: Service, area: Operation['area'], path: string, query: string): string {
  const base = area === 'identity' ? service.identityUrl : service.baseUrl;
  return `${base}${path}${query === '' ? '' : `?${query}`}`;
}

/** The header with an idempotency key, if there is one. */
export function keyHeader({ idempotencyHeader }: Service, key: string | undefined) {
  return key === undefined ? {} : { [idempotencyHeader.toLowerCase()]: key };
}

/** Fields that identify the record of an answer. */
const namingFields = ['id', 'subject_id', 'email', 'code'];

/**
 * Whether this is an answer to an update or a deletion: nothing, an empty object, or the record; any other success may
 * come from a proxy. Answers to reads and creates are judged by their readers.
 */
function confirms({ safety, ids }: ServiceRequest, sent: Sent | Pause): boolean {
  if ((safety !== 'patch' && safety !== 'delete') || 'past' in sent || sent.doubt !== undefined) return true;
  const { status, body } = sent;
  if (status === 204) return true;
  if ((status !== 200 && status !== 202) || !isRecord(body)) return false;
  const fields = Object.entries(body);
  if (fields.length === 0) return true;
  const shown = fields.flatMap(([name, value]) => (namingFields.includes(plainName(name)) ? [value] : []));
  const texts = shown.filter((value) => typeof value === 'string' || typeof value === 'number');
  return texts.some((text) => ids.some((id) => id.toLowerCase() === String(text).toLowerCase()));
}

import { placedRoles } from '../model/access.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import { normalise, plainName } from '../model/fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { fillPath, quote } from '../model/text.ts';
import { type Answer, checkTheUrl, isMarkupType, type ServiceRequest } from './answer.ts';
import type { Dialect, Query } from './dialect.ts';
import type { Credentials } from './exchange.ts';
import { idsInBody, idsInQuery } from './guard.ts';
import { kindOf, type Operation, type OperationId, operations, type PathValues } from './operations.ts';
import type { ListAnswer, WalkOptions } from './paging.ts';
import { type Earlier, earlierOf, type Pause, type Send, type Sent } from './send.ts';
import { isMissing, type UpdateOptions } from './settling.ts';

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

/** What the resources need besides a way to call operations. */
export interface ApiOptions extends UpdateOptions, Pick<WalkOptions, 'warn' | 'ahead'> {
  /** Whether the service is known to honour idempotency keys: by its documents, or by a setting that names their header. */
  readonly trustsKeys: boolean;
  /** How the caller authenticates. */
  readonly grant: Credentials['grant'];
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

/**
 * Carries out an operation whose answer is read. It is retried when `read` throws a `CliError`, as after a truncated answer; a creation
 * only if an answer has shown that keys are honoured.
 *
 * @returns what `read` made of the answer.
 * @throws {CliError} what `read` threw last.
 */
export async function ask<Id extends OperationId, Result>(
  call: Call,
  id: Id,
  path: PathValues<Id>,
  read: (answer: Answer) => Result,
  options: Omit<CallOptions, 'pauses'> = {},
): Promise<Result> {
  for (let earlier: Earlier | undefined; ; ) {
    const answer = await call(id, path, { ...options, earlier });
    try {
      return read(answer);
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      earlier = earlierOf(answer, cause);
    }
  }
}

/**
 * Reads a list tolerantly: `{count, items}`, a named key, a bare array, or no content (204).
 *
 * @param key the name under which the public service wraps this list.
 * @param bare the field for a record that is a bare string.
 * @param required the fields that each record must have.
 * @throws {CliError} `malformed_answer` when it is not a list, or a record lacks a required field.
 */
export function readList(answer: Answer, key: string, bare: string, required: readonly string[]): ListAnswer {
  const { body, requestId } = answer;
  if (body === undefined && answer.status === 204) return { items: [], count: 0, requestId };
  const items = Array.isArray(body) ? body : isRecord(body) ? (body['items'] ?? body[key]) : undefined;
  if (!Array.isArray(items)) throw not(`a list under "items" or "${key}"`);
  return {
    items: items.map((item) => {
      if (typeof item === 'string') return withFields({ [bare]: item }, required);
      if (!isRecord(item)) throw not('a list of objects');
      return withFields(normalise(item), required);
    }),
    count: isRecord(body) ? countIn(body['count']) : undefined,
    requestId,
  };
}

/** A value as a number of records; `undefined` if it is none. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function not(expected: string): CliError {
  return new CliError('malformed_answer', `the service's answer is not ${expected}`);
}

/** The record, if it has what an answer must have, and names its properties by ids. */
function withFields(record: ServiceRecord, required: readonly string[]): ServiceRecord {
  const missing = required.filter((field) => isUnset(record[field]));
  if (missing.length > 0) throw not(`a whole record: it lacks ${missing.join(', ')}`);
  const odd = ['properties', placedRoles].find((field) => !isListOf(record[field], isReference));
  if (odd !== undefined) throw not(`a whole record: its ${odd} are no list of ids`);
  return record;
}

/** Services leave out what is not set, or write null. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null;
}

function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return isUnset(value) || (Array.isArray(value) && value.every(isEntry));
}

/** A property of a user or an invitation: an id, or `{id, roles}`. */
function isReference(entry: unknown): boolean {
  if (!isRecord(entry)) return isText(entry);
  return isText(entry['id']) && isListOf(entry['roles'], isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/**
 * Reads one record.
 *
 * @param required the fields that it must have.
 * @throws {CliError} `malformed_answer` when it is no object, or lacks a required field.
 */
export function readRecord(answer: Answer, required: readonly string[]): ServiceRecord {
  if (!isRecord(answer.body)) throw not('a record');
  return withFields(normalise(answer.body), required);
}

/**
 * Reads the record with an id.
 *
 * @param field the one with the id, which is required. Letter case is ignored.
 * @throws {CliError} `malformed_answer` when it is no record, lacks a required field, or shows another id.
 */
export function readRecordOf(
  answer: Answer,
  required: readonly string[],
  field: string,
  id: string,
): ServiceRecord {
  const record = readRecord(answer, required);
  const shown = record[field];
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
  if (text.toLowerCase() === id.toLowerCase()) return record;
  throw not(`about ${quote(id)}: it shows ${quote(text)}`);
}

/**
 * Reads a number of records: a bare integer, or `{count}`.
 *
 * @throws {CliError} `malformed_answer` when it is none.
 */
export function readCount(answer: Answer): number {
  const { body } = answer;
  const count = countIn(isRecord(body) ? body['count'] : body);
  if (count === undefined) throw not('a number of records');
  return count;
}

/** Whether a record exists. @param asked what `readHead` reads, or the record. */
export async function isThere(asked: Promise<unknown>): Promise<boolean> {
  return !(await isMissing(asked.catch(unlessPage)));
}

/**
 * Accepts a success of HEAD unless it is about a page: of a login page or an error page of a gateway only the type is
 * known.
 *
 * @throws {CliError} `html_answer` when it is about a page.
 */
export function readHead({ headers }: Answer): void {
  if (isMarkupType(headers))
    throw new CliError('html_answer', "the service's answer is about a page, not about a record", {
      hint: checkTheUrl,
    });
}

/** For `catch`: a page says nothing about the record, whatever its status. @throws the error, of a page with exit 1. */
function unlessPage(cause: unknown): never {
  const isPage = cause instanceof CliError && cause.code === 'html_answer';
  throw isPage ? cause.with({ exitCode: ExitCode.failed }) : cause;
}

import { plainName } from '../model/fields.ts';
import { isRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import type { Dialect, Query } from './dialect.ts';
import type { Guard } from './guard.ts';
import { type Operation, type OperationId, operations, type PathValues } from './operations.ts';
import { fillPath } from './path.ts';
import type { Past } from './retry.ts';
import type { Send } from './send.ts';

/** What one call of an operation carries. */
export interface CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  /** The body for every try but the first; `undefined` when nothing is left to send; see `ServiceRequest`. */
  readonly renewBody?: ((past: Past) => Promise<unknown>) | undefined;
  /** See `ServiceRequest`. */
  readonly leavesDoubt?: boolean | undefined;
  readonly idempotencyKey?: string;
  /** Whether a success is the answer to this; any other counts as no answer; see `ServiceRequest`. */
  readonly confirms?: (answer: Answer) => boolean;
  /** When it must be answered, by `Clock.monotonic`; the command's own time limit holds as well. */
  readonly deadline?: number;
}

/** Carries out one operation of the contract: fills in path, query and body as the dialect spells them. */
export type Call = <Id extends OperationId>(
  id: Id,
  path: PathValues<Id>,
  options?: CallOptions,
) => Promise<Answer>;

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
  return (id, path, options = {}) => {
    const { area, method, safety, effect, does }: Operation = operations[id];
    const base = area === 'identity' ? service.identityUrl : service.baseUrl;
    const suffix = options.query === undefined ? '' : queryText(service.dialect.query(id, options.query));
    const textOf = (value: unknown) => {
      const body = service.dialect.body(id, value);
      return body === undefined ? undefined : JSON.stringify(body);
    };
    const { renewBody } = options;
    const key = options.idempotencyKey;
    const ids: readonly string[] = Object.values(path);
    const isTaken = (answer: Answer) => isTakenFor(ids, answer);
    return send({
      deadline: options.deadline,
      method,
      safety,
      effect,
      does,
      ids,
      scopes: service.dialect.scopes(id),
      fieldName: service.dialect.fieldName,
      confirms: options.confirms ?? (safety === 'patch' || safety === 'delete' ? isTaken : undefined),
      url: `${base}${fillPath(service.dialect.path(id), path)}${suffix}`,
      body: textOf(options.body),
      renewBody: renewBody && (async (past) => textOf(await renewBody(past))),
      leavesDoubt: options.leavesDoubt,
      headers: key === undefined ? {} : { [service.idempotencyHeader.toLowerCase()]: key },
    });
  };
}

function queryText(query: ReturnType<Dialect['query']>): string {
  if (query.length === 0) return '';
  return `?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`;
}

/** Fields by which an answer names the record that it is about. */
const namingFields = ['id', 'subject_id', 'email', 'code'];

/**
 * Updates and deletions answer nothing; some services send an empty object, or the record. Any other success may be any
 * proxy's.
 */
function isTakenFor(ids: readonly string[], { status, body }: Answer): boolean {
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

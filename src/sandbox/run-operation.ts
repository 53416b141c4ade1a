import { setTimeout } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import { type Operation, type OperationId, operations } from '../service/operations.ts';
import type { Answer, Call, Caller, Handler, Handlers, Outcome, SandboxDialect } from './call.ts';
import type { Fault, FaultPicker } from './faults.ts';
import { readJson } from './http.ts';
import { peopleHandlers } from './people.ts';
import { propertyHandlers } from './properties.ts';
import { countryCodes, type Dated, dated, type Records, roles } from './records.ts';
import { refusal } from './refusal.ts';
import { parseIdempotencyKey } from './resource.ts';
import type { SandboxOptions } from './server.ts';
import type { Store } from './store.ts';
import { authorise } from './tokens.ts';
import { unitAttributeHandlers } from './unit-attributes.ts';
import { unitGroupHandlers } from './unit-groups.ts';
import { unitHandlers } from './units.ts';

/** What all endpoints share. */
export interface Service extends Pick<SandboxOptions, 'now' | 'requireAuth' | 'latencyMs'> {
  readonly store: Store;
  /** How requests are read and answers written. */
  readonly dialect: SandboxDialect;
  readonly pickFaults: FaultPicker<Fault>;
  /** The idempotency keys of the requests under way. */
  readonly keysInUse: Set<string>;
  /** Aborted when the sandbox closes; ends all waiting. */
  readonly signal: AbortSignal;
}

export const handlers: Handlers = {
  ...peopleHandlers,
  ...propertyHandlers,
  ...unitGroupHandlers,
  ...unitHandlers,
  ...unitAttributeHandlers,
  listRoles: () => ({ status: 200, body: { roles } }),
  listCountries: () => ({ status: 200, body: { count: countryCodes.length, items: countryCodes } }),
};

/** The content types of the bodies of each method; no body for the others. */
const bodyTypes: Partial<Record<Operation['method'], readonly string[]>> = {
  POST: ['application/json'],
  PUT: ['application/json'],
  PATCH: ['application/json', 'application/json-patch+json'],
};

/** The operations of these methods whose path says everything. */
const actions: OperationId[] = ['setPropertyLive', 'resetProperty', 'archiveProperty', 'archiveUnit'];

const DEFAULT_LAG_MS = 12_000;

/** A request, its path matched, and its answer. */
export type Exchange = HonoContext<{ Bindings: HttpBindings }>;

/**
 * Carries one operation out; refuses a request whose idempotency key is used by another one under way.
 *
 * @throws {Refusal} when the answer is no; {CliError} when the state cannot be used.
 */
export async function runOperation(
  service: Service,
  id: OperationId,
  exchange: Exchange,
  faults: readonly Fault[],
): Promise<Answer> {
  const { keysInUse, latencyMs = 0, signal } = service;
  const isKeyed = operations[id].safety === 'keyed' && !faults.some(({ kind }) => kind === 'ignore-keys');
  const key = isKeyed ? exchange.req.header('idempotency-key') : undefined;
  if (key !== undefined && keysInUse.has(key)) {
    const message = 'A request with this Idempotency-Key is being carried out. Ask again in a moment.';
    throw refusal(409, 'idempotency_in_progress', message);
  }
  if (key !== undefined) keysInUse.add(key);
  try {
    if (latencyMs > 0) await setTimeout(latencyMs, undefined, { signal });
    return await carryOut(service, id, exchange, faults, key);
  } finally {
    if (key !== undefined) keysInUse.delete(key);
  }
}

async function carryOut(
  service: Service,
  id: OperationId,
  { req, env: { incoming } }: Exchange,
  faults: readonly Fault[],
  key: string | undefined,
): Promise<Answer> {
  const { store, dialect } = service;
  const caller = authorise(service, incoming.headers.authorization);
  requireScope(caller, dialect.scopes(id));
  const { method } = operations[id];
  const types = actions.includes(id) ? undefined : bodyTypes[method];
  const body = types && dialect.body(id, await readJson(incoming, types));
  const asked = {
    // The router matched this operation's own path, so that its placeholders, and no others, are there.
    path: req.param() as Call['path'],
    query: dialect.query(id, new URL(req.url).searchParams),
    body,
    idempotencyKey: key === undefined ? undefined : parseIdempotencyKey(key),
    caller,
    dialect: dialect.name,
  };
  const handle = handlers[id] as Handler<OperationId>;
  const decide = (records: Call['records']): Outcome => handle({ ...asked, records, now: service.now() });
  if (method === 'GET' || method === 'HEAD') {
    const { records } = store.read();
    const lag = faults.find(({ kind }) => kind === 'lag');
    const until = lag && service.now() - (lag.delayMs ?? DEFAULT_LAG_MS);
    return dialect.success(id, decide(until === undefined ? records : createdBy(until, records)));
  }
  return dialect.success(id, await store.write(decide));
}

/** A client that asked for some scopes has no others; everybody else has all. */
function requireScope(caller: Caller, needed: readonly string[]): void {
  const { scopes = needed } = caller.kind === 'client' ? caller : {};
  if (needed.length === 0 || scopes.some((scope) => needed.includes(scope))) return;
  throw refusal(403, 'forbidden', `The token has none of the scopes ${needed.join(', ')}.`);
}

/** The records without those that were created after a moment, in milliseconds since the epoch. */
function createdBy(moment: number, records: Records): Records {
  const latest = new Date(Math.max(0, moment)).toISOString();
  const only = <Kept extends { readonly created: string }>(all: ReadonlyMap<string, Kept>) =>
    new Map([...all].filter(([, { created }]) => created <= latest));
  return { ...records, ...Object.fromEntries(dated.map((name) => [name, only<Dated>(records[name])])) };
}

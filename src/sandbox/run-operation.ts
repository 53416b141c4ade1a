import { setTimeout } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import { type OperationId, operations } from '../service/operations.ts';
import type { Answer, Caller, Handlers, SandboxDialect } from './call.ts';
import { creations, parseIdempotencyKey } from './creations.ts';
import type { Fault, FaultPicker } from './faults.ts';
import { readJson } from './http.ts';
import { changes } from './patches.ts';
import { reads } from './reads.ts';
import { dated, type Records } from './records.ts';
import { refusal } from './refusal.ts';
import { actions } from './rules.ts';
import type { SandboxOptions } from './server.ts';
import type { Store } from './store.ts';
import { authorise } from './tokens.ts';

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

export const handlers: Handlers = { ...reads, ...creations, ...changes, ...actions };

/** The content types of the body of an operation; `undefined` where its path says everything. */
function bodyTypes(id: OperationId): readonly string[] | undefined {
  const { method } = operations[id];
  if (method === 'PATCH') return ['application/json', 'application/json-patch+json'];
  return method === 'POST' || id === 'replaceUnitGroup' ? ['application/json'] : undefined;
}

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
  const types = bodyTypes(id);
  const body = types && dialect.body(await readJson(incoming, types));
  const asked = {
    path: req.param(),
    query: dialect.query(id, new URL(req.url).searchParams),
    body,
    idempotencyKey: key === undefined ? undefined : parseIdempotencyKey(key),
    caller,
    dialect: dialect.name,
  };
  const decide = (records: Records) => handlers[id]({ ...asked, records, now: service.now() });
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
  const kept = dated.map((name) => {
    const visible = [...records[name]].filter(([, { created }]) => created <= latest);
    return [name, new Map<string, unknown>(visible)] as const;
  });
  return { ...records, ...Object.fromEntries(kept) };
}

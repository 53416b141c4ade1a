import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context as HonoContext } from 'hono';
import { quietly } from '../fs/replace.ts';
import { CliError } from '../model/errors.ts';
import { withoutHoles } from '../model/records.ts';
import { type DialectName, type OperationId, operations } from '../service/operations.ts';
import { type Answer, type Caller, type Handlers, Refusal, refusal, type SandboxDialect } from './call.ts';
import { creations, parseIdempotencyKey } from './creations.ts';
import { apaleoSandbox, contractSandbox } from './dialects.ts';
import { createFaultPicker, type Fault, type FaultPicker, type Target } from './faults.ts';
import { createRateCount, foreignRefusal, HOST, listen, readJson, send, stop } from './http.ts';
import { changes } from './patches.ts';
import { reads } from './reads.ts';
import { dated, type Records } from './records.ts';
import { actions } from './rules.ts';
import { ADMIN_ID, type SeedName } from './seeds/names.ts';
import { openStore, type StateOptions, type Store } from './store.ts';
import { authorise, CLIENT_ID, clientSecretOf, grantToken, issueToken, TOKEN_PATH } from './tokens.ts';

const dialects = { contract: contractSandbox, apaleo: apaleoSandbox };

const DEFAULT_LAG_MS = 12_000;
const TOKEN_LIFE_MS = 30 * 86_400_000;
/** Longer than clients keep a connection, so that none is closed during a request. */
const KEEP_ALIVE_MS = 60_000;

export interface SandboxOptions extends Pick<StateOptions, 'folder' | 'now'> {
  /** The seed of a folder without state. Default `small`. */
  readonly seed?: SeedName | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Waited before each operation. Default 0. */
  readonly latencyMs?: number | undefined;
  /** Refuse calls without a token; by default they are the account admin's. */
  readonly requireAuth?: boolean | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** How it spells the operations. Default `contract`. */
  readonly dialect?: DialectName | undefined;
  /** Decides where faults with a rate hit. Default 1. */
  readonly faultSeed?: number | undefined;
}

/** What all endpoints share. */
interface Service extends Pick<SandboxOptions, 'now' | 'requireAuth' | 'latencyMs'> {
  readonly store: Store;
  /** How requests are read and answers written. */
  readonly dialect: SandboxDialect;
  readonly pickFaults: FaultPicker<Fault>;
  /** The idempotency keys of the requests under way. */
  readonly keysInUse: Set<string>;
  /** Aborted when the sandbox closes; ends all waiting. */
  readonly signal: AbortSignal;
}

/** A request, its path matched, and its answer. */
type Exchange = HonoContext<{ Bindings: HttpBindings }>;

/** What answers each operation. */
export const handlers: Handlers = { ...reads, ...creations, ...changes, ...actions };

/** A running sandbox. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Serves the sandbox on the loopback interface.
 *
 * @throws {CliError} `port_unavailable` when the port is not available; `sandbox_...` when the state cannot be used.
 */
export async function startSandbox(options: SandboxOptions) {
  const { folder, now, port = 0 } = options;
  const store = await openStore({ folder, seed: options.seed ?? 'small', now });
  const closing = new AbortController();
  const { seed, secret } = store.read().header;
  const dialect = dialects[options.dialect ?? 'contract'];
  const { fetch } = buildApp({
    ...options,
    store,
    dialect,
    pickFaults: createFaultPicker(options.faults ?? [], options.faultSeed ?? 1),
    keysInUse: new Set(),
    signal: closing.signal,
  });
  const { requestsPerSecond } = dialect;
  const rateHeaders = requestsPerSecond === undefined ? undefined : createRateCount(requestsPerSecond, now);
  // The process is innctl's, and the routes answer through Node's own response.
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, outgoing) => {
    outgoing.setHeader(dialect.requestIdHeader, randomUUID());
    for (const [name, value] of Object.entries(rateHeaders?.() ?? {})) outgoing.setHeader(name, value);
    const foreign = foreignRefusal(incoming);
    if (foreign !== undefined) send(outgoing, dialect.failure(foreign.answer));
    else void listener(incoming, outgoing);
  });
  await listen(server, port);
  const close = async () => {
    closing.abort();
    await stop(server);
    await store.close();
  };
  let closed: Promise<void> | undefined;
  return {
    /** The address of both areas, without a slash at the end. */
    // Listening on an address of the network, not on a socket of the file system.
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    /** Of the account admin, for 30 days. */
    token: issueToken({ kind: 'user', subjectId: ADMIN_ID }, now() + TOKEN_LIFE_MS, secret),
    clientId: CLIENT_ID,
    clientSecret: clientSecretOf(secret),
    /** The seed of the state, which an earlier start may have chosen. */
    seed,
    /** Ends at most half a second later, with every write that was accepted stored. May be called again. */
    close: (): Promise<void> => {
      closed ??= close();
      return closed;
    },
  };
}

/** The operations of the service and the token endpoint, on one origin. */
function buildApp(service: Service) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.onError((error, exchange) => {
    const { answer } = refusalOf(error);
    return sent(exchange, exchange.req.path === TOKEN_PATH ? answer : service.dialect.failure(answer));
  });
  app.notFound(({ req }) => {
    throw refusal(404, 'unknown_path', `There is nothing at ${req.path}.`);
  });
  app.use(async ({ req }, next) => {
    if (quietly(() => decodeURIComponent(req.path)) !== undefined) return next();
    throw refusal(400, 'bad_path', 'The path has a broken percent encoding.');
  });
  for (const [route, targets] of routesOf(service)) {
    app.all(route, async (exchange) => {
      const { method, path } = exchange.req;
      const target = targets.get(method) ?? (method === 'HEAD' ? targets.get('GET') : undefined);
      if (target !== undefined) return serve(service, target, exchange);
      const allow = [...targets.keys()].join(', ');
      const message = `${path} takes ${allow}, not ${method}.`;
      throw refusal(405, 'method_not_allowed', message, { headers: { allow } });
    });
  }
  return app;
}

/** Routes without a placeholder first: the router takes the first match, and `$count` and `me` are not ids. */
function routesOf({ dialect }: Service) {
  const routes = new Map<string, Map<string, Target>>([[TOKEN_PATH, new Map([['POST', 'token']])]]);
  // The keys of the table are the ids by definition.
  for (const id of Object.keys(handlers) as OperationId[]) {
    const route = dialect.path(id)?.replaceAll(/\{(\w+)\}/g, ':$1');
    if (route === undefined) continue;
    // A `$` may be percent-encoded.
    for (const spelt of new Set([route, route.replaceAll('$', '%24')])) {
      const targets = routes.get(spelt) ?? new Map<string, Target>();
      routes.set(spelt, targets.set(operations[id].method, id));
    }
  }
  return [...routes].sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')));
}

/** Answers a request, or does what a fault that hits it says. @throws {Refusal} */
async function serve(service: Service, target: Target, exchange: Exchange): Promise<Response> {
  const { outgoing } = exchange.env;
  const faults = service.pickFaults(target, exchange.req.method);
  const fault = faults.find(({ kind }) => kind !== 'lag' && kind !== 'ignore-keys');
  if (fault?.kind === '429' || fault?.kind === '503') throw failureOf(fault);
  if (fault?.kind === 'drop-before') outgoing.destroy();
  // `hang` leaves the request without an answer until one side closes the connection.
  if (fault?.kind === 'drop-before' || fault?.kind === 'hang') return RESPONSE_ALREADY_SENT;
  const answer =
    target === 'token'
      ? grantToken(service, exchange.env.incoming)
      : runOperation(service, target, exchange, faults);
  if (fault?.kind !== 'drop-after') return sent(exchange, await answer);
  await answer.catch(() => {});
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

/**
 * Carries one operation out; refuses a request whose idempotency key is used by another one under way.
 *
 * @throws {Refusal} when the answer is no; {CliError} when the state cannot be used.
 */
async function runOperation(
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

/** The content types of the body of an operation; `undefined` where its path says everything. */
function bodyTypes(id: OperationId): readonly string[] | undefined {
  const { method } = operations[id];
  if (method === 'PATCH') return ['application/json', 'application/json-patch+json'];
  return method === 'POST' || id === 'replaceUnitGroup' ? ['application/json'] : undefined;
}

/** The failure that a fault is about. */
function failureOf({ kind, retryAfterSeconds: seconds = kind === '429' ? 1 : undefined }: Fault): Refusal {
  const message = 'The sandbox was asked to fail here; nothing was carried out.';
  const headers = withoutHoles({ 'retry-after': seconds?.toString() });
  return refusal(Number(kind), kind === '429' ? 'rate_limited' : 'unavailable', message, { headers });
}

function sent({ env }: Exchange, answer: Answer): Response {
  send(env.outgoing, answer);
  return RESPONSE_ALREADY_SENT;
}

/** Statuses for errors of the store; any other is 500. */
const statuses: Readonly<Record<string, number>> = { sandbox_full: 507, sandbox_read_only: 507, busy: 503 };

/** The refusal of a request that failed. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof CliError)) return refusal(500, 'internal', `The sandbox failed: ${String(error)}`);
  const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return refusal(statuses[error.code] ?? 500, error.code, message);
}

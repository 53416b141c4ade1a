import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context as HonoContext } from 'hono';
import { CliError } from '../cli/errors.ts';
import { type OperationId, operations } from '../service/operations.ts';
import type { Answer } from './call.ts';
import { deliver, readForm, written } from './deliver.ts';
import type { SandboxDialect } from './dialect.ts';
import { discovery, grantToken, TOKEN_PATH } from './oauth.ts';
import { Refusal, refusal } from './refusal.ts';
import { runOperation, type Service } from './run-operation.ts';
import { isCarriedOut, queryUnder, underFault } from './under-fault.ts';

interface Bound {
  Bindings: HttpBindings;
}
type App = Hono<Bound>;
type Exchange = HonoContext<Bound>;
type Refuse = (exchange: Exchange, given: Answer) => Response;

const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** The contract's operations, the token endpoint and the discovery document, on one origin. */
export function buildApp(service: Service): App {
  const { dialect } = service;
  const app: App = new Hono<Bound>();
  const refuse = (exchange: Exchange, given: Answer) => answer(exchange, dialect.failure(given));
  app.use(async (exchange, next) => {
    exchange.env.outgoing.setHeader(dialect.requestIdHeader, randomUUID());
    if (isDecodable(exchange.req.path)) return next();
    return refuse(exchange, refusal(400, 'bad_path', 'The path has a broken percent encoding.').answer);
  });
  for (const [route, ids] of idsByRoute(dialect)) addRoute(app, service, { route, ids, refuse });
  app.post(TOKEN_PATH, (exchange) => serve(service, 'token', exchange, () => grant(service, exchange)));
  refuseOtherMethods(app, TOKEN_PATH, ['POST'], refuse);
  app.get(DISCOVERY_PATH, (exchange) => answer(exchange, discovery(service.url())));
  refuseOtherMethods(app, DISCOVERY_PATH, ['GET'], refuse);
  app.notFound((exchange) =>
    refuse(exchange, refusal(404, 'unknown_path', `There is nothing at ${exchange.req.path}.`).answer),
  );
  app.onError((error, exchange) => refuse(exchange, answerTo(error)));
  return app;
}

/** A path, and the operations that have it: one for each method. */
interface Route {
  readonly route: string;
  readonly ids: readonly OperationId[];
  readonly refuse: Refuse;
}

function addRoute(app: App, service: Service, { route, ids, refuse }: Route): void {
  const methods = ids.map((id) => operations[id].method);
  for (const each of ids) {
    app.on(operations[each].method, route, (exchange) => {
      // The router answers HEAD with the handler of GET.
      const id = ids.find((other) => operations[other].method === exchange.req.method) ?? each;
      return serve(service, id, exchange, (query, ignoresKey) =>
        run(service, id, { exchange, query, ignoresKey }),
      );
    });
  }
  refuseOtherMethods(app, route, methods, refuse);
}

/** One request, as it is to be carried out. */
interface Asked {
  readonly exchange: Exchange;
  readonly query: URLSearchParams;
  readonly ignoresKey: boolean;
}

/** Refuses a request whose idempotency key is used by another one under way. */
async function run(service: Service, id: OperationId, asked: Asked): Promise<Answer> {
  // Only an inventory POST has idempotency keys.
  const isKeyed = id === 'createProperty' && !asked.ignoresKey;
  const key = isKeyed ? asked.exchange.req.header('idempotency-key') : undefined;
  if (key === undefined) return carryOut(service, id, asked, key);
  const { keysInUse } = service;
  if (keysInUse.has(key)) {
    const message = 'A request with this Idempotency-Key is being carried out. Ask again in a moment.';
    throw refusal(409, 'idempotency_in_progress', message);
  }
  keysInUse.add(key);
  try {
    return await carryOut(service, id, asked, key);
  } finally {
    keysInUse.delete(key);
  }
}

async function carryOut(
  service: Service,
  id: OperationId,
  { exchange: { env, req }, query }: Asked,
  idempotencyKey: string | undefined,
): Promise<Answer> {
  const { latencyMs, signal, dialect } = service;
  if (latencyMs > 0) await setTimeout(latencyMs, undefined, { signal });
  const request = { incoming: env.incoming, path: req.param(), query, idempotencyKey };
  const { body, ...rest } = await runOperation(service, id, request).catch((error) =>
    dialect.failure(answerTo(error)),
  );
  // An answer to HEAD with a Content-Type makes some readers wait for a body.
  return operations[id].method === 'HEAD' ? rest : { body, ...rest };
}

async function grant({ store, now }: Service, { env, req }: Exchange): Promise<Answer> {
  const { secret } = store.read().header;
  const form = await readForm(env.incoming);
  return grantToken({ authorization: req.header('authorization'), form, now: now(), secret });
}

/** Call it after the path's methods were added: the router takes the first match. */
function refuseOtherMethods(app: App, path: string, allowed: readonly string[], refuse: Refuse): void {
  app.all(path, (exchange) => {
    const message = `${exchange.req.path} takes ${allowed.join(', ')}, not ${exchange.req.method}.`;
    const headers = { allow: allowed.join(', ') };
    return refuse(exchange, refusal(405, 'method_not_allowed', message, { headers }).answer);
  });
}

async function serve(
  service: Service,
  name: OperationId | 'token',
  exchange: Exchange,
  carryOut: (query: URLSearchParams, ignoresKey: boolean) => Promise<Answer>,
): Promise<Response> {
  const { now, signal, dialect } = service;
  const { fault, ignoresKey } = service.pickFault(name, exchange.req.method);
  const query = new URL(exchange.req.url).searchParams;
  const own = isCarriedOut(fault)
    ? await carryOut(queryUnder(fault, query), ignoresKey).catch(answerTo)
    : undefined;
  const failure = name === 'token' ? (given: Answer) => given : dialect.failure;
  deliver(exchange.env.outgoing, await underFault(fault, own, { query, failure, now, signal }));
  return RESPONSE_ALREADY_SENT;
}

function answer({ env }: Exchange, given: Answer): Response {
  deliver(env.outgoing, { kind: 'whole', answer: written(given) });
  return RESPONSE_ALREADY_SENT;
}

/** Routes without a placeholder first: the router takes the first match, and `$count` and `me` are not ids. */
function idsByRoute({ operations: ids, path }: SandboxDialect): ReadonlyMap<string, readonly OperationId[]> {
  const found = new Map<string, readonly OperationId[]>();
  for (const id of ids) {
    for (const route of routesOf(path(id))) found.set(route, [...(found.get(route) ?? []), id]);
  }
  return new Map([...found].sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':'))));
}

/** A `$` may be percent-encoded. */
function routesOf(path: string): readonly string[] {
  const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return route.includes('$') ? [route, route.replaceAll('$', '%24')] : [route];
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

/** Statuses for errors of the store; any other is 500. */
const statuses: Readonly<Record<string, number>> = {
  sandbox_full: 507,
  sandbox_read_only: 507,
  busy: 503,
};

/** The answer to a request that was refused or failed. */
function answerTo(error: unknown): Answer {
  if (error instanceof Refusal) return error.answer;
  if (error instanceof CliError) {
    const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
    return refusal(statuses[error.code] ?? 500, error.code, message).answer;
  }
  return refusal(500, 'internal', `The sandbox failed: ${String(error)}`).answer;
}

import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context as HonoContext } from 'hono';
import { CliError } from '../cli/errors.ts';
import { isDecodable } from '../model/segment.ts';
import { type OperationId, operations } from '../service/operations.ts';
import type { Answer } from './call.ts';
import { deliver, readForm, written } from './deliver.ts';
import { addressOf } from './http-server.ts';
import { discovery, grantToken, TOKEN_PATH } from './oauth.ts';
import { Refusal, refusal } from './refusal.ts';
import { runOperation, type Service } from './run-operation.ts';
import { type Hit, isCarriedOut, queryUnder, underFault } from './under-fault.ts';

interface Bound {
  Bindings: HttpBindings;
}
type App = Hono<Bound>;
type Exchange = HonoContext<Bound>;

type Handler = (exchange: Exchange) => Response | Promise<Response>;
/** The handlers of a path by method. */
type Handlers = ReadonlyMap<string, Handler>;

const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** The contract's operations, the token endpoint and the discovery document, on one origin. */
export function buildApp(service: Service): App {
  const app: App = new Hono<Bound>();
  const refuse = (exchange: Exchange, { answer }: Refusal) => send(exchange, service.dialect.failure(answer));
  app.use(async (exchange, next) => {
    exchange.env.outgoing.setHeader(service.dialect.requestIdHeader, randomUUID());
    if (isDecodable(exchange.req.path)) return next();
    return refuse(exchange, refusal(400, 'bad_path', 'The path has a broken percent encoding.'));
  });
  for (const [route, handlers] of routesOf(service)) {
    app.all(route, (exchange) => {
      const { method, path } = exchange.req;
      const handle = handlers.get(method) ?? (method === 'HEAD' ? handlers.get('GET') : undefined);
      if (handle !== undefined) return handle(exchange);
      const allow = [...handlers.keys()].join(', ');
      const message = `${path} takes ${allow}, not ${method}.`;
      return refuse(exchange, refusal(405, 'method_not_allowed', message, { headers: { allow } }));
    });
  }
  app.notFound((exchange) =>
    refuse(exchange, refusal(404, 'unknown_path', `There is nothing at ${exchange.req.path}.`)),
  );
  app.onError((error, exchange) => refuse(exchange, refusalOf(error)));
  return app;
}

/** Routes without a placeholder first: the router takes the first match, and `$count` and `me` are not ids. */
function routesOf(service: Service): readonly (readonly [string, Handlers])[] {
  const { operations: ids, path } = service.dialect;
  const routes = new Map<string, Map<string, Handler>>();
  for (const id of ids) {
    const route = path(id).replaceAll(/\{(\w+)\}/g, ':$1');
    // A `$` may be percent-encoded.
    for (const spelt of new Set([route, route.replaceAll('$', '%24')])) {
      const handlers = routes.get(spelt) ?? new Map<string, Handler>();
      routes.set(
        spelt,
        handlers.set(operations[id].method, (exchange) => serve(service, id, exchange)),
      );
    }
  }
  const token: Handlers = new Map([['POST', (exchange) => serve(service, 'token', exchange)]]);
  const discover: Handlers = new Map([
    ['GET', (exchange) => send(exchange, discovery(addressOf(exchange.env.incoming)))],
  ]);
  return [
    [TOKEN_PATH, token],
    [DISCOVERY_PATH, discover],
    ...[...routes].sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':'))),
  ];
}

async function serve(service: Service, id: OperationId | 'token', exchange: Exchange): Promise<Response> {
  const { req, env } = exchange;
  const { now, signal, dialect } = service;
  const query = new URL(req.url).searchParams;
  const failure = id === 'token' ? (given: Answer) => given : dialect.failure;
  const hit = service.pickFault(id, req.method);
  const own = isCarriedOut(hit.fault)
    ? await (id === 'token' ? grant(service, exchange) : carryOut(service, id, exchange, hit)).catch(
        (error) => failure(refusalOf(error).answer),
      )
    : undefined;
  // An answer to HEAD with a Content-Type makes some readers wait for a body.
  const isBare = id !== 'token' && operations[id].method === 'HEAD';
  const shown = own !== undefined && isBare ? { ...own, body: undefined } : own;
  deliver(env.outgoing, await underFault(hit.fault, shown, { query, failure, now, signal }));
  return RESPONSE_ALREADY_SENT;
}

async function grant({ store, now }: Service, { env, req }: Exchange): Promise<Answer> {
  const { secret } = store.read().header;
  const form = await readForm(env.incoming);
  return grantToken(req.header('authorization'), form, now(), secret);
}

/** Refuses a request whose idempotency key is used by another one under way. */
async function carryOut(
  service: Service,
  id: OperationId,
  { req, env }: Exchange,
  { fault, ignoresKey, lag }: Hit,
): Promise<Answer> {
  const { keysInUse, latencyMs, signal } = service;
  // Only an inventory POST has idempotency keys.
  const isKeyed = id === 'createProperty' && !ignoresKey;
  const key = isKeyed ? req.header('idempotency-key') : undefined;
  if (key !== undefined && keysInUse.has(key)) {
    const message = 'A request with this Idempotency-Key is being carried out. Ask again in a moment.';
    throw refusal(409, 'idempotency_in_progress', message);
  }
  const query = queryUnder(fault, new URL(req.url).searchParams);
  if (key !== undefined) keysInUse.add(key);
  try {
    if (latencyMs > 0) await setTimeout(latencyMs, undefined, { signal });
    const asked = { incoming: env.incoming, path: req.param(), query, idempotencyKey: key, lag };
    return await runOperation(service, id, asked);
  } finally {
    if (key !== undefined) keysInUse.delete(key);
  }
}

function send({ env }: Exchange, answer: Answer): Response {
  deliver(env.outgoing, { kind: 'whole', answer: written(answer) });
  return RESPONSE_ALREADY_SENT;
}

/** Statuses for errors of the store; any other is 500. */
const statuses: Readonly<Record<string, number>> = {
  sandbox_full: 507,
  sandbox_read_only: 507,
  busy: 503,
};

/** The refusal of a request that failed. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof CliError) {
    const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
    return refusal(statuses[error.code] ?? 500, error.code, message);
  }
  return refusal(500, 'internal', `The sandbox failed: ${String(error)}`);
}

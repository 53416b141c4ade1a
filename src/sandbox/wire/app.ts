import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context as HonoContext } from 'hono';
import { type OperationId, operations } from '../../api/operations.ts';
import type { Answer } from '../operations/exchange.ts';
import { refusal } from '../operations/refusal.ts';
import { readForm } from './body.ts';
import { type Delivery, deliver, written } from './deliver.ts';
import { answerTo } from './failures.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { discovery, grantToken, TOKEN_PATH } from './oauth.ts';
import { runOperation } from './run-operation.ts';
import type { Service } from './service.ts';
import { type Exposed, underFault } from './under-fault.ts';

interface Bound {
  Bindings: HttpBindings;
}
type App = Hono<Bound>;
type Exchange = HonoContext<Bound>;

const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** The contract's operations, the token endpoint and the discovery document, on one origin. */
export function buildApp(service: Service): App {
  const app: App = new Hono<Bound>();
  app.use(async (exchange, next) => {
    exchange.env.outgoing.setHeader('x-request-id', randomUUID());
    if (isDecodable(exchange.req.path)) return next();
    return answer(exchange, refusal(400, 'bad_path', 'The path has a broken percent encoding.').answer);
  });
  addOperations(app, service);
  app.post(TOKEN_PATH, (exchange) => serve(service, 'token', exchange, () => grant(service, exchange)));
  refuseOtherMethods(app, TOKEN_PATH, ['POST']);
  app.get(DISCOVERY_PATH, (exchange) => answer(exchange, discovery(service.url())));
  refuseOtherMethods(app, DISCOVERY_PATH, ['GET']);
  app.notFound((exchange) =>
    answer(exchange, refusal(404, 'unknown_path', `There is nothing at ${exchange.req.path}.`).answer),
  );
  app.onError((error, exchange) => answer(exchange, answerTo(error)));
  return app;
}

function addOperations(app: App, service: Service): void {
  const inFlight = createInFlight();
  for (const [route, ids] of idsByRoute()) {
    for (const id of ids) {
      app.on(operations[id].method, route, (exchange) =>
        serve(service, id, exchange, (query) => run(service, inFlight, id, { exchange, query })),
      );
    }
    refuseOtherMethods(
      app,
      route,
      ids.map((id) => operations[id].method),
    );
  }
}

/** Only an inventory POST knows idempotency keys. */
async function run(
  service: Service,
  inFlight: InFlight,
  id: OperationId,
  { exchange: { env, req }, query }: { readonly exchange: Exchange; readonly query: URLSearchParams },
) {
  const idempotencyKey = id === 'createProperty' ? req.header('idempotency-key') : undefined;
  return inFlight.alone(idempotencyKey, async () => {
    if (service.latencyMs > 0) await setTimeout(service.latencyMs, undefined, { signal: service.signal });
    return runOperation(service, id, { incoming: env.incoming, path: req.param(), query, idempotencyKey });
  });
}

async function grant({ store, now }: Service, { env, req }: Exchange): Promise<Answer> {
  const { secret } = store.read().header;
  const form = await readForm(env.incoming);
  return grantToken({ authorization: req.header('authorization'), form, now: now(), secret });
}

/** To be called once the path has its methods: the router takes the first that fits. */
function refuseOtherMethods(app: App, path: string, allowed: readonly string[]): void {
  app.all(path, (exchange) => {
    const message = `${exchange.req.path} takes ${allowed.join(', ')}, not ${exchange.req.method}.`;
    const headers = { allow: allowed.join(', ') };
    return answer(exchange, refusal(405, 'method_not_allowed', message, { headers }).answer);
  });
}

async function serve(
  service: Service,
  name: OperationId | 'token',
  exchange: Exchange,
  carryOut: Exposed['carryOut'],
): Promise<Response> {
  const fault = service.pickFault(name, exchange.req.method);
  const delivery = await underFault(fault, {
    carryOut: (query) => carryOut(query).catch(answerTo),
    query: new URL(exchange.req.url).searchParams,
    now: service.now,
    signal: service.signal,
  });
  return delivered(exchange, delivery);
}

function answer(exchange: Exchange, given: Answer): Response {
  return delivered(exchange, { kind: 'whole', answer: written(given) });
}

function delivered({ env }: Exchange, delivery: Delivery): Response {
  deliver(env.outgoing, delivery);
  return RESPONSE_ALREADY_SENT;
}

/** In the table's order, in which `$count` stands before `{id}`. */
function idsByRoute(): ReadonlyMap<string, readonly OperationId[]> {
  const found = new Map<string, readonly OperationId[]>();
  // The keys of the table are the ids by definition.
  for (const id of Object.keys(operations) as OperationId[]) {
    for (const route of routesOf(operations[id].path)) found.set(route, [...(found.get(route) ?? []), id]);
  }
  return found;
}

/** A `$` may come percent-encoded. */
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

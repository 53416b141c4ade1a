import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context as HonoContext } from 'hono';
import { type OperationId, operations } from '../../api/operations.ts';
import type { SandboxDialect } from '../dialects/dialect.ts';
import type { Answer } from '../operations/exchange.ts';
import { refusal } from '../operations/refusal.ts';
import { readForm } from './body.ts';
import { type Delivery, deliver, written } from './deliver.ts';
import { answerTo } from './failures.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { discovery, grantToken, TOKEN_PATH } from './oauth.ts';
import { runOperation } from './run-operation.ts';
import type { Service } from './service.ts';
import { underFault } from './under-fault.ts';

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
  addOperations(app, service, refuse);
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

function addOperations(app: App, service: Service, refuse: Refuse): void {
  const inFlight = createInFlight();
  for (const [route, ids] of idsByRoute(service.dialect)) {
    // The router knows HEAD as a GET.
    const meant = ({ req }: Exchange, id: OperationId) =>
      ids.find((each) => operations[each].method === req.method) ?? id;
    const answering = (first: OperationId) => (exchange: Exchange) => {
      const id = meant(exchange, first);
      return serve(service, id, exchange, (query, ignoresKey) =>
        run(service, inFlight, id, { exchange, query, ignoresKey }),
      );
    };
    for (const id of ids) app.on(operations[id].method, route, answering(id));
    refuseOtherMethods(
      app,
      route,
      ids.map((id) => operations[id].method),
      refuse,
    );
  }
}

/** One request, as it is to be carried out. */
interface Asked {
  readonly exchange: Exchange;
  readonly query: URLSearchParams;
  readonly ignoresKey: boolean;
}

/** Only an inventory POST knows idempotency keys. */
async function run(
  service: Service,
  inFlight: InFlight,
  id: OperationId,
  { exchange: { env, req }, query, ignoresKey }: Asked,
) {
  const idempotencyKey = id === 'createProperty' && !ignoresKey ? req.header('idempotency-key') : undefined;
  return inFlight.alone(idempotencyKey, async () => {
    if (service.latencyMs > 0) await setTimeout(service.latencyMs, undefined, { signal: service.signal });
    const request = { incoming: env.incoming, path: req.param(), query, idempotencyKey };
    const answer = await runOperation(service, id, request).catch((error) =>
      service.dialect.failure(answerTo(error)),
    );
    return operations[id].method === 'HEAD' ? withoutBody(answer) : answer;
  });
}

/** An answer to HEAD that names the type of a body would have some readers wait for one. */
function withoutBody({ body: _, ...answer }: Answer): Answer {
  return answer;
}

async function grant({ store, now }: Service, { env, req }: Exchange): Promise<Answer> {
  const { secret } = store.read().header;
  const form = await readForm(env.incoming);
  return grantToken({ authorization: req.header('authorization'), form, now: now(), secret });
}

/** To be called once the path has its methods: the router takes the first that fits. */
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
  const { fault, ignoresKey } = service.pickFault(name, exchange.req.method);
  const delivery = await underFault(fault, {
    carryOut: (query) => carryOut(query, ignoresKey).catch(answerTo),
    query: new URL(exchange.req.url).searchParams,
    now: service.now,
    failure: name === 'token' ? (given) => given : service.dialect.failure,
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

/** Those without a placeholder first: the router takes the first that fits, and `$count` and `me` are no ids. */
function idsByRoute({ operations: ids, path }: SandboxDialect): ReadonlyMap<string, readonly OperationId[]> {
  const found = new Map<string, readonly OperationId[]>();
  for (const id of ids) {
    for (const route of routesOf(path(id))) found.set(route, [...(found.get(route) ?? []), id]);
  }
  return new Map([...found].sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':'))));
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

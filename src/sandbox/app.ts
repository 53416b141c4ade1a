import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { CliError } from '../cli/errors.ts';
import { isDecodable } from '../model/segment.ts';
import { contractOperations, type OperationId, operations } from '../service/operations.ts';
import type { Answer } from './call.ts';
import { deliver, readForm, written } from './deliver.ts';
import { addressOf } from './http-server.ts';
import { discovery, grantToken, TOKEN_PATH } from './oauth.ts';
import { Refusal, refusal } from './refusal.ts';
import { type Exchange, runOperation, type Service } from './run-operation.ts';
import { isCarriedOut, underFault } from './under-fault.ts';

/** What a method of a path asks for. */
type Target = OperationId | 'token' | 'discovery';

const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** The contract's operations, the token endpoint and the discovery document, on one origin. */
export function buildApp(service: Service) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const refuse = (exchange: Exchange, { answer }: Refusal) => send(exchange, service.dialect.failure(answer));
  app.use(async (exchange, next) => {
    exchange.env.outgoing.setHeader(service.dialect.requestIdHeader, randomUUID());
    if (isDecodable(exchange.req.path)) return next();
    return refuse(exchange, refusal(400, 'bad_path', 'The path has a broken percent encoding.'));
  });
  for (const [route, targets] of routesOf(service)) {
    app.all(route, (exchange) => {
      const { method, path } = exchange.req;
      const target = targets.get(method) ?? (method === 'HEAD' ? targets.get('GET') : undefined);
      if (target === 'discovery') return send(exchange, discovery(addressOf(exchange.env.incoming)));
      if (target !== undefined) return serve(service, target, exchange);
      const allow = [...targets.keys()].join(', ');
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
function routesOf({ dialect: { service } }: Service) {
  const routes = new Map<string, Map<string, Target>>([
    [TOKEN_PATH, new Map([['POST', 'token']])],
    [DISCOVERY_PATH, new Map([['GET', 'discovery']])],
  ]);
  // The keys of the table are the ids by definition.
  for (const id of Object.keys(operations) as OperationId[]) {
    if (!(id in contractOperations) && service.further[id] === undefined) continue;
    const route = service.path(id).replaceAll(/\{(\w+)\}/g, ':$1');
    // A `$` may be percent-encoded.
    for (const spelt of new Set([route, route.replaceAll('$', '%24')])) {
      const targets = routes.get(spelt) ?? new Map<string, Target>();
      routes.set(spelt, targets.set(operations[id].method, id));
    }
  }
  return [...routes].sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')));
}

async function serve(
  service: Service,
  id: Exclude<Target, 'discovery'>,
  exchange: Exchange,
): Promise<Response> {
  const { req, env } = exchange;
  const { now, signal, dialect } = service;
  const query = new URL(req.url).searchParams;
  const failure = id === 'token' ? (given: Answer) => given : dialect.failure;
  const hit = service.pickFault(id, req.method);
  const own = isCarriedOut(hit.fault)
    ? await (id === 'token' ? grant(service, exchange) : runOperation(service, id, exchange, hit)).catch(
        (error) => failure(refusalOf(error).answer),
      )
    : undefined;
  // An answer to HEAD with a Content-Type makes some readers wait for a body.
  const isBare = id !== 'token' && operations[id].method === 'HEAD';
  const shown = own !== undefined && isBare ? { ...own, body: undefined } : own;
  deliver(env.outgoing, await underFault(hit.fault, shown, { query, failure, now, signal }), hit.fault);
  return RESPONSE_ALREADY_SENT;
}

async function grant({ store, now }: Service, { env, req }: Exchange): Promise<Answer> {
  const { secret } = store.read().header;
  const form = await readForm(env.incoming);
  return grantToken(req.header('authorization'), form, now(), secret);
}

function send({ env }: Exchange, answer: Answer): Response {
  deliver(env.outgoing, written(answer));
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

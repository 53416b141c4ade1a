import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { CliError } from '../cli/errors.ts';
import { quietly } from '../fs/replace.ts';
import { withoutHoles } from '../model/records.ts';
import { type OperationId, operations } from '../service/operations.ts';
import type { Answer } from './call.ts';
import type { Fault, Target } from './faults.ts';
import { send } from './http.ts';
import { Refusal, refusal } from './refusal.ts';
import { type Exchange, handlers, runOperation, type Service } from './run-operation.ts';
import { grantToken, TOKEN_PATH } from './tokens.ts';

/** The operations of the service and the token endpoint, on one origin. */
export function buildApp(service: Service) {
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
    target === 'token' ? grantToken(service, exchange) : runOperation(service, target, exchange, faults);
  if (fault?.kind !== 'drop-after') return sent(exchange, await answer);
  await answer.catch(() => {});
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
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

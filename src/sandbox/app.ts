import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context as HonoContext } from 'hono';
import * as v from 'valibot';
import { CliError } from '../cli/errors.ts';
import { type OperationId, operations } from '../service/operations.ts';
import { type Delivery, deliver, readForm, written } from './deliver.ts';
import type { SandboxDialect } from './dialect.ts';
import type { Answer, Caller } from './handlers.ts';
import { createInFlight, type InFlight } from './http-server.ts';
import { discovery, grantToken, TOKEN_PATH } from './oauth.ts';
import { Refusal, refusal } from './refusal.ts';
import { runOperation } from './run-operation.ts';
import { ADMIN_ID } from './seeds/chain.ts';
import type { Store } from './store.ts';
import { type FaultPicker, underFault } from './under-fault.ts';

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

export interface AuthoriseOptions {
  /** Refuse calls without a token; otherwise they are the account admin's. */
  readonly requireAuth: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly secret: string;
}

/** Who calls, by the `Authorization` header. @throws {Refusal} 401 when the token is missing, forged or expired. */
export function authorise(
  header: string | undefined,
  { requireAuth, now, secret }: AuthoriseOptions,
): Caller {
  if (header === undefined && !requireAuth) return { kind: 'user', subjectId: ADMIN_ID };
  if (header === undefined) throw unauthorised('This sandbox requires a token.', 'Bearer');
  const token = /^Bearer +([^ ]+)$/i.exec(header)?.[1];
  const caller = token === undefined ? undefined : readToken(token, now, secret);
  if (caller !== undefined) return caller;
  throw unauthorised(
    "The token is not one of this sandbox's, or has expired.",
    'Bearer error="invalid_token"',
  );
}

function unauthorised(message: string, challenge: string) {
  return refusal(401, 'unauthorized', message, { headers: { 'www-authenticate': challenge } });
}

/** What the endpoints work with. */
export interface Service {
  readonly store: Store;
  /** How requests are read and answers written. */
  readonly dialect: SandboxDialect;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly pickFault: FaultPicker;
  /** The lag of a read, beside any other fault. */
  readonly pickLag: FaultPicker;
  /** Refuse calls without a token; otherwise they are the account admin's. */
  readonly requireAuth: boolean;
  /** Property lists show the id and the name alone. */
  readonly bareLists: boolean;
  /** Waited before anything is carried out. */
  readonly latencyMs: number;
  /** Aborted when the sandbox closes; ends all waiting. */
  readonly signal: AbortSignal;
  /** The sandbox's own address. */
  readonly url: () => string;
}

/** Statuses of what may go wrong with the stored state; everything else is 500. */
const statuses: Readonly<Record<string, number>> = {
  sandbox_full: 507,
  sandbox_read_only: 507,
  busy: 503,
};

/** The answer to a request that was refused, or that failed within the sandbox. */
function answerTo(error: unknown): Answer {
  if (error instanceof Refusal) return error.answer;
  if (error instanceof CliError) {
    const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
    return refusal(statuses[error.code] ?? 500, error.code, message).answer;
  }
  return refusal(500, 'internal', `The sandbox failed: ${String(error)}`).answer;
}

/** The id of the one client that the sandbox knows. */
export const CLIENT_ID = 'sandbox';

const callerSchema = v.variant('kind', [
  v.object({ kind: v.literal('user'), subjectId: v.string() }),
  v.object({
    kind: v.literal('client'),
    clientId: v.string(),
    scopes: v.optional(v.array(v.string())),
  }),
]);
const claimsSchema = v.object({ caller: callerSchema, expires: v.number() });

/** The client's secret: fixed for one folder's state, resets included. */
export function clientSecretOf(secret: string): string {
  return sign('client secret', secret);
}

/**
 * A bearer token that every process with the same state understands: nothing is stored.
 *
 * @param expires milliseconds since the epoch.
 */
export function issueToken(caller: Caller, expires: number, secret: string): string {
  const claims = Buffer.from(JSON.stringify({ caller, expires })).toString('base64url');
  return `${claims}.${sign(claims, secret)}`;
}

/** Whose token it is; `undefined` when it is forged or expired. */
function readToken(token: string, now: number, secret: string): Caller | undefined {
  const [claims = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !isSame(signature, sign(claims, secret))) return undefined;
  // Signed, so written by issueToken.
  const { caller, expires } = v.parse(claimsSchema, JSON.parse(Buffer.from(claims, 'base64url').toString()));
  return expires > now ? caller : undefined;
}

/** Compares in a time that does not tell how much is right. */
export function isSame(given: string, right: string): boolean {
  const [a, b] = [sign(given, 'compare'), sign(right, 'compare')];
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

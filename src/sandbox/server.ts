import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { CliError, codeOf } from '../cli/errors.ts';
import { quietly } from '../fs/replace.ts';
import { withoutHoles } from '../model/records.ts';
import { type DialectName, type OperationId, operations } from '../service/operations.ts';
import { apaleoSandbox } from './apaleo.ts';
import { type Answer, contractSandbox } from './call.ts';
import { createFaultPicker, type Fault, type Target } from './faults.ts';
import { createRateCount, send } from './http.ts';
import { Refusal, refusal } from './refusal.ts';
import { type Exchange, handlers, runOperation, type Service } from './run-operation.ts';
import { ADMIN_ID, type SeedName } from './seeds/seed.ts';
import { openStore, type StateOptions } from './store.ts';
import { CLIENT_ID, clientSecretOf, grantToken, issueToken, TOKEN_PATH } from './tokens.ts';

const dialects = { contract: contractSandbox, apaleo: apaleoSandbox };

const HOST = '127.0.0.1';
const TOKEN_LIFE_MS = 30 * 86_400_000;
/** Longer than clients keep a connection, so that none is closed during a request. */
const KEEP_ALIVE_MS = 60_000;
/** How long requests under way may take when the sandbox closes. */
const GRACE_MS = 500;

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
    // Browsers name the page that sends a request; programs do not.
    const ofPage = incoming.headers.origin === undefined ? undefined : webPage;
    const foreign = isForThisMachine(incoming) ? ofPage : foreignHost;
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

const foreignHost = refusal(
  403,
  'forbidden_host',
  'The sandbox answers only requests to localhost, 127.0.0.1 and [::1]; the Host header is missing or names another host.',
);

/** Guards against DNS rebinding: a web page can make its own host name resolve to this machine, but sends that name. */
function isForThisMachine({ url = '', headersDistinct }: IncomingMessage): boolean {
  const hosts = headersDistinct['host'] ?? [];
  const target = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  return hosts.length > 0 && [...hosts, target ?? HOST].every(namesThisMachine);
}

const webPage = refusal(403, 'forbidden_origin', 'The sandbox answers programs, not web pages (Origin).');

function namesThisMachine(host: string): boolean {
  const [, name = ''] = /^(localhost|127\.[\d.]+|\[::1\])(?::\d{1,5})?$/i.exec(host) ?? [];
  return name !== '' && (!name.startsWith('127.') || isIPv4(name));
}

/** @throws {CliError} `port_unavailable`. */
async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = codeOf(cause);
    const why = code === 'EADDRINUSE' ? 'the port is in use' : `${code ?? cause}`;
    throw new CliError('port_unavailable', `Could not listen on ${HOST}:${port}: ${why}.`, {
      hint: 'Let the system choose a port: innctl sandbox serve --port 0',
      cause,
    });
  }
}

/** Accepts no new requests, and waits half a second for those under way. */
async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
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

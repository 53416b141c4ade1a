import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { CliError, codeOf } from '../cli/errors.ts';
import type { DialectName } from '../service/operations.ts';
import { apaleoSandbox } from './apaleo.ts';
import { buildApp } from './app.ts';
import { contractSandbox } from './call.ts';
import { createFaultPicker, type Fault } from './faults.ts';
import { createRateCount, send } from './http.ts';
import { refusal } from './refusal.ts';
import { ADMIN_ID, type SeedName } from './seeds/seed.ts';
import { openStore, type StateOptions } from './store.ts';
import { CLIENT_ID, clientSecretOf, issueToken } from './tokens.ts';

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

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { CliError } from '../cli/errors.ts';
import { isLoopback } from '../config/values.ts';
import { refusal } from './refusal.ts';
import { isSystemError } from './store-files.ts';

const HOST = '127.0.0.1';
const JSON_TYPE = 'application/json; charset=utf-8';
/** Longer than clients keep a connection, so that none is closed during a request. */
const KEEP_ALIVE_MS = 60_000;
/** How long requests under way may take when the sandbox closes. */
const GRACE_MS = 500;

type Fetch = Parameters<typeof getRequestListener>[0];

/** A server for the routes. Requests that do not reach them are answered here. */
export function createHttpServer(fetch: Fetch): Server {
  const listener = getRequestListener(fetch, {
    // The process is innctl's, and the routes answer through Node's own response.
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
    errorHandler: (error) =>
      Response.json(badRequest(String(error)), { status: 400, headers: { 'x-request-id': randomUUID() } }),
  });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, outgoing) => {
    if (isForThisMachine(incoming)) void listener(incoming, outgoing);
    else refuse(outgoing);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    answerOnSocket(socket, error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400);
  });
  return server;
}

const forElsewhere = refusal(
  403,
  'forbidden_host',
  'The sandbox answers only requests to localhost, 127.0.0.1 and [::1]; the Host header is missing or names another host.',
);

function refuse(outgoing: ServerResponse): void {
  const body = JSON.stringify(forElsewhere.answer.body);
  const headers = {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  outgoing.writeHead(403, { ...headers, 'x-request-id': randomUUID() }).end(body);
}

/** Guards against DNS rebinding: a web page can make its own host name resolve to this machine, but sends that name. */
function isForThisMachine({ url = '', headersDistinct }: IncomingMessage): boolean {
  const hosts = headersDistinct['host'] ?? [];
  const target = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  return hosts.length > 0 && [...hosts, ...(target === undefined ? [] : [target])].every(namesThisMachine);
}

function namesThisMachine(host: string): boolean {
  const [, name = ''] = /^([a-z\d.]+|\[::1\])(?::\d{1,5})?$/i.exec(host) ?? [];
  return isLoopback(name.toLowerCase());
}

function answerOnSocket(socket: Duplex, status: number): void {
  if (!socket.writable) return;
  const body = JSON.stringify(badRequest(STATUS_CODES[status] ?? ''));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function badRequest(reason: string): unknown {
  return refusal(400, 'bad_request', `The request cannot be read: ${reason}.`).answer.body;
}

/**
 * Listens on the loopback interface and resolves to the server's address, without a slash at the end.
 *
 * @param port 0 for any that is free.
 * @throws {CliError} `port_unavailable`.
 */
export async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = isSystemError(cause) ? cause.code : undefined;
    const why = code === 'EADDRINUSE' ? 'the port is in use' : `${code ?? cause}`;
    throw new CliError('port_unavailable', `Could not listen on ${HOST}:${port}: ${why}.`, {
      hint: 'Let the system choose a port: innctl sandbox serve --port 0',
      cause,
    });
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${HOST}:${bound}`;
}

/** Accepts no new requests, and waits half a second for those under way. */
export async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const patience = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(patience);
}

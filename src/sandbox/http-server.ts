import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { CliError, codeOf } from '../cli/errors.ts';
import { isLoopback } from '../config/values.ts';
import { type Refusal, refusal } from './refusal.ts';

const HOST = '127.0.0.1';
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
    errorHandler: (error) => {
      const { status, headers, text } = badRequest(400, String(error));
      return new Response(text, { status, headers });
    },
  });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, outgoing) => {
    if (isForThisMachine(incoming)) return void listener(incoming, outgoing);
    const { status, headers, text } = inJson(wrongHost);
    outgoing.writeHead(status, { ...headers, connection: 'close' }).end(text);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return;
    const code = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
    const { status, headers, text } = badRequest(code, STATUS_CODES[code] ?? '');
    const fields = Object.entries({ connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields, '', text].join('\r\n'));
  });
  return server;
}

const wrongHost = refusal(
  403,
  'forbidden_host',
  'The sandbox answers only requests to localhost, 127.0.0.1 and [::1]; the Host header is missing or names another host.',
);

/** The answer to a request that cannot be read. */
function badRequest(status: number, reason: string) {
  return inJson(refusal(status, 'bad_request', `The request cannot be read: ${reason}.`));
}

function inJson({ answer: { status, body } }: Refusal) {
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': `${Buffer.byteLength(text)}`,
    'x-request-id': randomUUID(),
  };
  return { status, headers, text };
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
    const code = codeOf(cause);
    const why = code === 'EADDRINUSE' ? 'the port is in use' : `${code ?? cause}`;
    throw new CliError('port_unavailable', `Could not listen on ${HOST}:${port}: ${why}.`, {
      hint: 'Let the system choose a port: innctl sandbox serve --port 0',
      cause,
    });
  }
  // Listening on an address of the network, not on a socket of the file system.
  return urlAt((server.address() as AddressInfo).port);
}

/** The address of the server that a request came to. */
export function addressOf({ socket }: IncomingMessage): string {
  return urlAt(socket.localPort);
}

function urlAt(port: number | undefined): string {
  return `http://${HOST}:${port}`;
}

/** Accepts no new requests, and waits half a second for those under way. */
export async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}

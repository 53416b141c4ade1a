import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeOf } from '../error-code.ts';
import { CliError, invalidInput } from '../errors.ts';
import { type Page, pageHeaders, strangePage } from './login-page.ts';

/** Where the browser comes back to, on this machine alone. */
export interface CallbackServer {
  readonly port: number;
  readonly redirectUri: string;
  /** What the first answer of the server brought, its state checked. */
  readonly arrived: Promise<URLSearchParams>;
  /** Shows how it ended to everybody who came back; settles when that was handed over, whoever has gone away. */
  show(page: Page): Promise<void>;
  /** Ends with all connections. */
  close(): void;
}

const HOST = '127.0.0.1';
const PATH = '/callback';

/**
 * Waits on 127.0.0.1 for the browser. Only an answer with the state of this login counts: whatever else comes is told so, and the
 * waiting goes on.
 *
 * @param port any free one otherwise.
 * @throws {CliError} exit 2 when the port that was asked for cannot be had.
 */
export async function openCallbackServer(state: string, port?: number): Promise<CallbackServer> {
  let arrive = (_: URLSearchParams) => {};
  const arrived = new Promise<URLSearchParams>((resolve) => {
    arrive = resolve;
  });
  const waiting = new Set<ServerResponse>();
  let ended: Page | undefined;
  const server = createServer((request, response) => {
    const parameters = callbackIn(request, response, state, hostsOf(server));
    if (parameters === undefined) return;
    if (ended !== undefined) {
      void answer(response, ended);
      return;
    }
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
    arrive(parameters);
  });
  const bound = await listen(server, port);
  return {
    port: bound,
    redirectUri: `http://${HOST}:${bound}${PATH}`,
    arrived,
    async show(page) {
      ended = page;
      await Promise.all([...waiting].map((response) => answer(response, page)));
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server, port: number | undefined): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      // It stays: a connection that cannot be taken later is no end of the waiting.
      server.on('error', reject);
      server.listen({ host: HOST, port: port ?? 0, exclusive: true }, resolve);
    });
  } catch (cause) {
    throw notListening(port, cause);
  }
  return portOf(server);
}

function notListening(port: number | undefined, cause: unknown): CliError {
  const hint = 'Leave --redirect-port out where the server takes any port, or log in with --device.';
  if (port === undefined) {
    const why = codeOf(cause) ?? String(cause);
    return new CliError('no_redirect', `Cannot wait for the browser on ${HOST}: ${why}.`, { cause, hint });
  }
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'is taken by another program',
    EACCES: 'is not allowed to this user',
  };
  const code = codeOf(cause) ?? '';
  const reason = `port ${port} of ${HOST} ${reasons[code] ?? `cannot be had (${code})`}`;
  return invalidInput([{ field: '--redirect-port', reason }], hint);
}

function portOf(server: Server): number {
  // A server that listens on TCP has an address with a port.
  return (server.address() as AddressInfo).port;
}

/** As a browser names this server; any other name leads here by a trick (DNS rebinding). */
function hostsOf(server: Server): readonly string[] {
  const port = portOf(server);
  return port === 80 ? [HOST, `${HOST}:80`] : [`${HOST}:${port}`];
}

/** What an answer to this login brings; anything else is answered here. */
function callbackIn(
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
  state: string,
  hosts: readonly string[],
): URLSearchParams | undefined {
  const [path = '', ...query] = url.split('?');
  if (!hosts.includes(headers.host ?? '')) refuse(response, 403);
  else if (path !== PATH && path !== '/favicon.ico') refuse(response, 404);
  else if (method !== 'GET') refuse(response, 405);
  else if (path !== PATH) refuse(response, 204);
  else {
    const parameters = new URLSearchParams(query.join('?'));
    if (belongs(parameters, state)) return parameters;
    void answer(response, strangePage());
  }
  return undefined;
}

function belongs(parameters: URLSearchParams, state: string): boolean {
  const states = parameters.getAll('state');
  const says = ['code', 'error'].flatMap((name) => parameters.getAll(name));
  return states.length === 1 && states[0] === state && says.length === 1 && says[0] !== '';
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', ...(status === 405 ? { allow: 'GET' } : {}) }).end();
}

/** Settles when the page was handed to the system, or nobody is there to read it. */
function answer(response: ServerResponse, { status, html }: Page): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed || response.destroyed) return resolve();
    response.once('close', resolve);
    response.writeHead(status, { ...pageHeaders, connection: 'close' }).end(html, resolve);
  });
}

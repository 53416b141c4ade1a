import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError, codeOf, invalidInput } from '../cli/errors.ts';
import { escapeHtml, pageHeaders, webPage } from '../print/web-page.ts';
import { personOf, type Who } from './identity.ts';

const HOST = '127.0.0.1';
const PATH = '/callback';

/**
 * Waits on 127.0.0.1 for the browser. Only a redirect with the state of this login counts; other requests are refused.
 *
 * @param port default: any free port.
 * @throws {CliError} exit 2 when the given port is not available.
 */
export async function openCallbackServer(state: string, port?: number) {
  let arrive = (_: URLSearchParams) => {};
  const arrived = new Promise<URLSearchParams>((resolve) => {
    arrive = resolve;
  });
  const waiting = new Set<ServerResponse>();
  let shown: Page | undefined;
  let hosts: readonly string[] = [];
  const server = createServer((request, response) => {
    const parameters = callbackIn(request, response, state, hosts);
    if (parameters === undefined) return;
    if (shown !== undefined) return void answer(response, shown);
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
    arrive(parameters);
  });
  const bound = await listen(server, port);
  // The Host headers that a browser sends; any other is a DNS rebinding attack.
  hosts = bound === 80 ? [HOST, `${HOST}:80`] : [`${HOST}:${bound}`];
  return {
    port: bound,
    redirectUri: `http://${HOST}:${bound}${PATH}`,
    /** The parameters of the first redirect with the right state. */
    arrived,
    /** Sends the outcome to every waiting browser; settles when it was sent, or the browser has disconnected. */
    async show(page: Page) {
      shown = page;
      await Promise.all([...waiting].map((response) => answer(response, page)));
    },
    /** Closes all connections. */
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server, port: number | undefined): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    // The listener stays: a later connection error must not end the login.
    server.on('error', (cause) => reject(notListening(port, cause)));
    server.listen({ host: HOST, port: port ?? 0, exclusive: true }, resolve);
  });
  // A server that listens on TCP has an address with a port.
  return (server.address() as AddressInfo).port;
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
  const reason = `port ${port} of ${HOST} ${reasons[code] ?? `is not available (${code})`}`;
  return invalidInput([{ field: '--redirect-port', reason }], hint);
}

/** The parameters of a redirect that belongs to this login; any other request is answered here. */
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
    if (isForLogin(parameters, state)) return parameters;
    void answer(response, unknownLoginPage);
  }
  return undefined;
}

function isForLogin(parameters: URLSearchParams, state: string): boolean {
  const states = parameters.getAll('state');
  const results = ['code', 'error'].flatMap((name) => parameters.getAll(name));
  return states.length === 1 && states[0] === state && results.length === 1 && results[0] !== '';
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', ...(status === 405 ? { allow: 'GET' } : {}) }).end();
}

/** Settles when the page was sent, or the browser has disconnected. */
function answer(response: ServerResponse, { status, html }: Page): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed || response.destroyed) return resolve();
    response.once('close', resolve);
    response.writeHead(status, { ...pageHeaders(), connection: 'close' }).end(html, resolve);
  });
}

/** What a browser is shown. */
export type Page = ReturnType<typeof page>;

/** The login worked. */
export function successPage(who: Who): Page {
  const { account } = who;
  const person = personOf(who);
  const as = person === undefined ? '' : `<p>You are <strong>${escapeHtml(person)}</strong>.</p>`;
  const where = account === undefined ? '' : `<p class="soft">Account ${escapeHtml(account)}</p>`;
  const body = `${as}${where}<p class="soft">You can close this window and go back to the terminal.</p>`;
  return page(200, 'You are logged in', 'good', body);
}

/** The login did not work: what happened, and what to do. */
export function failurePage({ message, hint }: Pick<CliError, 'message' | 'hint'>): Page {
  const next = hint === undefined ? '' : `<p class="soft">${escapeHtml(hint)}</p>`;
  const body = `<p>${escapeHtml(message)}</p>${next}<p class="soft">To try again, type <code>innctl login</code> in the terminal.</p>`;
  return page(400, 'You are not logged in', 'bad', body);
}

/** The request does not belong to this login, which continues. */
const unknownLoginPage = page(
  400,
  'Nothing happened',
  'bad',
  '<p>This page does not belong to a login in progress.</p><p class="soft">Open the address that the terminal shows.</p>',
);

function page(status: number, title: string, kind: 'good' | 'bad', body: string) {
  return { status, html: webPage(title, kind, body) };
}

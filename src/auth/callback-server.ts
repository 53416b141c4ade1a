import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CliError, codeOf, invalidInput } from '../model/errors.ts';
import { escapeHtml } from '../print/text.ts';
import { personOf, type Who } from './identity.ts';

const HOST = '127.0.0.1';
const PATH = '/callback';

const style = `
:root { color-scheme: light dark; }
body { max-width: 32rem; margin: 15vh auto; padding: 0 1.5rem; font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
p { white-space: pre-line; }
`;

/**
 * The headers of a page: it loads nothing, runs no script, and is in no frame. Its URL, which may have a code, is not sent as
 * a referrer.
 */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

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
  return invalidInput(
    [
      {
        field: '--redirect-port',
        reason: `${port ?? 'any port'} of ${HOST} is not available (${codeOf(cause)})`,
      },
    ],
    'Leave --redirect-port out where the server takes any port, or log in with --device.',
  );
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
  else if (path !== PATH) refuse(response, 404);
  else if (method !== 'GET') refuse(response, 405);
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
    response.writeHead(status, { ...pageHeaders, connection: 'close' }).end(html, resolve);
  });
}

/** What a browser is shown. */
export type Page = ReturnType<typeof page>;

/** The login worked. */
export function successPage(who: Who): Page {
  const { account } = who;
  const person = personOf(who);
  const as = person === undefined ? '' : `<p>You are <strong>${escapeHtml(person)}</strong>.</p>`;
  const where = account === undefined ? '' : `<p>Account ${escapeHtml(account)}</p>`;
  const body = `${as}${where}<p>You can close this window and go back to the terminal.</p>`;
  return page(200, 'You are logged in', body);
}

/** The login did not work: what happened, and what to do. */
export function failurePage({ message, hint }: Pick<CliError, 'message' | 'hint'>): Page {
  const next = hint === undefined ? '' : `<p>${escapeHtml(hint)}</p>`;
  const body = `<p>${escapeHtml(message)}</p>${next}<p>To try again, type <code>innctl login</code> in the terminal.</p>`;
  return page(400, 'You are not logged in', body);
}

/** The request does not belong to this login, which continues. */
const unknownLoginPage = page(
  400,
  'Nothing happened',
  '<p>This page does not belong to a login in progress.</p><p>Open the address that the terminal shows.</p>',
);

/** A small page. @param body escaped. */
function page(status: number, title: string, body: string) {
  return {
    status,
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · innctl</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`,
  };
}

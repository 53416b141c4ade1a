import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import { CliError, codeOf } from '../model/errors.ts';
import { isObject } from '../model/records.ts';
import { type Answer, type Refusal, refusal, wrong } from './call.ts';

/** The loopback interface. */
export const HOST = '127.0.0.1';
/** How long requests under way may take when the sandbox closes. */
const GRACE_MS = 500;
const LARGEST_BYTES = 1_048_576;
const DEEPEST = 32;

/** Sends an answer, its body as JSON. */
export function send(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  // Writing to a closed connection would be an unhandled error.
  if (response.destroyed) return;
  // An answer to HEAD with a Content-Type makes some readers wait for a body.
  if (body === undefined || response.req.method === 'HEAD') {
    response.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body));
  const described = { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length };
  response.writeHead(status, { ...headers, ...described }).end(bytes);
}

/** The body of a write. @throws {Refusal} 400, 413, 415 or 422 when it is not acceptable JSON. */
export async function readJson(request: IncomingMessage, types: readonly string[]): Promise<unknown> {
  const text = await readText(request, types);
  try {
    const value: unknown = JSON.parse(text);
    checkShape(value);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refusal(400, 'malformed_json', `The body is not JSON: ${error.message}.`);
  }
}

/**
 * The body as text. Reads to the end even when it is too long, so that the client receives the refusal.
 *
 * @throws {Refusal} 400, 413 or 415.
 */
export async function readText(request: IncomingMessage, types: readonly string[]): Promise<string> {
  const given = request.headers['content-type'] ?? '';
  if (!types.includes(given.split(';')[0]?.trim().toLowerCase() ?? '')) {
    const message = `The Content-Type is ${JSON.stringify(given)}; this takes ${types.join(' or ')}.`;
    throw refusal(415, 'unsupported_media_type', message);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    // No encoding is set on the request, so its chunks are bytes.
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size <= LARGEST_BYTES) chunks.push(bytes);
  }
  if (size > LARGEST_BYTES)
    throw refusal(413, 'too_large', `The body has ${size} bytes; ${LARGEST_BYTES} is the most.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw refusal(400, 'malformed_text', 'The body is not UTF-8.');
  }
}

/** @throws {Refusal} 400 or 422 for too many levels, or a name in the prototype of objects. */
function checkShape(value: unknown, levels = DEEPEST): void {
  if (!isObject(value)) return;
  if (levels === 0) throw refusal(400, 'too_deep', `The body is nested deeper than ${DEEPEST} levels.`);
  for (const [field, child] of Object.entries(value)) {
    if (field in Object.prototype) throw wrong(field, 'is not a known field');
    checkShape(child, levels - 1);
  }
}

/** Counts the requests of each second, for the headers that say how many are left. None is refused. */
export function createRateCount(perSecond: number, now: () => number) {
  let second = 0;
  let used = 0;
  return (): Readonly<Record<string, string>> => {
    const current = Math.floor(now() / 1_000);
    used = current === second ? used + 1 : 1;
    second = current;
    return {
      'x-rate-limit-limit': `${perSecond}`,
      'x-rate-limit-remaining': `${Math.max(0, perSecond - used)}`,
      'x-rate-limit-reset': new Date((second + 1) * 1_000).toISOString(),
    };
  };
}

const foreignHost = refusal(
  403,
  'forbidden_host',
  'The sandbox answers only requests to localhost, 127.0.0.1 and [::1]; the Host header is missing or names another host.',
);

const webPage = refusal(403, 'forbidden_origin', 'The sandbox answers programs, not web pages (Origin).');

/** Why a request is not from a program on this machine. Browsers name the page that sends it; programs do not. */
export function foreignRefusal(request: IncomingMessage): Refusal | undefined {
  if (!isForThisMachine(request)) return foreignHost;
  return request.headers.origin === undefined ? undefined : webPage;
}

/** Guards against DNS rebinding: a web page can make its own host name resolve to this machine, but sends that name. */
function isForThisMachine({ url = '', headersDistinct }: IncomingMessage): boolean {
  const hosts = headersDistinct['host'] ?? [];
  const target = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  return hosts.length > 0 && [...hosts, target ?? HOST].every(namesThisMachine);
}

function namesThisMachine(host: string): boolean {
  const [, name = ''] = /^(localhost|127\.[\d.]+|\[::1\])(?::\d{1,5})?$/i.exec(host) ?? [];
  return name !== '' && (!name.startsWith('127.') || isIPv4(name));
}

/** @throws {CliError} `port_unavailable`. */
export async function listen(server: Server, port: number): Promise<void> {
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
export async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}

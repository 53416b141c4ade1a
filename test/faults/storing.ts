import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { httpServer, type TestServer } from '../helpers/servers.ts';

/** A service that stores the first answer to each idempotency key, failures included, and repeats it. */
export interface Storing extends TestServer {
  /** The keys of creations as they came. */
  readonly keys: readonly string[];
  /** Bodies of properties that were created. */
  readonly created: readonly string[];
  /** What happens to the creations that come from now on; `undefined`: they are answered. */
  trouble: 'lost' | undefined;
}

interface StoringOptions {
  /** The address of the sandbox behind it. */
  readonly service: string;
  /** The first creation of each body is answered so, and not carried out. */
  readonly status: number;
}

interface Stored {
  readonly status: number;
  readonly text: string;
}

/** Opens it before a sandbox; it ends with its scope. */
export async function openStoring({ service, status }: StoringOptions): Promise<Storing> {
  const keys: string[] = [];
  const created: string[] = [];
  const stored = new Map<string, Stored>();
  const bodies = new Set<string>();
  const state: { trouble: Storing['trouble'] } = { trouble: undefined };
  const first = async (request: IncomingMessage, body: string): Promise<Stored> => {
    if (!bodies.has(body)) {
      bodies.add(body);
      return { status, text: JSON.stringify({ messages: ['it did not work'] }) };
    }
    const answer = await passOn(request, body, service);
    if (answer.status < 300) created.push(body);
    return answer;
  };
  const server = await httpServer(async (request, response) => {
    const body = String(await buffer(request));
    const key = String(request.headers['idempotency-key'] ?? '');
    if (key === '') return answer(response, await passOn(request, body, service));
    keys.push(key);
    if (state.trouble === 'lost') return void request.socket.destroy();
    const known = stored.get(key) ?? (await first(request, body));
    stored.set(key, known);
    answer(response, known);
  });
  return {
    ...server,
    keys,
    created,
    get trouble() {
      return state.trouble;
    },
    set trouble(trouble) {
      state.trouble = trouble;
    },
  };
}

function answer(response: ServerResponse, { status, text }: Stored): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

async function passOn(
  { method, url, headers }: IncomingMessage,
  body: string,
  service: string,
): Promise<Stored> {
  const { authorization = '', 'idempotency-key': key } = headers;
  const response = await fetch(`${service}${url}`, {
    // node:http gives every request a method.
    method: method as string,
    headers: {
      authorization,
      'content-type': headers['content-type'] ?? 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': String(key) }),
    },
    ...(body === '' ? {} : { body }),
  });
  return { status: response.status, text: await response.text() };
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * A service that holds hotels and nothing else: it creates, lists page by page, counts and shows them. It tells its
 * port to the process that forked it, and answers each of its messages with the count.
 */
interface Hotel {
  readonly id: string;
  readonly code: string;
}

/** From the process that forked it. */
export interface Message {
  /** It holds exactly these hotels from now on; otherwise it keeps what it has. */
  readonly hold?: readonly string[];
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const COLLECTION = '/inventory/v1/properties';
/** Longer than a client plans between two requests. */
const KEEP_ALIVE_MS = 60_000;

let hotels = new Map<string, Hotel>();

function main(): void {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void answer(request, response);
  });
  server.listen(0, '127.0.0.1', () => {
    // A server that listens on TCP has an address with a port.
    process.send?.((server.address() as AddressInfo).port);
  });
  // Only scripts/bench/service.mts sends messages, of this shape.
  process.on('message', ({ hold }: Message) => {
    if (hold !== undefined) hotels = new Map(hold.map((code) => [code, { id: code, code }]));
    process.send?.(hotels.size);
  });
  process.on('disconnect', () => process.exit());
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body } = await reply(request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function reply(request: IncomingMessage): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const id = pathname.startsWith(`${COLLECTION}/`) ? pathname.slice(COLLECTION.length + 1) : undefined;
  if (request.method === 'POST' && pathname === COLLECTION) return create(await text(request));
  if (request.method !== 'GET') return refusal(405, `${request.method} is not taken here`);
  if (pathname === COLLECTION) return { status: 200, body: list(searchParams) };
  if (id === '$count') return { status: 200, body: hotels.size };
  const hotel = id === undefined ? undefined : hotels.get(id);
  return hotel === undefined ? refusal(404, `${pathname} is not there`) : { status: 200, body: hotel };
}

/** The code becomes the id. */
function create(body: string): Reply {
  const { code, ...rest } = JSON.parse(body);
  if (hotels.has(code)) return refusal(409, `${code} is there already`);
  hotels.set(code, { id: code, code, ...rest });
  return { status: 201, body: { id: code } };
}

function list(query: URLSearchParams): unknown {
  const size = Number(query.get('page_size') ?? 100);
  const start = (Number(query.get('page_number') ?? 1) - 1) * size;
  return { count: hotels.size, items: [...hotels.values()].slice(start, start + size) };
}

function refusal(status: number, message: string): Reply {
  return { status, body: { message } };
}

main();

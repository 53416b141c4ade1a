import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * A service with only hotels: it creates, lists (paginated), counts and shows them. It sends its
 * port to the process that forked it, and answers each of its messages with a `State`.
 */
interface Hotel {
  readonly id: string;
}

/** Messages from the parent process. */
export interface Message {
  /** Replaces the hotels by exactly this many. Default: unchanged. */
  readonly hold?: number;
  /** Delay of each response from now on; initially 0. */
  readonly latencyMs?: number;
}

/** Messages to the parent process. */
export interface State {
  readonly count: number;
  /** From the first creation request to the last response, since the hotels were replaced. */
  readonly createMs: number;
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

const COLLECTION = '/inventory/v1/properties';
/** Longer than clients pause between two requests. */
const KEEP_ALIVE_MS = 60_000;

let hotels = new Map<string, Hotel>();
let latencyMs = 0;
let creates: { readonly from: number; readonly to: number } | undefined;
/** Cached by query until a hotel is created, because the client is measured, not the service. */
const pages = new Map<string, string>();

function main(): void {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void answer(request, response);
  });
  server.listen(0, '127.0.0.1', () => {
    // A server that listens on TCP has an address with a port.
    process.send?.((server.address() as AddressInfo).port);
  });
  // Only scripts/bench/service.mts sends messages, of this shape.
  process.on('message', (message: Message) => {
    latencyMs = message.latencyMs ?? latencyMs;
    if (message.hold !== undefined) hold(message.hold);
    const state: State = {
      count: hotels.size,
      createMs: creates === undefined ? 0 : creates.to - creates.from,
    };
    process.send?.(state);
  });
  process.on('disconnect', () => process.exit());
}

function hold(count: number): void {
  const held = Array.from({ length: count }, (_, index) => hotel(index + 1));
  hotels = new Map(held.map((each) => [each.id, each]));
  creates = undefined;
  pages.clear();
}

/** A hotel as an item of a list. */
function hotel(number: number): Hotel & Readonly<Record<string, unknown>> {
  const code = `P${number.toString().padStart(6, '0')}`;
  return {
    id: code,
    code,
    name: `Hotel ${code}`,
    company_name: `Hotel ${code} GmbH`,
    status: 'Live',
    is_archived: false,
    location: {
      address_line1: `Ringstrasse ${number}`,
      postal_code: '10115',
      city: 'Berlin',
      country_code: 'DE',
    },
    time_zone: 'Europe/Berlin',
    currency_code: 'EUR',
    created: '2026-01-01T00:00:00+01:00',
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const from = performance.now();
  const { status, body } = await reply(request);
  const end = () => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    if (status === 201) creates = { from: creates?.from ?? from, to: performance.now() };
  };
  if (latencyMs > 0) setTimeout(end, latencyMs);
  else end();
}

async function reply(request: IncomingMessage): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const id = pathname.startsWith(`${COLLECTION}/`) ? pathname.slice(COLLECTION.length + 1) : undefined;
  if (request.method === 'POST' && pathname === COLLECTION) return create(await text(request));
  if (request.method !== 'GET') return refusal(405, `${request.method} is not taken here`);
  if (pathname === COLLECTION) return { status: 200, body: page(searchParams) };
  if (id === '$count') return { status: 200, body: String(hotels.size) };
  const found = id === undefined ? undefined : hotels.get(id);
  if (found === undefined) return refusal(404, `${pathname} is not there`);
  return { status: 200, body: JSON.stringify(found) };
}

/** The code becomes the id. */
function create(body: string): Reply {
  const { code, ...rest } = JSON.parse(body);
  if (hotels.has(code)) return refusal(409, `${code} is there already`);
  hotels.set(code, { id: code, code, ...rest });
  pages.clear();
  return { status: 201, body: JSON.stringify({ id: code }) };
}

function page(query: URLSearchParams): string {
  const known = pages.get(query.toString());
  if (known !== undefined) return known;
  const size = Number(query.get('page_size') ?? 100);
  const start = (Number(query.get('page_number') ?? 1) - 1) * size;
  const items = [...hotels.values()].slice(start, start + size);
  const body = JSON.stringify({ count: hotels.size, items });
  pages.set(query.toString(), body);
  return body;
}

function refusal(status: number, message: string): Reply {
  return { status, body: JSON.stringify({ message }) };
}

main();

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { httpServer, type TestServer } from '../helpers/servers.ts';

/** Says that the service honours idempotency keys. */
export const keyed = { INNCTL_IDEMPOTENCY_HEADER: 'Idempotency-Key' };

/** An answer of the service, to be put on the wire in any shape: bytes as latin1, and no header that frames the body. */
export interface WireAnswer {
  /** Status line and headers, each with its line end. */
  readonly head: string;
  readonly body: string;
}

/** What a front does with the connection instead of answering a request with this body. */
export type Misdeed = (socket: Socket, answer: WireAnswer, body: string) => void;

/** What a front does to whom. */
export interface FrontOptions {
  /** The address of the service behind it. */
  readonly service: string;
  /** The requests that are hit: `GET /api/v1/roles`, without a query; or all of a method: `POST`. */
  readonly target: string;
  /** Whether those that are hit are carried out first. */
  readonly commits: boolean;
  /** So many are hit; the others pass. */
  readonly times: number;
  readonly misdeed: Misdeed;
}

/** Stands before a service, passes requests on, and misbehaves where HTTP itself is broken. */
export interface Front extends TestServer {
  /** Requests for the target that came. */
  readonly tries: number;
  /** What the service created: path and body, a repetition under the same idempotency key once. */
  readonly taken: readonly string[];
  /** From now on everything passes. */
  calm(): void;
}

/** What stands in for the answer to a request that was not carried out. */
const nothing: WireAnswer = {
  head: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n',
  body: '{"count":0,"items":[]}',
};

/** Opens a front; it ends with its scope. */
export async function openFront(options: FrontOptions): Promise<Front> {
  let tries = 0;
  let isCalm = false;
  const taken = new Map<string, string>();
  const pass = async (request: IncomingMessage, body: Buffer) => {
    const answer = await passOn(request, body, options.service);
    if (request.method === 'POST' && /^HTTP\/1.1 2/.test(answer.head)) {
      const key = request.headers['idempotency-key'] ?? `request ${taken.size + 1}`;
      taken.set(`${key} ${request.url} ${body}`, `${request.url} ${body}`);
    }
    return answer;
  };
  const server = await httpServer(async (request) => {
    const { socket } = request;
    const body = await buffer(request);
    const named = `${request.method} ${request.url?.split('?')[0]}`;
    if (named !== options.target && request.method !== options.target) {
      socket.write(whole(await pass(request, body)), 'latin1');
      return;
    }
    tries += 1;
    const isHit = !isCalm && tries <= options.times;
    const answer = isHit && !options.commits ? nothing : settled(await pass(request, body), isHit);
    if (isHit) options.misdeed(socket, answer, body.toString());
    else socket.write(whole(answer), 'latin1');
  });
  return {
    ...server,
    get taken() {
      return [...taken.values()];
    },
    get tries() {
      return tries;
    },
    calm() {
      isCalm = true;
    },
  };
}

/** A clock that stands until the front is tried, and is past a short time limit then: no busy machine uses up the time before. */
export function pastOnceTried(front: Front): () => number {
  const start = Date.now();
  return () => start + (front.tries === 0 ? 0 : 10_000);
}

/** An answer as it should be. */
export function whole({ head, body }: WireAnswer): string {
  return `${head}${head.startsWith('HTTP/1.1 204') ? '' : `content-length: ${body.length}\r\n`}\r\n${body}`;
}

/** So that every answer that is hit has a body to be broken. */
function settled(answer: WireAnswer, isHit: boolean): WireAnswer {
  return isHit && answer.body === '' ? { ...nothing, body: '{}' } : answer;
}

const framing = new Set(['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'host']);

async function passOn({ method, url, headers }: IncomingMessage, body: Buffer, service: string) {
  const passed = Object.entries(headers).filter(([name]) => !framing.has(name));
  const answer = await fetch(`${service}${url}`, {
    // node:http gives every request a method, and joins all values but cookies, which nobody sends.
    method: method as string,
    headers: Object.fromEntries(passed) as Record<string, string>,
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
  });
  const lines = [...answer.headers].filter(([name]) => !framing.has(name));
  return {
    head: `HTTP/1.1 ${answer.status} ${answer.statusText}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`,
    body: Buffer.from(await answer.arrayBuffer()).toString('latin1'),
  };
}

import type { Ending, Transport, WireRequest, WireResponse } from '../cli/ports.ts';
import { requestIdOf } from './answer.ts';
import { createCancelToken } from './budget.ts';
import { WireFailure } from './failures.ts';

/** One whole answer. */
export interface Exchanged {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** What one exchange may take. */
export interface ExchangeLimits {
  /** A longer body is refused and its connection dropped. */
  readonly maxBytes: number;
  /** From the first step to the last byte. Default 60 s. */
  readonly attemptTimeoutMs?: number | undefined;
}

const ATTEMPT_MS = 60_000;

/**
 * Sends one request and reads its answer whole.
 *
 * @throws {WireFailure} `timeout` when the attempt's time is over, `too-large` when the body is longer than allowed,
 * and whatever the transport throws. When the request's own signal is aborted, its reason.
 */
export async function exchange(
  transport: Transport,
  request: WireRequest,
  { maxBytes, attemptTimeoutMs = ATTEMPT_MS }: ExchangeLimits,
): Promise<Exchanged> {
  const { method, url, headers, body, signal, isFresh = false } = request;
  const attempt = createCancelToken();
  let sent = false;
  const onSent = () => {
    sent = true;
    request.onSent?.();
  };
  const timer = setTimeout(() => attempt.cancel(overdue(url, attemptTimeoutMs, sent)), attemptTimeoutMs);
  const follow = () => attempt.cancel(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow);
  let head: Exchanged['headers'] = {};
  try {
    const answer = await transport.request({ method, url, headers, body, signal: attempt, isFresh, onSent });
    head = answer.headers;
    const stated = Number(head['content-length']);
    return {
      status: answer.status,
      headers: head,
      bytes: await readWhole(answer.body, maxBytes, url, stated),
    };
  } catch (cause) {
    throw cause instanceof WireFailure ? numbered(cause, head) : cause;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}

/**
 * Chunks may be of one byte each, and every one that was kept would cost a hundred: so they are copied into one buffer, which
 * is as long as the head says, or doubles. What comes in one chunk is not copied.
 *
 * @param stated not a number where the head says nothing.
 */
async function readWhole(
  body: WireResponse['body'],
  maxBytes: number,
  url: string,
  stated: number,
): Promise<Uint8Array> {
  let whole: Uint8Array | undefined;
  let length = 0;
  for await (const chunk of body) {
    const end = length + chunk.byteLength;
    if (end > maxBytes) throw tooLarge(url, maxBytes);
    if (whole === undefined) whole = chunk;
    else {
      const least = stated >= end ? stated : 2 * whole.length;
      if (end > whole.length) whole = grown(whole, length, Math.max(end, Math.min(maxBytes, least)));
      whole.set(chunk, length);
    }
    length = end;
  }
  return whole?.subarray(0, length) ?? Buffer.alloc(0);
}

/** The same failure, with the number that the head of the answer gives the request. */
function numbered(failure: WireFailure, head: Exchanged['headers']): WireFailure {
  const requestId = requestIdOf(head);
  if (requestId === undefined) return failure;
  const { kind, message, sent, isStale, cause } = failure;
  return new WireFailure(kind, message, { sent, requestId, isStale, cause });
}

function grown(buffer: Uint8Array, used: number, length: number): Uint8Array {
  const larger = Buffer.allocUnsafe(length);
  larger.set(buffer.subarray(0, used));
  return larger;
}

function overdue(url: string, attemptTimeoutMs: number, sent: boolean): WireFailure {
  const sentence = `${hostOf(url)} did not answer completely within ${attemptTimeoutMs / 1000} s.`;
  return new WireFailure('timeout', sentence, { sent });
}

function tooLarge(url: string, maxBytes: number): WireFailure {
  return new WireFailure('too-large', `the answer of ${hostOf(url)} is longer than ${maxBytes} bytes.`, {
    sent: true,
  });
}

function hostOf(url: string): string {
  return new URL(url).host;
}

/** What goes over the wire, before a signal is tied to it. */
type Sendable = Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>;

/** A request with the headers that every request carries; its own come last. */
export function wireRequest(
  { method, url, headers, body }: Pick<Sendable, 'method' | 'url'> & Partial<Sendable>,
  authorization: string,
  userAgent: string,
): Sendable {
  return {
    method,
    url,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      authorization,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body,
  };
}

/** Field by field: to spread an object is what costs most of all that is done for a request. */
export function tied(
  { method, url, headers, body }: Sendable,
  signal: Ending,
  onSent: () => void,
): WireRequest {
  return { method, url, headers, body, signal, onSent };
}

/** One value of the authorization header and which issue of it this is. */
export interface Token {
  readonly header: string;
  readonly generation: number;
  /** Milliseconds since the epoch; `undefined` where its end is not known. */
  readonly expiresAt?: number | undefined;
}

/** What a session shows to the service. */
export interface Credentials {
  /** Where they came from, for sentences: `INNCTL_TOKEN`, `profile chain`. */
  readonly source: string;
  readonly grant: 'token' | 'client-credentials' | 'user';
  /** What brings others when these are refused, where innctl itself has nothing to type for that. */
  readonly remedy?: string | undefined;
  /** The token to send now; fetches one when there is none or it has expired. Parallel callers share one fetch. */
  current(signal: Ending): Promise<Token>;
  /**
   * After a 401: a newer token than `stale`, `undefined` when this kind cannot be renewed.
   * Once per generation, shared by all callers.
   */
  renew(stale: Token, signal: Ending): Promise<Token | undefined>;
  /** Settles when nothing is under way any more that must finish before the connection is closed. */
  settled?(): Promise<void>;
}

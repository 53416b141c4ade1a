import type { Transport, WireRequest, WireResponse } from '../transport.ts';
import { createEnding } from './ending.ts';
import { WireFailure } from './failures.ts';
import { requestIdOf } from './request-id.ts';

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
  const attempt = createEnding();
  let sent = false;
  const onSent = () => {
    sent = true;
    request.onSent?.();
  };
  const timer = setTimeout(() => attempt.end(overdue(url, attemptTimeoutMs, sent)), attemptTimeoutMs);
  const follow = () => attempt.end(signal.reason);
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

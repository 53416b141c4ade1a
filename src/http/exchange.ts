import type { Transport, WireRequest, WireResponse } from '../transport.ts';
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
  const { host } = new URL(request.url);
  const attempt = new AbortController();
  let sent = false;
  const onSent = () => {
    sent = true;
    request.onSent?.();
  };
  const timer = setTimeout(() => attempt.abort(overdue(host, attemptTimeoutMs, sent)), attemptTimeoutMs);
  try {
    const signal = AbortSignal.any([request.signal, attempt.signal]);
    const { status, headers, body } = await transport.request({ ...request, signal, onSent });
    return {
      status,
      headers,
      bytes: await readWhole(body, maxBytes, host, Number(headers['content-length'])),
    };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Chunks may be of one byte each, and every one that was kept would cost a hundred: so they are copied into one buffer, which
 * is as long as the head says, or doubles.
 *
 * @param stated not a number where the head says nothing.
 */
async function readWhole(
  body: WireResponse['body'],
  maxBytes: number,
  host: string,
  stated: number,
): Promise<Uint8Array> {
  let whole = Buffer.alloc(stated > 0 ? Math.min(stated, maxBytes) : 0);
  let length = 0;
  for await (const chunk of body) {
    const end = length + chunk.byteLength;
    if (end > maxBytes) throw tooLarge(host, maxBytes);
    if (end > whole.length) whole = grown(whole, length, Math.max(end, Math.min(maxBytes, 2 * whole.length)));
    whole.set(chunk, length);
    length = end;
  }
  return whole.subarray(0, length);
}

function grown(buffer: Buffer, used: number, length: number): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(length);
  larger.set(buffer.subarray(0, used));
  return larger;
}

function overdue(host: string, attemptTimeoutMs: number, sent: boolean): WireFailure {
  const sentence = `${host} did not answer completely within ${attemptTimeoutMs / 1000} s.`;
  return new WireFailure('timeout', sentence, { sent });
}

function tooLarge(host: string, maxBytes: number): WireFailure {
  return new WireFailure('too-large', `the answer of ${host} is longer than ${maxBytes} bytes.`, {
    sent: true,
  });
}

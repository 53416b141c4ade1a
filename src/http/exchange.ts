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
    return { status, headers, bytes: await readWhole(body, maxBytes, host) };
  } finally {
    clearTimeout(timer);
  }
}

async function readWhole(body: WireResponse['body'], maxBytes: number, host: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLarge(host, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
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

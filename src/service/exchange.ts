import type { Clock, Ending, Sink, Transport, WireRequest, WireResponse } from '../cli/ports.ts';
import { maskHeaders } from '../out/redaction.ts';
import { requestIdOf } from './answer.ts';
import { CancelToken, onAbort } from './budget.ts';
import { WireFailure } from './failures.ts';

/** One whole answer. */
export interface Exchanged {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** The limits of one exchange. */
export interface ExchangeLimits {
  /** A longer body is refused, and its connection closed. */
  readonly maxBytes: number;
  /** Milliseconds from the first step to the last byte. Default 60 s. */
  readonly attemptTimeoutMs?: number | undefined;
}

const ATTEMPT_MS = 60_000;

/**
 * Sends one request and reads its answer whole.
 *
 * @throws {WireFailure} `timeout` when the attempt takes too long, `too-large` when the body is longer than allowed,
 * and all that the transport throws.
 * @throws the reason of the request's own signal when it is aborted.
 */
export async function exchange(
  transport: Transport,
  request: WireRequest,
  { maxBytes, attemptTimeoutMs = ATTEMPT_MS }: ExchangeLimits,
): Promise<Exchanged> {
  const { method, url, headers, body, signal, isFresh = false } = request;
  const attempt = new CancelToken();
  let sent = false;
  const onSent = () => {
    sent = true;
    request.onSent?.();
  };
  const timer = setTimeout(() => {
    const sentence = `${hostOf(url)} did not answer completely within ${attemptTimeoutMs / 1000} s.`;
    attempt.cancel(new WireFailure('timeout', sentence, { sent }));
  }, attemptTimeoutMs);
  const unfollow = onAbort(signal, () => attempt.cancel(signal.reason));
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
    unfollow();
  }
}

/**
 * Copies chunks into one buffer, which is as long as the head states, or doubles: kept chunks of one byte each would take a
 * hundred times their size.
 *
 * @param stated NaN if the head states no length.
 */
async function readWhole(
  body: WireResponse['body'],
  maxBytes: number,
  url: string,
  stated: number,
): Promise<Uint8Array> {
  let whole = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of body) {
    const end = length + chunk.byteLength;
    if (end > maxBytes) {
      const sentence = `the answer of ${hostOf(url)} is longer than ${maxBytes} bytes.`;
      throw new WireFailure('too-large', sentence, { sent: true });
    }
    if (end > whole.length) {
      const room = stated >= end ? stated : 2 * whole.length;
      const larger = Buffer.allocUnsafe(Math.max(end, Math.min(maxBytes, room)));
      whole.copy(larger, 0, 0, length);
      whole = larger;
    }
    whole.set(chunk, length);
    length = end;
  }
  return whole.subarray(0, length);
}

/** The same failure with the request id from the head of the answer. */
function numbered(failure: WireFailure, head: Exchanged['headers']): WireFailure {
  const requestId = requestIdOf(head);
  if (requestId === undefined) return failure;
  const { kind, message, sent, isStale, cause } = failure;
  return new WireFailure(kind, message, { sent, requestId, isStale, cause });
}

function hostOf(url: string): string {
  return new URL(url).host;
}

/** The headers that every request carries; its own come last. */
export function headersOf(
  { headers, body }: Partial<Pick<WireRequest, 'headers' | 'body'>>,
  authorization: string,
  userAgent: string,
): WireRequest['headers'] {
  return {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    authorization,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
}

/** A value of the authorization header. */
export interface Token {
  readonly header: string;
  /** Counts renewals. */
  readonly generation: number;
  /** Milliseconds since the epoch; `undefined` if unknown. */
  readonly expiresAt?: number | undefined;
}

/** The credentials of a session. */
export interface Credentials {
  /** Where they came from, for messages: `INNCTL_TOKEN`, `profile chain`. */
  readonly source: string;
  readonly grant: 'token' | 'client-credentials' | 'user';
  /** The hint for replacing refused credentials, if no command of innctl does that. */
  readonly remedy?: string | undefined;
  /** The token to send now; fetches one if there is none or it has expired. Deduplicates concurrent calls. */
  current(signal: Ending): Promise<Token>;
  /**
   * After a 401: a newer token than `stale`; `undefined` if this kind cannot be renewed. Once per generation, shared by
   * all callers.
   */
  renew(stale: Token, signal: Ending): Promise<Token | undefined>;
  /** Settles when the connection may be closed. */
  settled?(): Promise<void>;
}

/** Writes lines about exchanges for `--debug`; `undefined` without it. */
export type Trace = ((lines: readonly string[]) => Promise<void>) | undefined;

/** Writes to stderr. */
export function createTrace(stderr: Sink, neutralise: (text: string) => string): Trace {
  return (lines) => stderr.write(lines.map((line) => `debug: ${neutralise(line)}\n`).join(''));
}

/** What traced exchanges need besides the request. */
export interface TracedOptions extends ExchangeLimits {
  readonly transport: Transport;
  readonly trace: Trace;
  readonly clock: Clock;
}

/**
 * One exchange, traced with method, URL, status, time and headers; credentials are masked. If the service has closed a kept
 * connection, a new one carries a read, within the same attempt.
 */
export async function tracedExchange(
  request: WireRequest,
  attempt: number,
  options: TracedOptions,
): Promise<Exchanged> {
  const { transport, trace, clock } = options;
  const { method, url, headers, isFresh } = request;
  await trace?.([`> ${method} ${url} (try ${attempt})`, ...headerLines('>', headers)]);
  const started = trace === undefined ? 0 : clock.monotonic();
  const elapsed = () => `${Math.round(clock.monotonic() - started)} ms`;
  try {
    const answer = await exchange(transport, request, options);
    await trace?.([`< ${answer.status} in ${elapsed()}`, ...headerLines('<', answer.headers)]);
    return answer;
  } catch (cause) {
    if (!(cause instanceof WireFailure)) throw cause;
    await trace?.([`< no answer in ${elapsed()}: ${cause.message}`]);
    const isRead = method === 'GET' || method === 'HEAD';
    if (!cause.isStale || !isRead || isFresh === true) throw cause;
    return tracedExchange({ ...request, isFresh: true }, attempt, options);
  }
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(maskHeaders(headers)).map(([name, value]) => `${mark}   ${name}: ${value}`);
}

import type { Clock, Sink, Transport, WireRequest, WireResponse } from '../cli/ports.ts';
import { maskHeaders } from '../out/redaction.ts';
import { WireFailure } from './failures.ts';

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
  current(signal: AbortSignal): Promise<Token>;
  /**
   * After a 401: a newer token than `stale`; `undefined` if this kind cannot be renewed. Once per generation, shared by
   * all callers.
   */
  renew(stale: Token, signal: AbortSignal): Promise<Token | undefined>;
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
export interface TracedOptions {
  readonly transport: Transport;
  readonly trace: Trace;
  readonly clock: Clock;
}

/** One exchange, traced with method, URL, status, time and headers; credentials are masked. */
export async function tracedExchange(
  request: WireRequest,
  attempt: number,
  { transport, trace, clock }: TracedOptions,
): Promise<WireResponse> {
  if (trace === undefined) return transport.request(request);
  const { method, url, headers } = request;
  await trace([`> ${method} ${url} (try ${attempt})`, ...headerLines('>', headers)]);
  const started = clock.monotonic();
  const elapsed = () => `${Math.round(clock.monotonic() - started)} ms`;
  try {
    const answer = await transport.request(request);
    await trace([`< ${answer.status} in ${elapsed()}`, ...headerLines('<', answer.headers)]);
    return answer;
  } catch (cause) {
    if (cause instanceof WireFailure) await trace([`< no answer in ${elapsed()}: ${cause.message}`]);
    throw cause;
  }
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(maskHeaders(headers)).map(([name, value]) => `${mark}   ${name}: ${value}`);
}

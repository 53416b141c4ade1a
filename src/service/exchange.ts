import { parsedJson } from '../model/json-text.ts';
import type { Clock, Method, Sink, Transport, WireRequest, WireResponse } from '../model/ports.ts';
import { maskHeaders } from '../model/redaction.ts';
import { WireFailure } from './retry.ts';

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

/** One attempt of a write as it was sent, and what came back. It has no header, and so no token. */
export interface SentWrite {
  /** When it was sent; ISO 8601. */
  readonly at: string;
  readonly method: Method;
  /** With the query, without the host. */
  readonly path: string;
  /** The ids and addresses in the path. */
  readonly ids: readonly string[];
  /** As the dialect spells it. */
  readonly body?: unknown;
  /** From 1. */
  readonly attempt: number;
  readonly status?: number;
  readonly request_id?: string | undefined;
  /** Why there was no answer. */
  readonly failure?: string;
}

/** The writes of a run, attempt by attempt, if a command keeps them. */
export type WriteLog = ReturnType<typeof createWriteLog>;

type Attempt = Pick<WireRequest, 'method' | 'url' | 'body'> & Pick<SentWrite, 'ids' | 'attempt'>;

export function createWriteLog() {
  let kept: SentWrite[] | undefined;
  return {
    /** Keeps what is sent from now on. @returns the list, which grows as attempts end. */
    keep(): readonly SentWrite[] {
      kept ??= [];
      return kept;
    },
    add(
      { method, url, body, ids, attempt }: Attempt,
      sentAt: number,
      end: Pick<SentWrite, 'status' | 'request_id' | 'failure'>,
    ): void {
      if (kept === undefined) return;
      const { pathname, search } = new URL(url);
      const sent = body === undefined ? {} : { body: parsedJson(body) ?? body };
      const at = new Date(sentAt).toISOString();
      kept.push({ at, method, path: `${pathname}${search}`, ids, ...sent, attempt, ...end });
    },
  };
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

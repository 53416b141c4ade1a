/** One request as it goes over the wire. */
export interface WireRequest {
  readonly method: Method;
  /** Absolute, already encoded. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Ends the exchange, body included; the transport rejects with the signal's reason. */
  readonly signal: Ending;
  /** Called once, when the first byte may have left. */
  readonly onSent?: () => void;
  /** A read that goes over a connection that has carried nothing yet. */
  readonly isFresh?: boolean;
}

/** What an `AbortSignal` can be asked; where thousands are made, making one of those costs as much as the request. */
export interface Ending {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD';

/** The head of an answer and its body, not yet read. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case; values of a repeated header joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Raw bytes. Throws a `WireFailure` when the body is cut or idles. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Carries one request and brings one answer: no redirects, no retries, no decoding.
 *
 * @throws {WireFailure} when no answer came.
 */
export interface Transport {
  request(request: WireRequest): Promise<WireResponse>;
  /**
   * When the certificate of a host comes to its end, in milliseconds since the epoch; `undefined` where that cannot be told.
   * A connection is made for it and nothing is sent.
   *
   * @throws {WireFailure} when no connection comes about.
   */
  certificateEnd?(url: string): Promise<number | undefined>;
  close(): Promise<void>;
}

/** How to reach the hosts. */
export interface ConnectOptions {
  readonly proxies: Proxies;
  /** PEM texts trusted beside the system's own roots. */
  readonly authorities: readonly string[];
  readonly connectTimeoutMs: number;
  /** From the request sent to the head of the answer. */
  readonly headTimeoutMs: number;
  /** Between two chunks of the body. */
  readonly idleTimeoutMs: number;
}

/** Proxy URLs as the environment gives them; empty when there are none. */
export interface Proxies {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts that are reached directly, in the syntax of NO_PROXY. */
  readonly except?: string | undefined;
}

export type Connect = (options: ConnectOptions) => Promise<Transport>;

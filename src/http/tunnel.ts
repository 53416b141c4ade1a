import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { proxyFailure } from './connect-errors.ts';
import { type FailureKind, WireFailure } from './failures.ts';
import type { WireProxy } from './proxies.ts';
import { isPassing } from './retry.ts';

/** Trust, time and end of a tunnel. */
export interface TunnelOptions {
  /** For a proxy that is itself spoken to over TLS; `undefined` for Node's own roots. */
  readonly secureContext: SecureContext | undefined;
  /** For the connection to the proxy and its answer together. */
  readonly connectTimeoutMs: number;
  /** Ends a tunnel that is still being made. */
  readonly signal: AbortSignal;
}

/**
 * Asks the proxy for a connection to `authority` (`host:port`).
 *
 * @throws {WireFailure} `proxy` or `proxy-refused` when there is no such connection; nothing was sent to the service.
 */
export function openTunnel(proxy: WireProxy, authority: string, options: TunnelOptions): Promise<Socket> {
  const { connectTimeoutMs, secureContext, signal } = options;
  const tls = proxy.origin.startsWith('https:');
  return new Promise((resolve, reject) => {
    const ask = (tls ? tlsRequest : plainRequest)(proxy.origin, {
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
      },
      agent: false,
      signal,
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
      rejectUnauthorized: true,
      // Node would take the name from the host header, which is the service's.
      servername: serverName(proxy),
      ...(secureContext === undefined ? {} : { secureContext }),
    });
    const timer = setTimeout(
      () => ask.destroy(silence(proxy, authority, connectTimeoutMs)),
      connectTimeoutMs,
    );
    // It closes as well once the proxy has connected.
    ask.once('close', () => clearTimeout(timer));
    ask.once('error', (cause) => reject(proxyFailure(cause, { host: proxy.host, tls, connectTimeoutMs })));
    ask.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(refusal(proxy, authority, statusCode));
    });
    ask.end();
  });
}

/** What the proxy's certificate must name; an address is checked without being sent. */
function serverName({ origin }: WireProxy): string {
  const { hostname } = new URL(origin);
  return isIP(hostname.replace(/^\[|\]$/g, '')) ? '' : hostname;
}

/**
 * The proxy wants to know who asks.
 *
 * @param status 407, or the 401 that some proxies give for a wrong password.
 */
export function unknownToProxy(proxy: WireProxy, status: number): WireFailure {
  const what = proxy.authorization === undefined ? 'wants a' : 'does not accept the';
  return failure(
    'proxy-refused',
    `the proxy ${proxy.host} ${what} user name and password (${status}): they belong into the proxy's URL.`,
  );
}

function refusal(proxy: WireProxy, authority: string, status: number): WireFailure {
  if (status === 407 || status === 401) return unknownToProxy(proxy, status);
  return failure(
    isPassing(status) ? 'proxy' : 'proxy-refused',
    `the proxy ${proxy.host} did not connect to ${authority}: it answered with ${status}.`,
  );
}

function silence(proxy: WireProxy, authority: string, connectTimeoutMs: number): WireFailure {
  return failure(
    'proxy',
    `the proxy ${proxy.host} did not connect to ${authority} within ${connectTimeoutMs / 1000} s.`,
  );
}

function failure(kind: FailureKind, sentence: string): WireFailure {
  return new WireFailure(kind, sentence, { sent: false });
}

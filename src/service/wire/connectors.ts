import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { buildConnector as undiciConnector } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import { codeOf } from '../../cli/errors.ts';
import type { ConnectOptions, Proxies } from '../../cli/ports.ts';
import { type FailureKind, WireFailure } from '../failures.ts';
import { proxyFor, type WireProxy } from '../proxies.ts';
import { isPassing } from '../retry.ts';
import { skipInterim } from './carry.ts';
import { connectFailure, proxyFailure } from './errors.ts';

type Connector = undiciConnector.connector;

/**
 * Creates the connectors; each fails with a `WireFailure` whose `sent` is false.
 *
 * @param closing ends pending and idle connections.
 */
export function createConnectors(options: ConnectOptions, closing: AbortSignal) {
  const { connectTimeoutMs } = options;
  const secureContext = trusting(options.authorities);
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    // Even with NODE_TLS_REJECT_UNAUTHORIZED=0.
    rejectUnauthorized: true,
    signal: closing,
    ...(secureContext === undefined ? {} : { secureContext }),
  });
  const tunnel = tunnelling(connect, options.proxies, { secureContext, connectTimeoutMs, signal: closing });
  return {
    /** To the service itself; over TLS through the tunnel of a proxy, if there is one. */
    toService: guard(tunnel, connectFailure, connectTimeoutMs),
    /** To a proxy that forwards plain requests. */
    toProxy: guard(asItself(connect), proxyFailure, connectTimeoutMs),
  };
}

/** Created once for all connections: Node would parse every certificate again for each. */
function trusting(authorities: readonly string[]): SecureContext | undefined {
  return authorities.length === 0
    ? undefined
    : createSecureContext({ ca: [...rootCertificates, ...authorities] });
}

function tunnelling(connect: Connector, proxies: Proxies, options: TunnelOptions): Connector {
  return (target, callback) => {
    const { protocol, host, port } = target;
    const url = new URL(`${protocol}//${host}`);
    const proxy = protocol === 'https:' ? proxyFor(proxies, url) : undefined;
    if (proxy === undefined) {
      connect(target, callback);
      return;
    }
    openTunnel(proxy, `${url.hostname}:${port || 443}`, options).then(
      (socket) => connect({ ...target, httpSocket: socket }, callback),
      (failure: Error) => callback(failure, null),
    );
  };
}

/** A proxy has its own certificate, not that of the host in the request. */
function asItself(connect: Connector): Connector {
  return (target, callback) => connect({ ...target, servername: '' }, callback);
}

/**
 * undici retries a failed connection endlessly if the error has one of its own codes; a `WireFailure` has none and ends the
 * requests that wait for the connection.
 */
function guard(connect: Connector, describe: typeof connectFailure, connectTimeoutMs: number): Connector {
  return (target, callback) =>
    connect(target, (cause, socket) => {
      if (cause === null) {
        callback(null, skipInterim(endAtError(socket)));
        return;
      }
      const { protocol, hostname, host = hostname } = target;
      callback(describe(cause, { host, tls: protocol === 'https:', connectTimeoutMs }), null);
    });
}

/**
 * Makes undici fail a request whose connection broke, with the cause.
 *
 * An alert is followed by the end of the stream, which undici would report as the reason.
 *
 * undici accepts a reset as the end of a body without a length. The body may be truncated, and half a number is a number:
 * with another code undici fails the request. For Node itself, a reset together with the last bytes is an end.
 */
function endAtError(socket: Socket): Socket {
  return socket.on('error', (cause) => {
    const code = codeOf(cause);
    if (code?.startsWith('ERR_SSL_')) socket.destroy();
    if (code === 'ECONNRESET') Object.assign(cause, { code: 'UND_ERR_SOCKET' });
  });
}

/** How a tunnel is opened. */
interface TunnelOptions {
  /** For a proxy with an https URL; `undefined` for Node's own roots. */
  readonly secureContext: SecureContext | undefined;
  /** For the connection to the proxy and its answer together. */
  readonly connectTimeoutMs: number;
  /** Ends a pending tunnel. */
  readonly signal: AbortSignal;
}

/**
 * Asks the proxy for a connection to `authority` (`host:port`).
 *
 * @throws {WireFailure} `proxy` or `proxy-refused` if there is none; nothing was sent to the service.
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
      // Even with NODE_TLS_REJECT_UNAUTHORIZED=0.
      rejectUnauthorized: true,
      // Node would take the name from the host header, which is the service's.
      servername: serverName(proxy),
      ...(secureContext === undefined ? {} : { secureContext }),
    });
    const silence = `the proxy ${proxy.host} did not connect to ${authority} within ${connectTimeoutMs / 1000} s.`;
    const timer = setTimeout(() => ask.destroy(failure('proxy', silence)), connectTimeoutMs);
    // Also emitted once the proxy has connected.
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

/** The host in the proxy's certificate; an IP address is checked without being sent. */
function serverName({ origin }: WireProxy): string {
  const { hostname } = new URL(origin);
  return isIP(hostname.replace(/^\[|\]$/g, '')) ? '' : hostname;
}

/**
 * The proxy needs credentials, or refuses them.
 *
 * @param status 407, or the 401 that some proxies send for a wrong password.
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

function failure(kind: FailureKind, sentence: string): WireFailure {
  return new WireFailure(kind, sentence, { sent: false });
}

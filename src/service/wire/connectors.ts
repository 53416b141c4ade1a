import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { buildConnector as undiciConnector } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import { setEngineFlags } from '../../cli/engine.ts';
import { codeOf } from '../../cli/errors.ts';
import type { ConnectOptions, Proxies } from '../../cli/ports.ts';
import { type FailureKind, WireFailure } from '../failures.ts';
import { proxyFor, type WireProxy } from '../proxies.ts';
import { isPassing } from '../retry.ts';
import { skipInterim } from './carry.ts';
import { connectFailure, proxyFailure } from './errors.ts';

type Connector = undiciConnector.connector;

/**
 * Has V8 leave undici's parser, which is WebAssembly, as it is compiled first: Node waits at its end for faster code of it,
 * longer than everything else takes. Set when the first connection stands, before the parser is compiled.
 */
const PARSER_FLAGS = '--no-wasm-tier-up --no-wasm-dynamic-tiering';

/**
 * How much code runs before V8 optimises it; its default is 67584. What it optimises during the first thousand requests is mostly
 * thrown away again, and takes a quarter of their time.
 */
const CODE_FLAGS = '--interrupt-budget=300000';

/** How connections are made; each fails with a `WireFailure` that says that nothing was sent. */
export interface Connectors {
  /** To the service itself; over TLS through the proxy's tunnel where one stands in between. */
  readonly toService: Connector;
  /** To a proxy that passes plain requests on. */
  readonly toProxy: Connector;
}

/**
 * Prepares the ways out.
 *
 * @param closing ends connections that are still being made, and those that idle.
 */
export function createConnectors(options: ConnectOptions, closing: AbortSignal): Connectors {
  const { connectTimeoutMs } = options;
  const secureContext = trusting(options.authorities);
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    signal: closing,
    ...(secureContext === undefined ? {} : { secureContext }),
  });
  const tunnel = tunnelling(connect, options.proxies, { secureContext, connectTimeoutMs, signal: closing });
  return {
    toService: guard(tunnel, connectFailure, connectTimeoutMs),
    toProxy: guard(asItself(connect), proxyFailure, connectTimeoutMs),
  };
}

/** Made once for all connections: Node would parse every certificate again for each. */
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

/** A proxy shows its own certificate, not that of the host in the request. */
function asItself(connect: Connector): Connector {
  return (target, callback) => connect({ ...target, servername: '' }, callback);
}

/**
 * undici takes up a failed connection again without end when the error has one of its own codes; a `WireFailure` has
 * none and ends the requests that wait for the connection.
 */
function guard(connect: Connector, describe: typeof connectFailure, connectTimeoutMs: number): Connector {
  return (target, callback) =>
    connect(target, (cause, socket) => {
      if (cause === null) {
        setEngineFlags(PARSER_FLAGS);
        setEngineFlags(CODE_FLAGS, ['11']);
        callback(null, mindResets(skipInterim(endAtAlert(socket))));
        return;
      }
      const { protocol, hostname, host = hostname } = target;
      callback(describe(cause, { host, tls: protocol === 'https:', connectTimeoutMs }), null);
    });
}

/**
 * undici takes a reset for the good end of a body that goes on until the connection ends. It is as likely a cut, and half
 * a number is a number: under another code undici ends the request with it. A reset that arrives together with the last
 * bytes is an end for Node itself.
 */
function mindResets(socket: Socket): Socket {
  return socket.on('error', (cause) => {
    if (codeOf(cause) === 'ECONNRESET') Object.assign(cause, { code: 'UND_ERR_SOCKET' });
  });
}

/** After an alert comes the end of the stream, which undici would take for the reason. */
function endAtAlert(socket: Socket): Socket {
  return socket.on('error', (cause) => {
    if (codeOf(cause)?.startsWith('ERR_SSL_')) socket.destroy();
  });
}

/** Trust, time and end of a tunnel. */
interface TunnelOptions {
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

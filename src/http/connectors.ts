import type { Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { buildConnector as undiciConnector } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import { codeOf } from '../error-code.ts';
import type { ConnectOptions, Proxies } from '../transport.ts';
import { connectFailure, proxyFailure } from './connect-errors.ts';
import { skipInterim } from './interim.ts';
import { proxyFor } from './proxies.ts';
import { compileLess } from './tiering.ts';
import { openTunnel, type TunnelOptions } from './tunnel.ts';

type Connector = undiciConnector.connector;

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
        compileLess();
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

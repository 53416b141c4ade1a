import { Socket } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { codeOf } from '../../cli/errors.ts';
import type { ConnectOptions } from '../../cli/ports.ts';
import { proxyFor, type WireProxy } from '../proxies.ts';
import { connectFailure, proxyFailure, tunnelFailure, tunnelRefusal } from './errors.ts';

type Connector = buildConnector.connector;

/** How an origin is reached, and the connections to it: as many as there are requests at a time. */
export interface Way {
  /** `undefined`: directly. */
  readonly proxy: WireProxy | undefined;
  /** Creates a connection. It is opened by its first request, and opened again by the next one after it broke. */
  readonly open: () => Dispatcher;
  /** Ends a connection that carries nothing, for good. */
  readonly drop: (connection: Dispatcher) => void;
  /** The connections that carry nothing. */
  readonly free: Dispatcher[];
  /** Those that have carried an answer, and are still open as far as known. */
  readonly used: Set<Dispatcher>;
  /** How many further writes get a connection of their own, because a used one was closed. */
  wary: number;
}

/** Opens connections; each attempt that fails throws a `WireFailure` whose `sent` is false. */
export function createConnections(options: ConnectOptions) {
  const { connectTimeoutMs, headTimeoutMs: headersTimeout, idleTimeoutMs: bodyTimeout } = options;
  const ways = new Map<string, Way>();
  /** Each connection, and the clients that make it. */
  const all = new Map<Dispatcher, readonly Client[]>();
  const sockets = new Set<Socket>();
  const dial = buildConnector({ timeout: connectTimeoutMs, ...trusting(options.authorities) });
  /** A client that is destroyed leaves alone the socket that it is opening. */
  const connect: Connector = (target, callback) => {
    const socket: unknown = dial(target, callback);
    if (!(socket instanceof Socket)) return;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };

  const toPeer =
    (connector: Connector, failure: typeof connectFailure): Connector =>
    (target, callback) =>
      connector(target, (cause, socket) => {
        const { protocol, hostname, host = hostname } = target;
        const peer = { host, tls: protocol === 'https:', connectTimeoutMs };
        if (cause !== null) callback(failure(cause, peer), null);
        else callback(null, endAtError(socket));
      });
  const toService = (connector: Connector) => toPeer(connector, connectFailure);
  // The name in its certificate is its own, not that of the host in the request.
  const toProxy = toPeer(
    (target, callback) => connect({ ...target, servername: '' }, callback),
    proxyFailure,
  );

  /** Fails as soon as the proxy does. Callbacks, not promises: undici does not handle the rejection of a connector. */
  const throughTunnel =
    (tunnels: Client, proxy: WireProxy): Connector =>
    (target, callback) => {
      const { hostname, host = hostname, port } = target;
      const authority = port ? host : `${host}:443`;
      const { authorization } = proxy;
      const login = authorization === undefined ? {} : { 'proxy-authorization': authorization };
      const headers = { ...login, host: authority, 'proxy-connection': 'keep-alive' };
      tunnels.connect({ path: authority, headers }, (cause, answer) => {
        if (cause !== null) return callback(tunnelFailure(cause, proxy, authority, connectTimeoutMs), null);
        const { statusCode } = answer;
        // It is the connection to the proxy.
        const socket = answer.socket as Socket;
        if (statusCode === 200) return connect({ ...target, httpSocket: socket }, callback);
        socket.on('error', () => {}).destroy();
        callback(tunnelRefusal(proxy, authority, statusCode), null);
      });
    };

  /** The first client carries the requests. */
  const clientsFor = ({ origin, protocol }: URL, proxy: WireProxy | undefined): [Client, ...Client[]] => {
    const timeouts = { headersTimeout, bodyTimeout };
    if (proxy === undefined) return [new Client(origin, { ...timeouts, connect: toService(connect) })];
    // In absolute form; a proxy may refuse tunnels to the port of http.
    if (protocol === 'http:') return [new Client(proxy.origin, { ...timeouts, connect: toProxy })];
    const tunnels = new Client(proxy.origin, { connect: toProxy, headersTimeout: connectTimeoutMs });
    const through = toService(throughTunnel(tunnels, proxy));
    return [new Client(origin, { ...timeouts, connect: through }), tunnels];
  };
  const drop = async (connection: Dispatcher) => {
    const clients = all.get(connection) ?? [];
    all.delete(connection);
    await Promise.all(clients.map((client) => client.destroy()));
  };

  return {
    to(url: URL): Way {
      const known = ways.get(url.origin);
      if (known !== undefined) return known;
      const proxy = proxyFor(options.proxies, url);
      const open = () => {
        const clients = clientsFor(url, proxy);
        all.set(clients[0], clients);
        return clients[0];
      };
      const way = { proxy, open, drop, free: [], used: new Set<Dispatcher>(), wary: 0 };
      ways.set(url.origin, way);
      return way;
    },
    /** Ends all connections and their requests. */
    async close(): Promise<void> {
      await Promise.all([...all.keys()].map(drop));
      for (const socket of sockets) socket.destroy(new Error('given up'));
    },
  };
}

function trusting(authorities: readonly string[]) {
  // Created once for all connections: Node would parse every certificate again for each.
  const ca = authorities.length === 0 ? undefined : [...rootCertificates, ...authorities];
  const secureContext = ca && { secureContext: createSecureContext({ ca }) };
  // Even with NODE_TLS_REJECT_UNAUTHORIZED=0.
  return { rejectUnauthorized: true, ...secureContext };
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

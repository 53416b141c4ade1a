import { Socket } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { codeOf } from '../../model/errors.ts';
import type { ConnectOptions } from '../../model/ports.ts';
import { proxyFor, type WireProxy } from '../proxies.ts';
import { type FailureKind, isPassing, WireFailure } from '../retry.ts';

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
        if (cause !== null)
          return callback(proxyFailure(cause, { host: proxy.host, tls: false, connectTimeoutMs }), null);
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

/** The other end of a connection. */
interface Peer extends Pick<ConnectOptions, 'connectTimeoutMs'> {
  /** Host and port, for messages. */
  readonly host: string;
  readonly tls: boolean;
}

/** A failed connection to the service; nothing was sent. */
export function connectFailure(cause: Error, peer: Peer): WireFailure {
  if (cause instanceof WireFailure) return cause;
  const [kind, sentence] = describeConnect(cause, peer);
  return unsent(kind, `${sentence}.`, cause);
}

/** A failed connection to the proxy; nothing was sent. */
export function proxyFailure(cause: Error, proxy: Peer): WireFailure {
  if (cause instanceof WireFailure) return cause;
  const [kind, sentence] = describeConnect(cause, { ...proxy, host: `the proxy ${proxy.host}` });
  const isLasting = kind === 'tls' || kind === 'malformed';
  const proxyKind = kind === 'too-many-files' ? kind : isLasting ? 'proxy-refused' : 'proxy';
  return unsent(proxyKind, `${sentence}.`, cause);
}

/** A proxy that answered a request for a tunnel with another status than 200. */
function tunnelRefusal(proxy: WireProxy, authority: string, status: number): WireFailure {
  if (status === 407 || status === 401) return unknownToProxy(proxy, status);
  const sentence = `the proxy ${proxy.host} did not connect to ${authority}: it answered with ${status}.`;
  return unsent(isPassing(status) ? 'proxy' : 'proxy-refused', sentence);
}

/**
 * The proxy needs credentials, or refuses them.
 *
 * @param status 407, or the 401 that some proxies send for a wrong password.
 */
export function unknownToProxy({ host, authorization }: WireProxy, status: number): WireFailure {
  const what = authorization === undefined ? 'wants a' : 'does not accept the';
  const sentence = `the proxy ${host} ${what} user name and password (${status}): they belong into the proxy's URL.`;
  return unsent('proxy-refused', sentence);
}

function unsent(kind: FailureKind, sentence: string, cause?: unknown): WireFailure {
  return new WireFailure(kind, sentence, { sent: false, cause });
}

function describeConnect(
  cause: Error,
  { host, tls, connectTimeoutMs }: Peer,
): readonly [FailureKind, string] {
  const code = codeOf(cause) ?? cause.message;
  if (code === 'EMFILE' || code === 'ENFILE')
    return ['too-many-files', `${host} could not be connected to: too many files are open (${code})`];
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return ['dns', `the name of ${host} cannot be resolved (${code})`];
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return ['connect-timeout', `${host} could not be connected to within ${connectTimeoutMs / 1000} s`];
  if (code === 'ECONNREFUSED') return ['refused', `${host} refused the connection`];
  // Only a proxy answers before the connection is open.
  if (cause.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW')
    return ['malformed', `${host} answered with something that is not HTTP/1.1`];
  if (!tls || unreachable.test(code)) return ['refused', `${host} could not be connected to (${code})`];
  return ['tls', tlsSentence(code, cause.message, host)];
}

const unreachable = /^E(?:HOST|NET)(?:UNREACH|DOWN)$/;

const untrusted =
  'its authority is not trusted here, or a certificate in between is missing; name either with --ca-file';

const certificateReasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: 'it was issued for another host',
};

function tlsSentence(code: string, message: string, host: string): string {
  const reason = certificateReasons[code];
  if (reason !== undefined) return `the certificate of ${host} is not accepted: ${reason}`;
  if (code === 'ECONNRESET') return `${host} closed the connection during the TLS handshake`;
  // The reason of OpenSSL, if the handshake broke while writing.
  if (/wrong version|packet length/.test(message)) return `${host} does not speak TLS on this port`;
  return `no TLS connection to ${host} could be made (${code})`;
}

/** undici's parser errors have no code of their own. */
const PARSER = 'UND_ERR_PARSER';

/** In TLS 1.3 this follows after the client has sent its request, which the server does not read. */
const UNCERTIFIED = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';

/** A broken exchange, for messages: `sent` if a byte of the request may have been, `answered` if the head of the answer was received. */
interface Exchange extends Pick<ConnectOptions, 'headTimeoutMs' | 'idleTimeoutMs'> {
  readonly sent: boolean;
  readonly answered: boolean;
  /** Host and port of the request's URL. */
  readonly host: string;
}

/** A connection that broke during the exchange, as a `WireFailure`; other errors unchanged. */
export function exchangeFailure(cause: Error, exchange: Exchange): Error {
  const code = cause.name === 'HTTPParserError' ? PARSER : codeOf(cause);
  if (cause instanceof WireFailure || code === undefined || code === 'UND_ERR_INVALID_ARG') return cause;
  const [kind, sentence] = describeCode(code, cause.message, exchange);
  return new WireFailure(kind, sentence, { sent: exchange.sent && code !== UNCERTIFIED, cause });
}

function describeCode(code: string, message: string, exchange: Exchange): readonly [FailureKind, string] {
  const { host, answered, headTimeoutMs, idleTimeoutMs } = exchange;
  const cut = ['cut', `${host} closed the connection before the end of its answer.`] as const;
  const notHttp = ['malformed', `${host} answered with something that is not HTTP/1.1.`] as const;
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return ['timeout', `${host} did not answer within ${headTimeoutMs / 1000} s.`];
  if (code === 'UND_ERR_BODY_TIMEOUT')
    return ['timeout', `the answer of ${host} stopped for ${idleTimeoutMs / 1000} s before its end.`];
  // undici also reports repeated lengths so, before the end of the head.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return answered ? cut : notHttp;
  // undici's parser asserts that the status is at least 100, and that a 101 names a protocol.
  if (code === 'ERR_ASSERTION') return notHttp;
  if (code === PARSER && message.includes('Invalid EOF state')) return cut;
  if (code === PARSER || code === 'UND_ERR_HEADERS_OVERFLOW' || /^bad (response|upgrade)$/.test(message))
    return notHttp;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return ['tls', `${host} ended the TLS session (${code}).`];
  return answered ? cut : ['reset', `${host} closed the connection without an answer.`];
}

import { codeOf } from '../../cli/errors.ts';
import type { ConnectOptions } from '../../cli/ports.ts';
import { type FailureKind, WireFailure } from '../failures.ts';
import type { WireProxy } from '../proxies.ts';
import { isPassing } from '../retry.ts';

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

/** A tunnel that a proxy did not open; nothing was sent to the service. @param authority `host:port` of the service. */
export function tunnelFailure(
  cause: Error,
  { host }: WireProxy,
  authority: string,
  connectTimeoutMs: number,
): WireFailure {
  if (codeOf(cause) !== 'UND_ERR_HEADERS_TIMEOUT')
    return proxyFailure(cause, { host, tls: false, connectTimeoutMs });
  const within = `within ${connectTimeoutMs / 1000} s`;
  return unsent('proxy', `the proxy ${host} did not connect to ${authority} ${within}.`);
}

/** A proxy that answered a request for a tunnel with another status than 200. */
export function tunnelRefusal(proxy: WireProxy, authority: string, status: number): WireFailure {
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
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return ['connect-timeout', `${host} could not be connected to within ${connectTimeoutMs / 1000} s`];
  const unreachable = networkReasons[code];
  if (unreachable !== undefined) return ['refused', `${host} ${unreachable}`];
  // Only a proxy answers before the connection is open.
  if (cause.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW')
    return ['malformed', `${host} answered with something that is not HTTP/1.1`];
  if (!tls && (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET'))
    return ['refused', `${host} closed the connection`];
  if (!tls) return ['refused', `${host} could not be connected to (${code})`];
  return ['tls', tlsSentence(alertIn(cause) ?? code, host)];
}

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  EHOSTUNREACH: 'cannot be reached (no route to the host)',
  EHOSTDOWN: 'cannot be reached (the host is down)',
  ENETUNREACH: 'cannot be reached (no network)',
  ENETDOWN: 'cannot be reached (no network)',
};

const untrusted = 'its authority is not trusted here; name that with --ca-file';

const disagreement =
  'ended the TLS handshake: it wants other ciphers, or a client certificate, and innctl has none to show';

const outdated = 'speaks no TLS version that is still safe (1.2 or newer is needed)';

const certificateReasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed; name it with --ca-file to trust it',
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  // Also if a server sends only its own certificate.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its authority is not trusted here, or a certificate in between is missing; name either with --ca-file',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it was issued for another host',
  INVALID_PURPOSE: 'it was not issued for a server',
};

const handshakeReasons: Readonly<Record<string, string>> = {
  ECONNRESET: 'closed the connection during the TLS handshake',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'does not speak TLS on this port',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: disagreement,
  // The same since OpenSSL 3.4.
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': disagreement,
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'serves no host of this name',
  ERR_SSL_UNSUPPORTED_PROTOCOL: outdated,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: outdated,
};

/** If the handshake broke while writing, OpenSSL's reason is only in the text: `...:SSL routines::wrong version number:...`. */
function alertIn({ message }: Error): string | undefined {
  const [, reason] = /:SSL routines:[^:]*:([^:]+):/.exec(message) ?? [];
  return reason && `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
}

function tlsSentence(code: string, host: string): string {
  const reason = certificateReasons[code];
  if (reason !== undefined) return `the certificate of ${host} is not accepted: ${reason}`;
  const refusal = handshakeReasons[code];
  return refusal ? `${host} ${refusal}` : `no TLS connection to ${host} could be made (${code})`;
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
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return ['malformed', `the head of the answer of ${host} is too long.`];
  if (code === PARSER && message.includes('Invalid EOF state')) return cut;
  if (code === PARSER || /^bad (response|upgrade)$/.test(message)) return notHttp;
  if (code === UNCERTIFIED)
    return ['tls', `${host} wants a client certificate, and innctl has none to show.`];
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return ['tls', `${host} ended the TLS session (${code}).`];
  return answered ? cut : ['reset', `${host} closed the connection without an answer.`];
}

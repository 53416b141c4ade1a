import { codeOf } from '../error-code.ts';
import { type FailureKind, WireFailure } from './failures.ts';

/** Whom a connection was meant for. */
export interface Peer {
  /** Host and port, for sentences. */
  readonly host: string;
  readonly tls: boolean;
  readonly connectTimeoutMs: number;
}

/** No connection to the service came about; nothing was sent. */
export function connectFailure(cause: Error, peer: Peer): WireFailure {
  if (cause instanceof WireFailure) return cause;
  const [kind, sentence] = describe(cause, peer);
  return new WireFailure(kind, `${sentence}.`, { sent: false, cause });
}

/** No connection to the proxy came about; nothing was sent. */
export function proxyFailure(cause: Error, proxy: Peer): WireFailure {
  if (cause instanceof WireFailure) return cause;
  const [, sentence] = describe(cause, { ...proxy, host: `the proxy ${proxy.host}` });
  return new WireFailure('proxy', `${sentence}.`, { sent: false, cause });
}

function describe(cause: Error, { host, tls, connectTimeoutMs }: Peer): readonly [FailureKind, string] {
  const code = codeOf(cause) ?? cause.message;
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) {
    return ['dns', `the name of ${host} cannot be resolved (${code})`];
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return ['connect-timeout', `${host} could not be connected to within ${connectTimeoutMs / 1000} s`];
  }
  const unreachable = networkReasons[code];
  if (unreachable !== undefined) return ['refused', `${host} ${unreachable}`];
  if (!tls && code === 'ECONNRESET') return ['refused', `${host} closed the connection`];
  if (!tls) return ['refused', `${host} could not be connected to (${code})`];
  return ['tls', tlsSentence(code, host)];
}

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  EHOSTUNREACH: 'cannot be reached (no route to the host)',
  EHOSTDOWN: 'cannot be reached (the host is down)',
  ENETUNREACH: 'cannot be reached (no network)',
  ENETDOWN: 'cannot be reached (no network)',
};

const untrusted = 'its authority is not trusted here; name that with --ca-file';

const certificateReasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed; name it with --ca-file to trust it',
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: 'it was issued for another host',
};

function tlsSentence(code: string, host: string): string {
  const reason = certificateReasons[code];
  if (reason !== undefined) return `the certificate of ${host} is not accepted: ${reason}`;
  if (code === 'ECONNRESET') return `${host} closed the connection during the TLS handshake`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return `${host} does not speak TLS on this port`;
  return `no TLS connection to ${host} could be made (${code})`;
}

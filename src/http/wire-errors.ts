import { codeOf } from '../error-code.ts';
import type { Progress } from './carry.ts';
import { type FailureKind, WireFailure } from './failures.ts';

/** undici's parser errors have no code of their own. */
const PARSER = 'UND_ERR_PARSER';

/** In TLS 1.3 this ends the handshake when the client has sent its request already; nobody reads that. */
const UNCERTIFIED = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';

/** What a sentence about a broken exchange needs. */
export interface Exchange extends Progress {
  /** Host and port of the request's URL. */
  readonly host: string;
  readonly headTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** A connection that broke during the exchange, in plain words; errors that are not the wire's come back as they are. */
export function exchangeFailure(cause: Error, exchange: Exchange): Error {
  const code = cause.name === 'HTTPParserError' ? PARSER : codeOf(cause);
  if (cause instanceof WireFailure || code === undefined || code === 'UND_ERR_INVALID_ARG') return cause;
  const [kind, sentence] = describeCode(code, cause.message, exchange);
  const isStale = kind === 'reset' && exchange.reused;
  return new WireFailure(kind, sentence, { sent: exchange.sent && code !== UNCERTIFIED, isStale, cause });
}

function describeCode(code: string, message: string, exchange: Exchange): readonly [FailureKind, string] {
  const { host, answered, headTimeoutMs, idleTimeoutMs } = exchange;
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
      return ['timeout', `${host} did not answer within ${headTimeoutMs / 1000} s.`];
    case 'UND_ERR_BODY_TIMEOUT':
      return ['timeout', `the answer of ${host} stopped for ${idleTimeoutMs / 1000} s before its end.`];
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      // Of two lengths or more undici says so too, before the head has ended.
      if (!answered) return ['malformed', notHttp(host)];
      return ['cut', `${host} closed the connection before the end of its answer.`];
    case 'ERR_ASSERTION':
      // Its parser takes a status below 100, and a 101 that names no protocol, for what cannot be.
      return ['malformed', notHttp(host)];
    case 'UND_ERR_HEADERS_OVERFLOW':
      return ['malformed', `the head of the answer of ${host} is too long.`];
  }
  if (code === PARSER && message.includes('Invalid EOF state')) {
    return ['cut', `${host} closed the connection before the end of its answer.`];
  }
  if (code === PARSER || /^bad (response|upgrade)$/.test(message)) {
    return ['malformed', notHttp(host)];
  }
  if (code === UNCERTIFIED) {
    return ['tls', `${host} wants a client certificate, and innctl has none to show.`];
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return ['tls', `${host} ended the TLS session (${code}).`];
  }
  return answered
    ? ['cut', `${host} closed the connection before the end of its answer.`]
    : ['reset', `${host} closed the connection without an answer.`];
}

function notHttp(host: string): string {
  return `${host} answered with something that is not HTTP/1.1.`;
}

/**
 * Why no (whole) answer came.
 * `refused dns tls proxy proxy-refused connect-timeout too-many-files` happen before a byte of the request left; `reset timeout cut` after.
 * `proxy-refused` is what another try through the same proxy would meet again.
 */
export type FailureKind =
  | 'refused'
  | 'dns'
  | 'tls'
  | 'proxy'
  | 'proxy-refused'
  | 'connect-timeout'
  | 'too-many-files'
  | 'reset'
  | 'timeout'
  | 'cut'
  | 'malformed'
  | 'too-large';

interface WireFailureOptions {
  readonly sent: boolean;
  readonly requestId?: string | undefined;
  readonly isStale?: boolean | undefined;
  readonly cause?: unknown;
}

/** The exchange broke on the wire. `sent` tells whether the service may have received the request. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure';
  readonly kind: FailureKind;
  /** `false` only when it is certain that the service got nothing. */
  readonly sent: boolean;
  /** The service's own number for the request, where the head of an answer came. */
  readonly requestId: string | undefined;
  /** The connection had carried an answer before, and ended without one to this: the service may have given it up. */
  readonly isStale: boolean;

  constructor(kind: FailureKind, sentence: string, options: WireFailureOptions) {
    super(sentence, { cause: options.cause });
    this.kind = kind;
    this.sent = options.sent;
    this.requestId = options.requestId;
    this.isStale = options.isStale === true;
  }
}

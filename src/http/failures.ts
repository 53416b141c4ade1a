/**
 * Why no (whole) answer came.
 * `refused dns tls proxy proxy-refused connect-timeout` happen before a byte of the request left; `reset timeout cut` after.
 * `proxy-refused` is what another try through the same proxy would meet again.
 */
export type FailureKind =
  | 'refused'
  | 'dns'
  | 'tls'
  | 'proxy'
  | 'proxy-refused'
  | 'connect-timeout'
  | 'reset'
  | 'timeout'
  | 'cut'
  | 'malformed'
  | 'too-large';

/** The exchange broke on the wire. `sent` tells whether the service may have received the request. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure';
  readonly kind: FailureKind;
  /** `false` only when it is certain that the service got nothing. */
  readonly sent: boolean;
  /** The service's own number for the request, where the head of an answer came. */
  readonly requestId: string | undefined;

  constructor(
    kind: FailureKind,
    sentence: string,
    options: { readonly sent: boolean; readonly requestId?: string | undefined; readonly cause?: unknown },
  ) {
    super(sentence, { cause: options.cause });
    this.kind = kind;
    this.sent = options.sent;
    this.requestId = options.requestId;
  }
}

/**
 * Why there is no complete answer.
 * `refused dns tls proxy proxy-refused connect-timeout too-many-files` happen before a byte of the request is sent;
 * `reset timeout cut` after. `proxy-refused` would happen again through the same proxy.
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

/** The exchange broke on the wire. `sent` says whether the service may have received the request. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure';
  readonly kind: FailureKind;
  /** `false` only if the service certainly received nothing. */
  readonly sent: boolean;
  /** The service's id of the request, if the head of an answer was received. */
  readonly requestId: string | undefined;

  constructor(
    kind: FailureKind,
    sentence: string,
    options: Pick<WireFailure, 'sent' | 'cause'> & { readonly requestId?: string | undefined },
  ) {
    super(sentence, { cause: options.cause });
    this.kind = kind;
    this.sent = options.sent;
    this.requestId = options.requestId;
  }
}

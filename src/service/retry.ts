import { parseHttpDate } from '../model/dates.ts';

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

/**
 * How often a request may be sent.
 *
 * - `read`: any number of times.
 * - `keyed`: a create with an idempotency key; like `read`, and while the first attempt is in progress.
 * - `delete`: like `read`; a 404 after an attempt that may have been carried out counts as done.
 * - `patch`, `once`: only if the service certainly did not carry it out.
 */
export type Safety = 'read' | 'keyed' | 'delete' | 'patch' | 'once';

/** The result of an attempt that was not a success. */
export type Mishap =
  | { readonly kind: 'failure'; readonly failure: WireFailure }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfterMs: number | undefined;
      /** The service says that a request with the same idempotency key is in progress. */
      readonly inProgress: boolean;
    }
  /** A success that cannot be read or does not match the contract: it may come from a gateway. */
  | { readonly kind: 'unconfirmed' };

/** What is known of the attempts so far. */
export interface Past {
  /** One may have been carried out. */
  readonly inDoubt: boolean;
  /**
   * One was answered with 503: nothing was carried out. But proxies send that too, for a service that broke off in the
   * middle, so that a later refusal may be caused by it.
   */
  readonly suspect: boolean;
  /** An answer said that a request with the same idempotency key is in progress: the service honours keys. */
  readonly honoursKey: boolean;
}

const passing = new Set([408, 429, 500, 502, 503, 504]);

/** The maximum of RFC 9111 (1.2.2): 68 years. */
const MOST_SECONDS = 2 ** 31;

const lasting = new Set(['tls', 'proxy-refused', 'malformed', 'too-large']);

/** How services answer a request that was carried out before. */
const conflicting = new Set([404, 409, 410, 412, 422]);

/** Whether a request with this answer may succeed a moment later. */
export function isPassing(status: number): boolean {
  return passing.has(status);
}

/** Whether another attempt cannot help. */
export function isLasting({ kind }: WireFailure): boolean {
  return lasting.has(kind);
}

/** Whether the request may be sent again after this mishap. */
export function mayRetry(safety: Safety, mishap: Mishap): boolean {
  if (mishap.kind === 'failure') {
    // Invalid HTTP may come from a proxy that is shutting down; repeating a read is harmless.
    if (isLasting(mishap.failure)) return safety === 'read' && mishap.failure.kind === 'malformed';
    return isRepeatable(safety) || !mishap.failure.sent;
  }
  if (mishap.kind === 'unconfirmed') return isRepeatable(safety);
  if (mishap.inProgress) return safety === 'keyed';
  if (isRepeatable(safety)) return passing.has(mishap.status);
  return !mayHaveHappened(mishap) && passing.has(mishap.status);
}

/** Whether the service may have carried out the request although there was no success. */
export function mayHaveHappened(mishap: Mishap): boolean {
  if (mishap.kind === 'failure') return mishap.failure.sent;
  // 303 redirects to the result of the request; other redirects come instead of it.
  if (mishap.kind === 'unconfirmed' || mishap.inProgress || mishap.status === 303) return true;
  // 507: there was no space to carry it out (RFC 4918, 11.5).
  if (mishap.status === 429 || mishap.status === 507) return false;
  if (mishap.status === 503) return mishap.retryAfterMs === undefined;
  return mishap.status >= 500 || mishap.status === 408;
}

/** Whether an earlier attempt may have been carried out, judged by the mishap of a later one. */
export function mayBeDone({ inDoubt, suspect }: Past, mishap: Mishap): boolean {
  return inDoubt || (suspect && mishap.kind === 'answer' && conflicting.has(mishap.status));
}

/** What is known after one more attempt. */
export function pastAfter(past: Past, mishap: Mishap): Past {
  const isAnswer = mishap.kind === 'answer';
  return {
    inDoubt: mayBeDone(past, mishap) || mayHaveHappened(mishap),
    suspect: past.suspect || (isAnswer && mishap.status === 503),
    honoursKey: past.honoursKey || (isAnswer && mishap.inProgress),
  };
}

/**
 * Milliseconds to wait before the next attempt.
 *
 * @param attempt attempts already made, from 1.
 * @param retryAfterMs what the service asks for, which wins; `undefined` if nothing.
 * @param random uniform in [0, 1): full jitter up to 0.5 s, 1 s, 2 s, ... 20 s.
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  return random * Math.min(20_000, 500 * 2 ** (attempt - 1));
}

/**
 * What `Retry-After` asks for, in milliseconds from now; `undefined` if absent or unreadable. A date is compared with the `Date` of the answer, so that a wrong clock on this machine does not matter.
 *
 * @param headers names in lower case.
 * @param now milliseconds since the epoch, for an answer without a `Date`.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after'] ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Math.min(Number(value), MOST_SECONDS) * 1000);
  const until = parseHttpDate(value);
  const sent = parseHttpDate(headers['date'] ?? '') ?? now;
  return until === undefined ? undefined : Math.max(0, until - sent);
}

function isRepeatable(safety: Safety): boolean {
  return safety === 'read' || safety === 'keyed' || safety === 'delete';
}

/** Statuses that gateways send. */
const ofGateways: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether a status is a failure reported by the service itself: services that store answers repeat it. */
export function isOfService(status: number | undefined): boolean {
  return status !== undefined && status >= 500 && !ofGateways.has(status);
}

import { parseHttpDate } from '../model/dates.ts';
import type { WireFailure } from './failures.ts';

/**
 * How often a request may be sent.
 *
 * - `read`: as often as wanted.
 * - `keyed`: a create that carries an idempotency key; like `read`, and while the first try is in progress.
 * - `delete`: like `read`; a 404 after a try that may have been carried out counts as done.
 * - `patch`, `once`: only when it is certain that the service did not carry it out.
 */
export type Safety = 'read' | 'keyed' | 'delete' | 'patch' | 'once';

/** How one try ended when it was not a success. */
export type Mishap =
  | { readonly kind: 'failure'; readonly failure: WireFailure }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfterMs: number | undefined;
      /** The service says that a request with the same idempotency key is still being worked on. */
      readonly inProgress: boolean;
    }
  /** A success that cannot be read or does not match the contract: a gateway may have answered in place of the service. */
  | { readonly kind: 'unconfirmed' };

/** What is known of the tries that were made. */
export interface Past {
  /** One may have been carried out. */
  readonly inDoubt: boolean;
  /** One is suspect, see `isSuspect`. */
  readonly suspect: boolean;
  /** An answer said that a request with the same idempotency key is in progress: the service honours keys. */
  readonly honoursKey: boolean;
}

const passing = new Set([408, 429, 500, 502, 503, 504]);

/** What RFC 9111 (1.2.2) makes of more seconds than can be held: 68 years. */
const MOST_SECONDS = 2 ** 31;

const lasting = new Set(['tls', 'proxy-refused', 'malformed', 'too-large']);

/** What a request that was carried out already gets when it is sent again. */
const conflicting = new Set([404, 409, 410, 412, 422]);

/** Whether an answer with this status may be another one a moment later. */
export function isPassing(status: number): boolean {
  return passing.has(status);
}

/** Whether another try cannot help. */
export function isLasting({ kind }: WireFailure): boolean {
  return lasting.has(kind);
}

/** Whether the same request may be sent once more after this mishap. */
export function mayRetry(safety: Safety, mishap: Mishap): boolean {
  if (mishap.kind === 'failure') {
    // What broke HTTP once may be a proxy that is going away; a read costs nothing.
    if (isLasting(mishap.failure)) return safety === 'read' && mishap.failure.kind === 'malformed';
    return isRepeatable(safety) || !mishap.failure.sent;
  }
  if (mishap.kind === 'unconfirmed') return isRepeatable(safety);
  if (mishap.inProgress) return safety === 'keyed';
  if (isRepeatable(safety)) return passing.has(mishap.status);
  return !mayHaveHappened(mishap) && passing.has(mishap.status);
}

/** Whether the service may have carried the request out although no success was seen. */
export function mayHaveHappened(mishap: Mishap): boolean {
  if (mishap.kind === 'failure') return mishap.failure.sent;
  if (mishap.kind === 'unconfirmed') return true;
  if (mishap.inProgress) return true;
  if (mishap.status === 429) return false;
  if (mishap.status === 503) return mishap.retryAfterMs === undefined;
  // 303 sends a client on to the result of what it asked for; other redirects come instead of it.
  if (mishap.status === 303) return true;
  // There was no room to carry it out (RFC 4918, 11.5).
  if (mishap.status === 507) return false;
  return mishap.status >= 500 || mishap.status === 408;
}

/**
 * Whether a refusal of a later try may be the work of this one. Nothing was carried out, by its own word; proxies say the
 * same of a service that went away in the middle.
 */
export function isSuspect(mishap: Mishap): boolean {
  return mishap.kind === 'answer' && mishap.status === 503;
}

/** Whether a refusal may be one because the same request was carried out before. */
export function mayBeOwnWork(mishap: Mishap): boolean {
  return mishap.kind === 'answer' && conflicting.has(mishap.status);
}

/**
 * Milliseconds to wait before the next try.
 *
 * @param attempt tries already made, from 1.
 * @param retryAfterMs what the service asks for, which wins; `undefined` when it stated none.
 * @param random uniform in [0, 1): full jitter up to 0.5 s, 1 s, 2 s, ... 20 s.
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  return random * Math.min(20_000, 500 * 2 ** (attempt - 1));
}

/**
 * What `Retry-After` asks for, in milliseconds from now; `undefined` when it is absent or unreadable. Of several that
 * were sent the longest counts. A date is read against the answer's own `Date` (the first one), so that a wrong clock
 * here does not matter.
 *
 * @param headers names in lower case.
 * @param now milliseconds since the epoch, used when the answer carries no `Date`.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  if (headers['retry-after'] === undefined) return undefined;
  const sent = sentAt(headers, now);
  const waits = valuesOf(headers['retry-after']).map((value) => waitMs(value, sent));
  return waits.every((wait) => wait !== undefined) ? Math.max(...waits) : undefined;
}

function waitMs(value: string, sent: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Math.min(Number(value), MOST_SECONDS) * 1000);
  const until = parseHttpDate(value);
  return until === undefined ? undefined : Math.max(0, until - sent);
}

function isRepeatable(safety: Safety): boolean {
  return safety === 'read' || safety === 'keyed' || safety === 'delete';
}

/** They come from in front of a service. */
const ofGateways: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether a status is an answer of the service itself, which those that store answers repeat, and no success. */
export function isOfService(status: number | undefined): boolean {
  return isFailure(status) && !ofGateways.has(status);
}

/** Whether a status is a failure, or says that the request was judged and found wrong. */
export function isFailure(status: number | undefined): status is number {
  return status !== undefined && (isRefusal(status) || status >= 500);
}

/** Whether a status says that the request was judged and found wrong, also where an earlier try was left in doubt. */
export function isRefusal(status: number): boolean {
  return status === 400 || status === 422;
}

/**
 * When an answer was sent by its own clock (the first `Date`, whole seconds), in milliseconds since the epoch: dates in it are
 * read against that, so that a wrong clock here does not matter.
 *
 * @param headers names in lower case.
 * @param now counts where the answer carries no `Date`.
 */
function sentAt(headers: Readonly<Record<string, string>>, now: number): number {
  const [date = ''] = valuesOf(headers['date'] ?? '');
  return parseHttpDate(date) ?? now;
}

/** The values of a header that may have been sent more than once; a comma before a day and its month is part of a date. */
function valuesOf(header: string): readonly string[] {
  return header.split(/,(?! *\d\d[ -][A-Z])/).map((value) => value.trim());
}

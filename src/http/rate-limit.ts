import { parseHttpDate, sentAt } from './http-date.ts';

/** What an answer says of a limit on requests in a span of time. */
export interface RateLimit {
  /** So many further requests are taken before the span ends, from 0. */
  readonly remaining: number;
  /** Milliseconds from the answer to the end of the span: more than 0, at most 60,000. */
  readonly waitMs: number;
  /** The span is said to end later than that. */
  readonly isCut: boolean;
}

/** Limits are by the second and by the minute: nobody waits longer for one, and no span is longer than a day. */
const LONGEST_MS = 60_000;
const NONSENSE_MS = 86_400_000;

/** A smaller number is one of seconds from now; these are since the epoch, from 2001 on as seconds, from 1973 on as milliseconds. */
const LEAST_EPOCH_SECONDS = 1e9;
const LEAST_EPOCH_MS = 1e11;

/** `X-Rate-Limit-*` is what the public service sends (AspNetCoreRateLimit), `RateLimit-*` a draft of the IETF. */
const spellings = ['x-rate-limit', 'x-ratelimit', 'ratelimit'].map((name) => ({
  remaining: `${name}-remaining`,
  reset: `${name}-reset`,
}));

/**
 * What `X-Rate-Limit-Remaining` and `-Reset` say, in any of their spellings; `undefined` where either is missing, is nonsense,
 * or the span is over. The reset may be an ISO or an HTTP date, seconds from now, or seconds or milliseconds since the epoch.
 * What is a moment is read against the answer's own `Date`.
 *
 * @param headers names in lower case.
 * @param now milliseconds since the epoch, used when the answer carries no `Date`.
 */
export function rateLimitIn(headers: Readonly<Record<string, string>>, now: number): RateLimit | undefined {
  for (const { remaining: left, reset } of spellings) {
    const remaining = headers[left]?.trim() ?? '';
    if (!/^\d{1,15}$/.test(remaining)) continue;
    const waitMs = waitUntil(headers[reset]?.trim() ?? '', () => sentAt(headers, now));
    if (waitMs === undefined || waitMs <= 0 || waitMs > NONSENSE_MS) continue;
    const isCut = waitMs > LONGEST_MS;
    return { remaining: Number(remaining), waitMs: Math.min(waitMs, LONGEST_MS), isCut };
  }
  return undefined;
}

/** Milliseconds; `undefined` where nobody can tell. */
function waitUntil(reset: string, sent: () => number): number | undefined {
  if (!/^\d{1,15}(\.\d{1,15})?$/.test(reset)) {
    const moment = momentOf(reset);
    return moment && moment - sent();
  }
  const number = Number(reset);
  if (number >= LEAST_EPOCH_MS) return number - sent();
  return Math.ceil(number >= LEAST_EPOCH_SECONDS ? number * 1000 - sent() : number * 1000);
}

/** In milliseconds since the epoch. Without a zone an ISO date is UTC. */
function momentOf(text: string): number | undefined {
  const iso = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (iso === null) return parseHttpDate(text);
  const moment = Date.parse(`${iso[1]}${iso[2] ?? 'Z'}`);
  return Number.isNaN(moment) ? undefined : moment;
}

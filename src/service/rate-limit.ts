import { parseHttpDate } from '../model/dates.ts';
import { sentAt } from './retry.ts';

/**
 * How many tries one host will take before it refuses them, by what its answers say of its limit. A limit counts what reaches
 * the host within a span of time. Times are milliseconds of one clock, which is not set back.
 */
export interface Allowance {
  /** Whether one more may begin, as far as is known; where it may not, an answer or `holdMs` changes that. */
  mayBegin(now: number): boolean;
  /**
   * A try begins.
   *
   * @returns what is to be told how it ended, once: the limit that its answer names, `none` where a success names none;
   *   `undefined` where nothing can be concluded.
   */
  began(now: number): (limit: RateLimit | 'none' | undefined, now: number) => void;
  /** Milliseconds from now for which nothing may begin. */
  holdMs(now: number): number;
}

/** A try that is under way, with what the answers that came meanwhile had left; -1 where they did not say. */
interface UnderWay {
  readonly meanwhile: number[];
}

/** Opens the books. */
export function createAllowance(): Allowance {
  const underWay = new Set<UnderWay>();
  /** Tries that may certainly begin now. */
  let left = Number.POSITIVE_INFINITY;
  /** Those that may certainly begin once the span is over. */
  let fresh = Number.NEGATIVE_INFINITY;
  let endsAt = 0;
  /** The most that any answer had left: a span takes one more. */
  let most = 0;
  let isCut = false;
  let wasCutInVain = false;

  const turnOver = (now: number) => {
    if (now < endsAt || left > 0 || fresh === Number.NEGATIVE_INFINITY) return;
    wasCutInVain = isCut;
    left = Math.max(left, fresh);
    fresh = Number.NEGATIVE_INFINITY;
  };
  const learn = (
    { remaining, waitMs, isCut: isFar }: RateLimit,
    meanwhile: readonly number[],
    now: number,
  ) => {
    most = Math.max(most, remaining);
    // What is under way may be counted already or not. So may what was answered meanwhile, unless that had more left.
    const counted = meanwhile.filter((other) => other > remaining).length;
    const sure = remaining - underWay.size - (meanwhile.length - counted);
    // Somebody else makes requests as well where fewer are left than nobody but this run would have left.
    left = left > remaining ? sure : Math.max(left, sure);
    const next = most + 1 - underWay.size - meanwhile.length;
    const isSooner = next === fresh && now + waitMs < endsAt;
    if (next <= fresh && !isSooner) return;
    fresh = next;
    endsAt = now + waitMs;
    isCut = isFar;
  };
  return {
    mayBegin(now) {
      turnOver(now);
      return left > 0 || now < endsAt || underWay.size === 0;
    },
    began(now) {
      turnOver(now);
      left -= 1;
      fresh -= 1;
      const own: UnderWay = { meanwhile: [] };
      underWay.add(own);
      return (limit, later) => {
        if (!underWay.delete(own)) return;
        const told = limit === undefined || limit === 'none' ? undefined : limit;
        for (const { meanwhile } of underWay) meanwhile.push(told?.remaining ?? -1);
        turnOver(later);
        // Whoever has none left after a minute without a request, and takes one, always says so.
        const isVain = told?.isCut === true && told.remaining === 0 && wasCutInVain;
        if (told !== undefined && !isVain) learn(told, own.meanwhile, later);
        else if (limit !== undefined && later >= endsAt) left = Number.POSITIVE_INFINITY;
      };
    },
    holdMs: (now) => (left > 0 ? 0 : Math.max(0, endsAt - now)),
  };
}

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

import type { RateLimit } from './rate-limit.ts';

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

/** How fast a run wants to go. */
export interface Pacing {
  /** So many tries at a time at most, from 1. */
  readonly concurrency: number;
  /** So many tries may start in a second at most. */
  readonly maxRps?: number | undefined;
  /** Aborted when nothing may be written any more: a write that waits is then rejected with the reason. */
  readonly stop?: AbortSignal | undefined;
}

/** What a run's wishes and the service's answers make of each other. */
export interface Pace {
  /** So many tries may be under way now. */
  readonly limit: number;
  /** Milliseconds between the starts of two tries. */
  readonly spacingMs: number;
  readonly stop: AbortSignal | undefined;
  /** A try starts. @returns what it tells when its answer is there. */
  started(): (status: number) => void;
  /** Whether the run may afford one more retry, which is then counted. */
  mayRetry(): boolean;
}

/** Retries that a run may make in any case, and for each try that it starts. */
const RETRIES = 50;
const RETRIES_PER_TRY = 0.2;

/** So many answers for each try at a time, until there may be one more. */
const RECOVERY = 20;

/**
 * A pace that halves when the service throttles, and recovers slowly.
 * Tries that were under way when it was halved do not halve it again.
 */
export function createPace({ concurrency, maxRps, stop }: Pacing): Pace {
  let limit = concurrency;
  let halvings = 0;
  let answered = 0;
  let tries = 0;
  let retries = 0;
  const throttled = () => {
    limit = Math.max(1, Math.floor(limit / 2));
    halvings += 1;
    answered = 0;
  };
  const served = () => {
    answered += 1;
    if (answered < RECOVERY * limit) return;
    limit = Math.min(concurrency, limit + 1);
    answered = 0;
  };
  return {
    get limit() {
      return limit;
    },
    spacingMs: maxRps === undefined ? 0 : 1000 / maxRps,
    stop,
    started() {
      tries += 1;
      const since = halvings;
      return (status) => {
        if (status === 429 && since === halvings) throttled();
        if (status < 500 && status !== 429) served();
      };
    },
    mayRetry() {
      if (retries >= RETRIES + RETRIES_PER_TRY * tries) return false;
      retries += 1;
      return true;
    },
  };
}

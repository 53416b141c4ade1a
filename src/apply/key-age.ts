/** Services forget a key after a day; a request must not be under way when they do. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** So many runs one after the other are answered by a failure before a key is believed to stand for it. */
const RUNS_FAILED = 2;

/** What tells whether an idempotency key is of use still. */
export interface KeyAge {
  /** When it was first sent, milliseconds since the epoch. */
  readonly since: number;
  /** It is known that it created something. */
  readonly isSpent: boolean;
  /** The service answered that it created nothing; it may repeat that answer as long as it knows the key. */
  readonly isRefused?: boolean | undefined;
  /** So many runs one after the other ended with a failure that the service itself answered. */
  readonly failures?: number | undefined;
}

/**
 * Whether a key still stands for the creation that it was first sent with: the service knows it, and nothing came of it
 * for certain. One that seems to come from the future, because the clock was set back, is no worse than a fresh one.
 *
 * @param now milliseconds since the epoch.
 */
export function isUsable({ since, isSpent, isRefused }: KeyAge, now: number): boolean {
  return !isSpent && isRefused !== true && now - since < KEY_LIFE_MS;
}

/**
 * Whether the service stores the failure that it answered under a key, and repeats it for as long as it knows the key.
 * Once is not enough: it may have carried the first request out, and a repetition brings the answer to that.
 */
export function isFailing({ failures = 0 }: KeyAge): boolean {
  return failures >= RUNS_FAILED;
}

/** What comes from in front of a service says nothing about the key. */
const ofGateways = new Set([502, 503, 504]);

/** Whether a status is a failure of the service itself, which those that store answers store as well. */
export function isOfService(status: number | undefined): boolean {
  return status !== undefined && (isRefusal(status) || (status >= 500 && !ofGateways.has(status)));
}

/** Whether a status says that the request was judged and found wrong, also where an earlier try was left in doubt. */
export function isRefusal(status: number): boolean {
  return status === 400 || status === 422;
}

import { setMaxListeners } from 'node:events';
import { CliError, type CliErrorOptions } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Clock, Ending } from '../cli/ports.ts';
import { type Budget, OPERATION_MS } from './budget.ts';
import { tryLater } from './refusal.ts';
import type { Safety } from './retry.ts';

/** The way of one operation through the gate, try by try. */
export interface Passage {
  /**
   * Returns when a try may start; it must leave. First come, first served, host by host.
   *
   * @throws the reason of whatever ended the waiting: the budget, an interruption, the stop of the run.
   * @throws {CliError} exit 7, saying when, where the service asks for a longer pause than there is time for.
   */
  enter(): Promise<void>;
  /** The answer to the try: a pause that it asks for holds everybody. */
  saw(answer: Seen): void;
  /** Makes room for the next try; does nothing outside. */
  leave(): void;
  /** Waits between two tries. @throws the reason of whatever ended the waiting. */
  pause(ms: number): Promise<void>;
}

/** The one gate that every try of a run passes. It is open until a pace is set. */
export interface Gate {
  /** Time limit of an operation from its first try on, milliseconds, where nothing else limits it. */
  readonly operationMs: number;
  /** How many pages may be prefetched: none where tries are spaced, or once the service throttled. */
  readonly ahead: number;
  passage(request: Passing, budget: Budget): Passage;
  /** Counts one more retry against the run's quota; false when the quota is used up. */
  mayRetry(): boolean;
  /** Sets the pace from now on. */
  pace(pacing: Pacing): void;
}

/** What the gate reads of an answer. */
interface Seen extends Answered {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
}

/** What the gate knows of an operation. */
interface Passing {
  readonly safety: Safety;
  /** What it does, as the end of `Could not ...`. */
  readonly does: string;
}

/** Time for one operation of a run, which may be held by the answers to others. */
const PACED_OPERATION_MS = 900_000;

/** Reads of one list at a time, besides the one that is waited for. */
const READS_AHEAD = 3;

/** A timer may fire this much too early. */
const EARLY_MS = 1;

/** Opens a gate. */
export function createGate(clock: Clock): Gate {
  let pace: Pace | undefined;
  let underWay = 0;
  let isThrottled = false;
  const queue = createQueue(clock, () => pace === undefined || underWay < pace.limit);
  const atOnce = Promise.resolve();
  return {
    get operationMs() {
      return pace === undefined ? OPERATION_MS : PACED_OPERATION_MS;
    },
    get ahead() {
      if (isThrottled || (pace !== undefined && pace.spacingMs > 0)) return 0;
      return Math.min(READS_AHEAD, (pace?.limit ?? Infinity) - 1);
    },
    mayRetry: () => pace?.mayRetry() ?? true,
    pace(pacing) {
      pace = createPace(pacing);
      // As many may wait for it as there are workers: Node warns of more than ten.
      if (pacing.stop !== undefined) setMaxListeners(0, pacing.stop);
    },
    passage(request, budget) {
      const signals = () => [budget.signal, ...(request.safety === 'read' ? [] : stopOf(pace))];
      let inside: Started | undefined;
      let answered: Answered = {};
      const start = () => {
        underWay += 1;
        queue.hold(pace?.spacingMs ?? 0);
        inside = { tell: pace?.started() };
      };
      const refusal = (waitMs: number) =>
        budget.allows(waitMs) ? undefined : tooLong(request, waitMs, answered, clock);
      return {
        enter() {
          if (pace !== undefined) return queue.join({ start, refusal, signals: signals() });
          start();
          return atOnce;
        },
        saw({ status, requestId, retryAfterMs }) {
          answered = { status, requestId };
          inside?.tell?.(status);
          const isPause = (status === 429 || status === 503) && retryAfterMs !== undefined;
          isThrottled ||= status === 429 || isPause;
          if (isPause) queue.hold(retryAfterMs + EARLY_MS);
        },
        leave() {
          if (inside === undefined) return;
          inside = undefined;
          underWay -= 1;
          queue.admit();
        },
        pause: (ms) => sleepUnlessEnded(ms, signals(), clock),
      };
    },
  };
}

/** A try that has started. */
interface Started {
  /** Reports the status of its answer to the pace, where there is one. */
  readonly tell: ((status: number) => void) | undefined;
}

/** Not `AbortSignal.any`: its signal lives as long as the stop of the run, and a run may retry a million times. */
async function sleepUnlessEnded(ms: number, signals: readonly Ending[], clock: Clock): Promise<void> {
  const over = new AbortController();
  const follow = () => over.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener('abort', follow);
  if (signals.some(({ aborted }) => aborted)) follow();
  try {
    await clock.sleep(ms, over.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', follow);
  }
}

/** The stop cancels writes only: reads settle earlier writes. */
function stopOf(pace: Pace | undefined): readonly Ending[] {
  return pace?.stop === undefined ? [] : [pace.stop];
}

/** The last answer to an operation; empty where there was none. */
type Answered = Pick<CliErrorOptions, 'status' | 'requestId'>;

function tooLong({ does }: Passing, waitMs: number, answered: Answered, clock: Clock): CliError {
  const sentence = `Could not ${does}: requests are held back, as the service or --max-rps asks.`;
  const error = new CliError('rate_limited', sentence, { ...answered, exitCode: ExitCode.unavailable });
  return tryLater(error, waitMs, clock, ', later than there is time for');
}

/** A try that waits for its turn. */
export interface Waiter {
  /** Called at its turn. */
  readonly start: () => void;
  /** Each cancels the wait with its reason. */
  readonly signals: readonly Ending[];
  /** The error instead of a wait of so many milliseconds; `undefined`: it waits. */
  readonly refusal: (waitMs: number) => Error | undefined;
}

/** Waiting tries in order of arrival (FIFO), which may be held for a while. */
export interface Queue {
  /** Resolves when the waiter was started. @throws the reason of a signal, or the waiter's refusal. */
  join(waiter: Waiter): Promise<void>;
  /** Starts waiters while there is room. */
  admit(): void;
  /** Holds all waiters for so many milliseconds from now, unless they are held for longer already. */
  hold(ms: number): void;
  /** Milliseconds, never earlier than before. */
  time(): number;
}

interface Place extends Waiter {
  readonly leave: (cause: unknown) => void;
}

/**
 * Opens a queue. What was slept through is over, though a timer came a little early.
 *
 * @param hasRoom whether one more may be started.
 */
function createQueue(clock: Clock, hasRoom: () => boolean): Queue {
  let places: readonly Place[] = [];
  let slept = 0;
  let opensAt = 0;
  let alarm: AbortController | undefined;
  const time = () => Math.max(clock.monotonic(), slept);
  const atOnce = Promise.resolve();

  const admit = () => {
    while (hasRoom()) {
      const [first] = places;
      if (first === undefined) return;
      if (opensAt > time()) return void sleepUntilOpen();
      first.start();
    }
  };
  const sleepUntilOpen = async () => {
    if (alarm !== undefined) return;
    alarm = new AbortController();
    const { signal } = alarm;
    const until = opensAt;
    try {
      await clock.sleep(until - time(), signal);
      slept = Math.max(slept, until);
    } catch (cause) {
      if (!signal.aborted) for (const place of places) place.leave(cause);
    }
    alarm = undefined;
    admit();
  };
  const vacate = (place: Place) => {
    places = places.filter((each) => each !== place);
    // A sleep without waiters would keep the process from ending.
    if (places.length === 0) alarm?.abort();
  };
  return {
    admit,
    time,
    join(waiter) {
      const isFree = places.length === 0 && hasRoom() && opensAt <= time();
      if (isFree && !waiter.signals.some(({ aborted }) => aborted)) {
        waiter.start();
        return atOnce;
      }
      return new Promise((resolve, reject) => {
        const place = placeOf(waiter, { resolve, reject, vacate });
        places = [...places, place];
        rejectUnlessWaiting(place, opensAt - time());
        admit();
      });
    },
    hold(ms) {
      opensAt = Math.max(opensAt, time() + ms);
      for (const place of places) rejectUnlessWaiting(place, opensAt - time());
    },
  };
}

function placeOf(
  waiter: Waiter,
  ends: {
    readonly resolve: () => void;
    readonly reject: (cause: unknown) => void;
    readonly vacate: (place: Place) => void;
  },
): Place {
  const leaving = (then: () => void) => {
    for (const [signal, listener] of listeners) signal.removeEventListener('abort', listener);
    ends.vacate(place);
    then();
  };
  const place: Place = {
    ...waiter,
    start: () =>
      leaving(() => {
        waiter.start();
        ends.resolve();
      }),
    leave: (cause) => leaving(() => ends.reject(cause)),
  };
  const listeners = waiter.signals.map((signal) => [signal, () => place.leave(signal.reason)] as const);
  for (const [signal, listener] of listeners) signal.addEventListener('abort', listener);
  return place;
}

/** Rejects a waiter that is cancelled, or that does not wait so long. */
function rejectUnlessWaiting(place: Place, waitMs: number): void {
  const ended = place.signals.find(({ aborted }) => aborted);
  const refusal = waitMs > 0 ? place.refusal(waitMs) : undefined;
  if (ended !== undefined) place.leave(ended.reason);
  else if (refusal !== undefined) place.leave(refusal);
}

/** How fast a run may go. */
export interface Pacing {
  /** Maximum number of tries at a time, from 1. */
  readonly concurrency: number;
  /** Maximum number of tries that start in a second. */
  readonly maxRps?: number | undefined;
  /** Aborted to stop writes: a waiting write is rejected with the reason. */
  readonly stop?: AbortSignal | undefined;
}

/** The pace in force: what the run asks for, adapted to the service's answers. */
interface Pace {
  /** So many tries may be under way now. */
  readonly limit: number;
  /** Milliseconds between the starts of two tries. */
  readonly spacingMs: number;
  readonly stop: AbortSignal | undefined;
  /** A try starts. @returns what it tells when its answer is there. */
  started(): (status: number) => void;
  /** Counts one more retry against the run's quota; false when the quota is used up. */
  mayRetry(): boolean;
}

/** The quota of retries of a run: a base, and a share of its tries. */
const RETRIES = 50;
const RETRIES_PER_TRY = 0.2;

/** Good answers for each open place until the limit grows by one. */
const RECOVERY = 20;

/**
 * A pace that halves when the service throttles, and recovers slowly.
 * Tries that were under way when it was halved do not halve it again.
 */
function createPace({ concurrency, maxRps, stop }: Pacing): Pace {
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

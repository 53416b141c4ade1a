import { setMaxListeners } from 'node:events';
import type PQueue from 'p-queue';
import { CliError, type CliErrorOptions, ExitCode } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import type { ServiceRequest } from './answer.ts';
import { type Budget, OPERATION_MS, onAbort } from './budget.ts';
import { tryLater } from './refusal.ts';

/** The gate that every attempt of a run passes. It is open until a pace is set. */
export type Gate = ReturnType<typeof createGate>;

/** One operation at the gate, attempt by attempt. */
export type Passage = ReturnType<Gate['passage']>;

/** What the gate reads of a response. */
interface Seen {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly requestId?: string | undefined;
}

/** How fast a run may go. */
export interface Pacing {
  /** Maximum number of attempts at a time, from 1. */
  readonly concurrency: number;
  /** Maximum number of attempts that start in a second. */
  readonly maxRps?: number | undefined;
  /** Aborted to stop writes: a waiting write is rejected with the reason. Reads go on, because they settle writes. */
  readonly stop?: AbortSignal | undefined;
}

/** Time limit of an operation of a run, which may be held by the responses to others. */
const PACED_OPERATION_MS = 900_000;

/** A learned rate is this much below what the service took, and not lower than so many attempts a second. */
const SHARE = 0.95;
const LOWEST_RPS = 30;

/** The rate is the least of so many bursts, each up to a 429, after a first one, which other processes may have begun. */
const BURSTS = 2;

/** Seconds after which a learned rate has doubled. It grows slowly at first, because each 429 costs a pause. */
const DOUBLED_S = 40;

/** Prefetched pages of one list. */
const READS_AHEAD = 3;

/** Opens a gate. */
export function createGate(clock: Clock) {
  let pacing: Pacing | undefined;
  let queue: PQueue | undefined;
  let [opensAt, slept] = [0, 0];
  // What was slept through is over, even if the timer was early.
  const time = () => Math.max(clock.monotonic(), slept);
  const spacingMs = () => (pacing?.maxRps === undefined ? 0 : 1000 / pacing.maxRps);
  // When the last pause ended, and what the service took since.
  let [since, taken] = [-Infinity, 0];
  let [bursts, least, rate] = [-1, Infinity, Infinity];
  const secondsSince = () => (time() - since) / 1000;
  /** The learned spacing of attempts. */
  const learnedMs = () => (rate === Infinity ? 0 : 1000 / rate / (1 + (secondsSince() / DOUBLED_S) ** 4));
  const learn = () => {
    bursts += 1;
    if (bursts > 0) least = Math.min(least, taken / Math.max(1, secondsSince()));
    if (bursts > BURSTS) least = 1000 / learnedMs();
    if (bursts >= BURSTS) rate = Math.max(LOWEST_RPS, SHARE * least);
    [since, taken] = [opensAt, 0];
  };
  /** Starts nothing for so many milliseconds from now. */
  const hold = (ms: number) => {
    opensAt = Math.max(opensAt, time() + ms);
  };

  return {
    /** Time limit of an operation from its first attempt on, milliseconds, where nothing else limits it. */
    get operationMs(): number {
      return pacing === undefined ? OPERATION_MS : PACED_OPERATION_MS;
    },
    /** How many pages may be prefetched: none where attempts are spaced. */
    get ahead(): number {
      return spacingMs() > 0 ? 0 : Math.min(READS_AHEAD, (pacing?.concurrency ?? Infinity) - 1);
    },
    /** Sets the pace from now on. */
    async pace(wanted: Pacing): Promise<void> {
      const { default: Queue } = await import('p-queue');
      queue ??= new Queue();
      queue.concurrency = wanted.concurrency;
      pacing = wanted;
      // As many listen to it as there are workers: Node warns of more than ten.
      if (wanted.stop !== undefined) setMaxListeners(0, wanted.stop);
    },
    /** @param request `does` completes `Could not ...`. */
    passage({ safety, does }: Pick<ServiceRequest, 'safety' | 'does'>, budget: Budget) {
      let leave = () => {};
      let last: CliErrorOptions = {};
      let entered = 0;
      const unlessStopped = (work: (signal: AbortSignal) => Promise<void>) =>
        withEither(budget.signal, safety === 'read' ? undefined : pacing?.stop, work);
      return {
        /**
         * Returns when an attempt may start; it must leave. First in, first out.
         *
         * @throws the reason of the signal that cancels the wait: the budget's, or the stop of the run.
         * @throws {CliError} exit 7, saying when the next attempt is due, if that is later than the budget allows.
         */
        async enter(): Promise<void> {
          const places = queue;
          if (places === undefined) return;
          await unlessStopped(async (signal) => {
            leave = await takePlace(places, signal);
            try {
              for (let waitMs = opensAt - time(); waitMs > 0; waitMs = opensAt - time()) {
                if (!budget.allows(waitMs)) throw tooLong(does, waitMs, last, clock);
                const until = opensAt;
                await clock.sleep(waitMs, signal);
                slept = Math.max(slept, until);
              }
            } catch (cause) {
              leave();
              throw cause;
            }
            entered = time();
            // A timer that is late does not slow the pace.
            opensAt = Math.max(opensAt, entered - learnedMs()) + learnedMs();
            hold(spacingMs());
          });
        },
        /** Reports the response to the attempt: a pause that it asks for holds all operations. */
        saw({ status, requestId, retryAfterMs }: Seen): void {
          last = { status, requestId };
          const isHeld = (status === 429 || status === 503) && retryAfterMs !== undefined;
          if (isHeld) hold(retryAfterMs);
          // What started before the last pause tells of the same refusal.
          if (entered < since) return;
          if (status === 429 && isHeld) learn();
          else taken += 1;
        },
        /** Makes room for the next attempt; does nothing outside. */
        leave: (): void => leave(),
        /** Waits between two attempts. @throws the reason of the signal that cancels the wait. */
        pause: (ms: number): Promise<void> => unlessStopped((signal) => clock.sleep(ms, signal)),
      };
    },
  };
}

/** Waits for a place in the queue. @returns what leaves it. */
function takePlace(queue: PQueue, signal: AbortSignal): Promise<() => void> {
  return new Promise((resolve, reject) => {
    queue.add(() => new Promise<void>(resolve), { signal }).catch(reject);
  });
}

/** Not `AbortSignal.any`: its signal lives as long as the stop of the run, and a run may retry a million times. */
async function withEither(
  one: AbortSignal,
  other: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const unlisten = [one, other ?? one].map((each) => onAbort(each, () => over.abort(each.reason)));
  try {
    await work(over.signal);
  } finally {
    for (const remove of unlisten) remove();
  }
}

/** @param last the last response to the operation, if any. */
function tooLong(does: string, waitMs: number, last: CliErrorOptions, clock: Clock): CliError {
  const sentence = `Could not ${does}: requests are held back, as the service or --max-rps asks.`;
  const error = new CliError('rate_limited', sentence, { ...last, exitCode: ExitCode.unavailable });
  return tryLater(error, waitMs, clock, true);
}

import { setMaxListeners } from 'node:events';
import type PQueue from 'p-queue';
import { CliError, type CliErrorOptions } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Clock } from '../cli/ports.ts';
import { type Budget, OPERATION_MS, onAbort } from './budget.ts';
import { tryLater } from './refusal.ts';
import type { ServiceRequest } from './send.ts';

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

/** Prefetched pages of one list. */
const READS_AHEAD = 3;

/** A timer may fire this much too early. */
const EARLY_MS = 1;

/** The quota of retries of a run: a base, and a share of its attempts. */
const RETRIES = 50;
const RETRIES_PER_ATTEMPT = 0.2;

/** Good responses for each open place until the limit grows by one. */
const RECOVERY = 20;

/** Opens a gate. A 429 halves the number of attempts at a time; it recovers slowly. */
export function createGate(clock: Clock) {
  let pacing: Pacing | undefined;
  let queue: PQueue | undefined;
  let limit = Number.POSITIVE_INFINITY;
  let [halvings, served, attempts, retries] = [0, 0, 0, 0];
  let isThrottled = false;
  let [opensAt, slept] = [0, 0];
  let alarm: AbortController | undefined;
  /** Each checks again whether its attempt has time for the pause. */
  const waiting = new Set<() => void>();
  // What was slept through is over, even if the timer was early.
  const time = () => Math.max(clock.monotonic(), slept);
  const spacingMs = () => (pacing?.maxRps === undefined ? 0 : 1000 / pacing.maxRps);

  /** Starts nothing for so many milliseconds from now. */
  const hold = (ms: number) => {
    if (ms === 0) return;
    opensAt = Math.max(opensAt, time() + ms);
    queue?.pause();
    for (const check of waiting) check();
    reopen();
  };

  /** Starts the queue again when the pause is over. Sleeps only while an attempt waits. */
  const reopen = () => {
    const until = opensAt;
    if (until <= time()) return void queue?.start();
    if (alarm !== undefined || waiting.size === 0) return;
    alarm = new AbortController();
    clock.sleep(until - time(), alarm.signal).then(
      () => {
        slept = Math.max(slept, until);
        alarm = undefined;
        reopen();
      },
      () => {},
    );
  };

  /** @param since the halvings before the attempt: attempts that were under way together halve once. */
  const adapt = (status: number, since: number, { concurrency }: Pacing) => {
    if (status === 429 && since === halvings) {
      limit = Math.max(1, Math.floor(limit / 2));
      halvings += 1;
      served = 0;
    } else if (status !== 429 && status < 500) {
      served += 1;
      if (served < RECOVERY * limit) return;
      limit = Math.min(concurrency, limit + 1);
      served = 0;
    }
    if (queue !== undefined) queue.concurrency = limit;
  };

  return {
    /** Time limit of an operation from its first attempt on, milliseconds, where nothing else limits it. */
    get operationMs(): number {
      return pacing === undefined ? OPERATION_MS : PACED_OPERATION_MS;
    },
    /** How many pages may be prefetched: none where attempts are spaced, or once the service throttled. */
    get ahead(): number {
      return isThrottled || spacingMs() > 0 ? 0 : Math.min(READS_AHEAD, limit - 1);
    },
    /** Counts one more retry against the run's quota; false when the quota is used up. */
    mayRetry(): boolean {
      if (pacing === undefined) return true;
      if (retries >= RETRIES + RETRIES_PER_ATTEMPT * attempts) return false;
      retries += 1;
      return true;
    },
    /** Sets the pace from now on. */
    async pace(wanted: Pacing): Promise<void> {
      const { default: Queue } = await import('p-queue');
      queue ??= new Queue();
      queue.concurrency = wanted.concurrency;
      limit = wanted.concurrency;
      pacing = wanted;
      [halvings, served, attempts, retries] = [0, 0, 0, 0];
      // As many listen to it as there are workers: Node warns of more than ten.
      if (wanted.stop !== undefined) setMaxListeners(0, wanted.stop);
    },
    /** @param request `does` completes `Could not ...`. */
    passage({ safety, does }: Pick<ServiceRequest, 'safety' | 'does'>, budget: Budget) {
      let inside: { readonly since: number; readonly leave: () => void } | undefined;
      let last: CliErrorOptions = {};
      const signals = () =>
        safety === 'read' || pacing?.stop === undefined ? [budget.signal] : [budget.signal, pacing.stop];
      /** Called by the queue; the attempt holds its place until it leaves. */
      const start = () =>
        new Promise<void>((leave) => {
          inside = { since: halvings, leave };
          attempts += 1;
          hold(spacingMs());
        });
      return {
        /**
         * Returns when an attempt may start; it must leave. First in, first out.
         *
         * @throws the reason of the signal that cancels the wait: the budget's, or the stop of the run.
         * @throws {CliError} exit 7, saying when the next attempt is due, if that is later than the budget allows.
         */
        async enter(): Promise<void> {
          if (queue === undefined) return;
          const isOpen = queue.size === 0 && queue.pending < limit && !queue.isPaused;
          if (isOpen && !signals().some((end) => end.aborted)) return turnIn(queue, start);
          const wait = new AbortController();
          const check = () => {
            const waitMs = opensAt - time();
            if (waitMs > 0 && !budget.allows(waitMs)) wait.abort(tooLong(does, waitMs, last, clock));
          };
          const unlisten = signals().map((end) => onAbort(end, () => wait.abort(end.reason)));
          waiting.add(check);
          try {
            check();
            reopen();
            await turnIn(queue, start, wait.signal);
          } finally {
            waiting.delete(check);
            for (const remove of unlisten) remove();
            if (waiting.size === 0) {
              alarm?.abort();
              alarm = undefined;
            }
          }
        },
        /** Reports the response to the attempt: a pause that it asks for holds all operations. */
        saw({ status, requestId, retryAfterMs }: Seen): void {
          last = { status, requestId };
          const isPause = (status === 429 || status === 503) && retryAfterMs !== undefined;
          isThrottled ||= status === 429 || isPause;
          if (isPause) hold(retryAfterMs + EARLY_MS);
          if (pacing !== undefined && inside !== undefined) adapt(status, inside.since, pacing);
        },
        /** Makes room for the next attempt; does nothing outside. */
        leave(): void {
          inside?.leave();
          inside = undefined;
        },
        /** Waits between two attempts. @throws the reason of the signal that cancels the wait. */
        pause: (ms: number): Promise<void> => sleepUnlessAborted(ms, signals(), clock),
      };
    },
  };
}

/** Returns once the queue has called `start`. */
function turnIn(queue: PQueue, start: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const started = () => {
      resolve();
      return start();
    };
    queue.add(started, signal && { signal }).catch(reject);
  });
}

/** Not `AbortSignal.any`: its signal lives as long as the stop of the run, and a run may retry a million times. */
async function sleepUnlessAborted(ms: number, signals: readonly AbortSignal[], clock: Clock): Promise<void> {
  const over = new AbortController();
  const unlisten = signals.map((signal) => onAbort(signal, () => over.abort(signal.reason)));
  try {
    await clock.sleep(ms, over.signal);
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

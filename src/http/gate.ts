import { setMaxListeners } from 'node:events';
import type { Clock } from '../context.ts';
import { CliError, type CliErrorOptions } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Ending } from '../transport.ts';
import { type Allowance, createAllowance } from './allowance.ts';
import { type Budget, OPERATION_MS } from './budget.ts';
import { createPace, type Pace, type Pacing } from './pace.ts';
import { createQueue } from './queue.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Safety } from './retry.ts';
import { tryLater } from './verdict.ts';

/** The way of one operation through the gate, try by try. */
export interface Passage {
  /**
   * Returns when a try may start; it must leave. First come, first served, host by host.
   *
   * @throws the reason of whatever ended the waiting: the budget, an interruption, the stop of the run.
   * @throws {CliError} exit 7, saying when, where the service asks for a longer pause than there is time for.
   */
  enter(): Promise<void>;
  /** What the try came to: a pause that the service asks for holds everybody, and so does a limit that is used up. */
  saw(status: number, retryAfterMs: number | undefined, more?: SeenBeside): void;
  /** Makes room for the next try; does nothing outside. */
  leave(): void;
  /** Waits between two tries. @throws the reason of whatever ended the waiting. */
  pause(ms: number): Promise<void>;
}

/** The one gate that every try of a run passes. It lets everything pass until it is told a pace. */
export interface Gate {
  /** Milliseconds that an operation has from its first try on, where nothing else limits it. */
  readonly operationMs: number;
  /** So many reads may be begun before they are needed: none where tries are spaced, or once the service asked for less. */
  readonly ahead: number;
  passage(request: Passing, budget: Budget): Passage;
  /** Whether the run may afford one more retry, which is then counted. */
  mayRetry(): boolean;
  /** Sets the pace from now on. */
  pace(pacing: Pacing): void;
}

/** What an answer says beside its status. */
interface SeenBeside {
  readonly limit?: RateLimit | undefined;
  /** The service's own number for the request. */
  readonly requestId?: string | undefined;
}

/** What the gate knows of an operation. */
interface Passing {
  readonly safety: Safety;
  /** What it does, as the end of `Could not ...`. */
  readonly does: string;
  /** Absolute: each host has a limit of its own. */
  readonly url?: string;
}

/** Time for one operation of many, which may be held up by what the others were told. */
const PACED_OPERATION_MS = 900_000;

/** Reads of one list at a time, besides the one that is waited for. */
const READS_AHEAD = 3;

/** A timer may come so much too early. */
const EARLY_MS = 1;

/** Opens a gate. */
export function createGate(clock: Clock): Gate {
  let pace: Pace | undefined;
  let underWay = 0;
  let isThrottled = false;
  const allowanceOf = createAllowances();
  const queue = createQueue(clock, () => pace === undefined || underWay < pace.limit);
  const atOnce = Promise.resolve();
  /** Holds everybody, other hosts as well: the queue has one door, and no span is heeded for more than a minute. */
  const hold = (allowance: Allowance) => {
    const holdMs = allowance.holdMs(queue.time());
    if (holdMs > 0) queue.shut(holdMs + EARLY_MS);
  };
  const started = (allowance: Allowance): Started => {
    underWay += 1;
    queue.shut(pace?.spacingMs ?? 0);
    if (pace === undefined) return { tell: () => {}, end: () => {} };
    const end = allowance.began(queue.time());
    hold(allowance);
    return {
      tell: pace.started(),
      end: (limit) => {
        end(limit, queue.time());
        hold(allowance);
      },
    };
  };
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
      const allowance = allowanceOf(request.url ?? '');
      let inside: Started | undefined;
      let answered: Answered = {};
      const start = () => {
        inside = started(allowance);
      };
      const mayStart = () => allowance.mayBegin(queue.time());
      const refusal = (waitMs: number) =>
        budget.allows(waitMs) ? undefined : tooLong(request, waitMs, answered, clock);
      return {
        enter() {
          if (pace !== undefined) return queue.join({ start, mayStart, refusal, signals: signals() });
          start();
          return atOnce;
        },
        saw(status, retryAfterMs, { limit, requestId } = {}) {
          answered = { status, requestId };
          inside?.tell(status);
          inside?.end(limit ?? (status < 400 ? 'none' : undefined));
          const isPause = (status === 429 || status === 503) && retryAfterMs !== undefined;
          isThrottled ||= status === 429 || isPause;
          if (isPause) queue.shut(retryAfterMs + EARLY_MS);
        },
        leave() {
          if (inside === undefined) return;
          inside.end(undefined);
          inside = undefined;
          underWay -= 1;
          queue.admit();
        },
        pause: (ms) => sleepUnlessEnded(ms, signals(), clock),
      };
    },
  };
}

/** What is told of a try that has started. */
interface Started {
  readonly tell: (status: number) => void;
  /** The first time counts. */
  readonly end: (limit: RateLimit | 'none' | undefined) => void;
}

/** The allowance of each host. */
function createAllowances(): (url: string) => Allowance {
  const allowances = new Map<string, Allowance>();
  return (url) => {
    const origin = url.split('/', 3).join('/');
    const known = allowances.get(origin) ?? createAllowance();
    allowances.set(origin, known);
    return known;
  };
}

/** Not `AbortSignal.any`: what it makes is kept as long as the stop of the run, and a run may retry a million times. */
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

/** What is read settles what was written before: the stop ends writes alone. */
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

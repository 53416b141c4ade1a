import { Interruption } from '../context.ts';
import { CliError, OutcomeUnknown } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { OPERATION_MS } from '../http/budget.ts';
import type { ServiceRecord } from '../records.ts';

/** What the looking after a write needs of a session. */
export interface SettleOptions {
  /** Rejects with the `Interruption` when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** `Clock.monotonic`. */
  readonly now: () => number;
  /** When the whole command must be over, by the same clock. */
  readonly deadline: number | undefined;
  /** Time for one operation where the command has no limit, milliseconds; 120 s otherwise. */
  readonly operationMs?: () => number;
}

/** What looking at the service needs: an end, by the same clock. */
export interface LookOptions extends SettleOptions {
  readonly deadline: number;
}

/** What was seen last, or why nothing could be seen. */
export type Look<Seen> = { readonly seen: Seen } | { readonly failure: CliError | undefined };

/** What reading back said of a write that the service has taken. */
export type Verification = 'confirmed' | 'not_yet_visible' | 'not_readable';

/** The end of a write that answers nothing. */
export interface ReadBack {
  /** `undefined` where nobody wanted to know, or nothing could tell. */
  readonly verification: Verification | undefined;
  /** Paths that keep it from being confirmed. */
  readonly paths: readonly string[];
  /** The record as it was read, where it was. */
  readonly record?: ServiceRecord | undefined;
  /** Why it could not be read. */
  readonly failure?: CliError | undefined;
  /** What is true where no answer said yes: the beginning of a sentence. */
  readonly presumed?: string | undefined;
}

/** Waits before the looks, milliseconds: what was written may show a little later. */
const LOOKS_MS = [0, 1_000, 3_000];

/** Reading back is a courtesy: it must not keep anybody waiting, milliseconds. */
const READ_BACK_MS = 15_000;

/** The options of a write and of the looks after it, which have one time together. */
export function withDeadline(options: SettleOptions): LookOptions {
  const { operationMs = () => OPERATION_MS } = options;
  return { ...options, deadline: options.deadline ?? options.now() + operationMs() };
}

/** Whether looking can settle an error: a doubt that was interrupted stays one. */
export function isOpenDoubt(error: unknown): error is OutcomeUnknown {
  return error instanceof OutcomeUnknown && error.exitCode === ExitCode.unknown;
}

/**
 * Reads until what is seen is enough, at most three times.
 *
 * @throws {Interruption} when the run is interrupted.
 */
export async function look<Seen>(
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  { sleep, now, deadline }: LookOptions,
): Promise<Look<Seen>> {
  let last: Look<Seen> = { failure: undefined };
  for (const wait of LOOKS_MS) {
    if (now() + wait >= deadline) break;
    await sleep(wait);
    try {
      last = { seen: await read(deadline) };
      if (isEnough(last.seen)) break;
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      // An earlier look is worth more than a failed one; a refusal will not become an answer.
      if (!('seen' in last)) last = { failure: cause };
      if (isRefusal(cause)) break;
    }
  }
  return last;
}

/**
 * Looks after a write that was left without an answer.
 *
 * @returns what was seen last, `undefined` where nothing could be.
 * @throws {OutcomeUnknown} the doubt, with the code of the interruption, when the run is interrupted.
 */
export async function settle<Seen>(
  doubt: OutcomeUnknown,
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  options: LookOptions,
): Promise<Seen | undefined> {
  const found = await look(read, isEnough, options).catch((cause: unknown) => {
    throw cause instanceof Interruption ? doubt.withExitCode(cause.exitCode) : cause;
  });
  return 'seen' in found ? found.seen : undefined;
}

/**
 * Reads back after a write that the service has taken: a courtesy, with a short time of its own.
 *
 * @throws {CliError} `read_back_interrupted`, saying that the write was carried out, when it is interrupted.
 */
export async function lookBack<Seen>(
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  { sleep, now, deadline = Number.POSITIVE_INFINITY }: SettleOptions,
): Promise<Look<Seen>> {
  const latest = Math.min(deadline, now() + READ_BACK_MS);
  return look(read, isEnough, { sleep, now, deadline: latest }).catch((cause: unknown) => {
    if (!(cause instanceof Interruption)) throw cause;
    throw new CliError(
      'read_back_interrupted',
      'The service carried it out; reading it back was interrupted.',
      {
        cause,
        exitCode: cause.exitCode,
      },
    );
  });
}

function isRefusal({ status }: CliError): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

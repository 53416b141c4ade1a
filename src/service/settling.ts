import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import { OPERATION_MS } from './budget.ts';
import type { ApiOptions } from './service.ts';

/** What looks after a write need of a session. */
export interface SettleOptions {
  /** Rejects with the `Interruption` when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** `Clock.monotonic`. */
  readonly now: () => number;
  /** When the whole command must be over, by the same clock. */
  readonly deadline: number | undefined;
  /** Milliseconds for one operation if the command has no limit; default 120 s. */
  readonly operationMs?: () => number;
}

/** The same with a deadline. */
export interface LookOptions extends SettleOptions {
  readonly deadline: number;
}

/** What was seen last, or why nothing could be seen. */
export type Look<Seen> = { readonly seen: Seen } | { readonly failure: CliError | undefined };

/** What reading back showed of a write that the service accepted. */
export type Verification = 'confirmed' | 'not_yet_visible' | 'not_readable';

/** The result of an update or a deletion. */
export interface ReadBack {
  /** `undefined` if it was not requested, or could not be determined. */
  readonly verification: Verification | undefined;
  /** Paths that keep it from being confirmed. */
  readonly paths: readonly string[];
  /** The record as read back. */
  readonly record?: ServiceRecord | undefined;
  /** Why it could not be read. */
  readonly failure?: CliError | undefined;
  /** What is true although no answer confirmed it: the beginning of a sentence. */
  readonly presumed?: string | undefined;
}

/** Waits before the looks, milliseconds: a write may become visible a little later. */
const LOOKS_MS = [0, 1_000, 3_000];

/** The time limit for reading back, milliseconds. */
const READ_BACK_MS = 15_000;

/** Sets one deadline for a write and the looks after it. */
export function withDeadline(options: SettleOptions): LookOptions {
  const { operationMs = () => OPERATION_MS } = options;
  return { ...options, deadline: options.deadline ?? options.now() + operationMs() };
}

/** Whether looking can settle an error: an interrupted doubt stays one. */
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
      if (cause.status !== undefined && cause.status >= 400 && cause.status < 500) break;
    }
  }
  return last;
}

/**
 * Looks after a write without an answer.
 *
 * @returns what was seen last, `undefined` if nothing could be.
 * @throws {OutcomeUnknown} the doubt, with the exit code of the interruption, when the run is interrupted.
 */
export async function settle<Seen>(
  doubt: OutcomeUnknown,
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  options: LookOptions,
): Promise<Seen | undefined> {
  const found = await look(read, isEnough, options).catch((cause: unknown) => {
    throw cause instanceof Interruption ? doubt.with({ exitCode: cause.exitCode }) : cause;
  });
  return 'seen' in found ? found.seen : undefined;
}

/**
 * Reads back after a write that the service accepted, within 15 s.
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
    const sentence = 'The service carried it out; reading it back was interrupted.';
    throw new CliError('read_back_interrupted', sentence, { cause, exitCode: cause.exitCode });
  });
}

/** One deletion of one record. */
interface Removal {
  readonly send: (deadline: number) => Promise<Pick<Answer, 'doubt'>>;
  readonly isGone: (deadline: number) => Promise<boolean>;
  readonly verify: boolean;
  /** What is true of a record that is gone although no answer said that it was deleted. */
  readonly presumed: string;
}

/**
 * Deletes a record and checks that it is gone.
 *
 * @throws {OutcomeUnknown} when no answer confirmed it, and it still exists or cannot be read.
 */
export function remove(
  { send, isGone, verify, presumed }: Removal,
  options: SettleOptions & Pick<ApiOptions, 'kept'>,
): Promise<ReadBack> {
  const timed = withDeadline(options);
  return options.kept.one(async () => {
    let doubt: OutcomeUnknown | undefined;
    // A later attempt found nothing to delete: the service answers, so that looking is optional.
    let isMissed = false;
    try {
      ({ doubt } = await send(timed.deadline));
      isMissed = doubt !== undefined;
    } catch (cause) {
      if (!isOpenDoubt(cause)) throw cause;
      doubt = cause;
    }
    if (!verify && (doubt === undefined || isMissed))
      return { verification: undefined, paths: [], ...(isMissed ? { presumed } : {}) };
    if (doubt === undefined) {
      const found = await lookBack(isGone, (gone) => gone, options);
      if ('failure' in found) return { verification: 'not_readable', paths: [], failure: found.failure };
      return { verification: found.seen ? 'confirmed' : 'not_yet_visible', paths: [] };
    }
    const seen = await settle(doubt, isGone, (gone) => gone, timed);
    // A new record may be there though no read shows it.
    const isGoneNow = seen === true && (isMissed || !options.kept.isHidden());
    if (isGoneNow) return { verification: 'confirmed', paths: [], presumed };
    if (seen === undefined && isMissed) return { verification: 'not_readable', paths: [], presumed };
    throw doubt;
  });
}

/** Whether a record does not exist; a page of HTML with status 404 does not show that. */
export async function isMissing(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return false;
  } catch (cause) {
    if (cause instanceof CliError && cause.code === 'not_found') return true;
    throw cause;
  }
}

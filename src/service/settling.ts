import { CliError, ExitCode, OutcomeUnknown } from '../model/errors.ts';
import { type Comparison, compare, isRepeatable, isWriting, type PatchStep } from '../model/patch.ts';
import { Interruption } from '../model/ports.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import { OPERATION_MS } from './budget.ts';
import { endedBy, type Pause, type Sent } from './send.ts';
import type { Writes } from './writes.ts';

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
  readonly kept: Writes;
}

/** The result of an update or a deletion. */
export interface ReadBack {
  /** `undefined` if it was not requested, or could not be determined. */
  readonly verification: 'confirmed' | 'not_yet_visible' | 'not_readable' | undefined;
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
export function withDeadline<Options extends SettleOptions>(options: Options) {
  const { now, operationMs = () => OPERATION_MS, deadline = now() + operationMs() } = options;
  return { ...options, deadline };
}

/** Whether looking can settle an error: an interrupted doubt stays one. */
export function isOpenDoubt(error: unknown): error is OutcomeUnknown {
  return error instanceof OutcomeUnknown && error.exitCode === ExitCode.unknown;
}

/**
 * Looks after a write until what is seen is enough, at most three times: within 15 s after one that the service accepted.
 *
 * @param doubt about a write without an answer.
 * @returns what was `seen` last; without it nothing could be, perhaps because of a `failure`.
 * @throws {OutcomeUnknown} the doubt, with the exit code of the interruption, when the run is interrupted.
 * @throws {CliError} `read_back_interrupted` when it is interrupted after a write that was carried out.
 */
export async function look<Seen>(
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  { sleep, now, deadline = Number.POSITIVE_INFINITY }: Omit<SettleOptions, 'kept'>,
  doubt?: OutcomeUnknown,
): Promise<{ readonly seen?: Seen; readonly failure?: CliError }> {
  const latest = doubt === undefined ? Math.min(deadline, now() + READ_BACK_MS) : deadline;
  let last: Awaited<ReturnType<typeof look<Seen>>> = {};
  for (const wait of LOOKS_MS) {
    if (now() + wait >= latest) break;
    try {
      await sleep(wait);
      const seen = await read(latest);
      last = { seen };
      if (isEnough(seen)) break;
    } catch (cause) {
      if (cause instanceof Interruption)
        throw doubt?.with({ exitCode: cause.exitCode }) ?? interrupted(cause);
      if (!(cause instanceof CliError)) throw cause;
      // An earlier look is worth more than a failed one; a refusal will not become an answer.
      if (!('seen' in last)) last = { failure: cause };
      if (cause.status !== undefined && cause.status >= 400 && cause.status < 500) break;
    }
  }
  return last;
}

function interrupted(cause: Interruption): CliError {
  const sentence = 'The service carried it out; reading it back was interrupted.';
  return new CliError('read_back_interrupted', sentence, { cause, exitCode: cause.exitCode });
}

/** What an update needs of a session. */
export interface UpdateOptions extends SettleOptions {
  /** Maximum attempts per operation. */
  readonly maxAttempts: number;
}

/** One update of one record. */
export interface Update {
  readonly steps: readonly PatchStep[];
  /** @param earlier the pause before a further attempt, if the steps depend on the record. */
  readonly send: (steps: readonly PatchStep[], deadline: number, earlier?: Pause) => Promise<Sent | Pause>;
  readonly read: (deadline: number) => Promise<ServiceRecord>;
  readonly verify: boolean;
  /** The steps for a record that was read since; only if the steps depend on it. */
  readonly stepsFor?: ((seen: ServiceRecord) => readonly PatchStep[]) | undefined;
  /** Whether steps may be made from a record that was read since; otherwise a doubt stays, and no attempt follows. */
  readonly isPlausible?: ((seen: ServiceRecord) => boolean) | undefined;
  /** What a record shows of the update; default `compare`. */
  readonly judge?: ((record: ServiceRecord, steps: readonly PatchStep[]) => Comparison) | undefined;
}

/** How an update ended. */
export interface Updated extends ReadBack {
  /** Whether the service may have changed anything: not if the record had everything already. */
  readonly isWritten: boolean;
}

/** How often a patch without an answer is sent that the record does not show. */
const MOST_SENDINGS = 3;

/**
 * Sends a patch and reads it back. A patch has no idempotency key: without an answer the record is read first, and the
 * patch is sent again only if the record does not show it and repeating is harmless. An attempt that is refused after
 * that ends the sending, not the doubt.
 *
 * @throws {OutcomeUnknown} when reading cannot settle it.
 */
export function update(change: Update, options: UpdateOptions): Promise<Updated> {
  const { read, verify, judge = compare } = change;
  return options.kept.one(async () => {
    const { steps, record, isWritten } = await sendUntilAccepted(change, withDeadline(options));
    if (record !== undefined || steps.length === 0)
      return { verification: 'confirmed', paths: [], record, isWritten };
    if (!verify || !isWriting(steps)) return { verification: undefined, paths: [], isWritten };
    const isEnough = (seen: ServiceRecord) => judge(seen, steps).different.length === 0;
    const { seen, failure } = await look(read, isEnough, options);
    if (seen === undefined) return { verification: 'not_readable', paths: [], failure, isWritten };
    return { ...readBackVerdict(judge(seen, steps)), record: seen, isWritten };
  });
}

/** @returns the steps that were sent last, none if nothing was left to send; and the record, if it shows that they are done. */
async function sendUntilAccepted(change: Update, options: UpdateOptions & { readonly deadline: number }) {
  const { deadline } = options;
  const most = Math.min(MOST_SENDINGS, options.maxAttempts);
  const { send, read, stepsFor, isPlausible = () => true, judge = compare } = change;
  let { steps } = change;
  let doubt: OutcomeUnknown | undefined;
  for (let sending = 1; steps.length > 0; sending += 1) {
    try {
      let sent = await send(steps, deadline);
      while ('past' in sent) {
        const record = await readInPause(sent, read, isPlausible, deadline);
        steps = stepsFor?.(record) ?? steps;
        if (steps.length === 0) return { steps, record, isWritten: doubt !== undefined };
        sent = await send(steps, deadline, sent);
      }
      break;
    } catch (cause) {
      doubt = doubtAfter(cause, doubt);
      // Nothing more is sent after a refusal: one look is enough.
      const isRefused = !isOpenDoubt(cause);
      const isEnough = (seen: ServiceRecord) => isRefused || judge(seen, steps).different.length === 0;
      const { seen: record } = await look(read, isEnough, options, doubt);
      if (record === undefined) throw doubt;
      const { different, unseen } = judge(record, steps);
      const isDone = isWriting(steps) && different.length + unseen.length === 0;
      if (isDone) return { steps, record, isWritten: true };
      const isClear = stepsFor === undefined || (unseen.length === 0 && isPlausible(record));
      if (isRefused || sending >= most || different.length === 0 || !isRepeatable(steps) || !isClear)
        throw doubt;
      steps = stepsFor?.(record) ?? steps;
    }
  }
  return { steps, isWritten: steps.length > 0 || doubt !== undefined };
}

/** The record before a further attempt. */
async function readInPause(
  pause: Pause,
  read: Update['read'],
  isPlausible: (seen: ServiceRecord) => boolean,
  deadline: number,
): Promise<ServiceRecord> {
  try {
    const record = await read(deadline);
    if (isPlausible(record)) return record;
    const sentence =
      'The record shows less than before the first attempt, which was not carried out; nothing was changed.';
    const hint = 'Check the record, then run the command again.';
    throw new CliError('changed_meanwhile', sentence, { exitCode: ExitCode.refused, hint });
  } catch (cause) {
    throw endedBy(cause, pause.sending);
  }
}

/** The doubt after an error, which an earlier one survives. @throws any other error. */
function doubtAfter(cause: unknown, earlier: OutcomeUnknown | undefined): OutcomeUnknown {
  if (isOpenDoubt(cause)) return cause;
  if (earlier === undefined || cause instanceof OutcomeUnknown) throw cause;
  if (cause instanceof Interruption) throw earlier.with({ exitCode: cause.exitCode });
  if (!(cause instanceof CliError)) throw cause;
  const { status, requestId = cause.requestId } = earlier;
  const message = `${earlier.message} A later attempt failed: ${cause.message}`;
  return new OutcomeUnknown(message, { status, requestId, details: cause.details, cause });
}

export function readBackVerdict({
  different,
  unseen,
}: Pick<Comparison, 'different' | 'unseen'>): Pick<ReadBack, 'verification' | 'paths'> {
  if (different.length > 0) return { verification: 'not_yet_visible', paths: different };
  if (unseen.length > 0) return { verification: 'not_readable', paths: unseen };
  return { verification: 'confirmed', paths: [] };
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
  options: SettleOptions,
): Promise<ReadBack> {
  const timed = withDeadline(options);
  return options.kept.one(async () => {
    const { doubt, isMissed } = await send(timed.deadline).then(
      // A later attempt found nothing to delete: the service answers, so that looking is optional.
      (answer) => ({ ...answer, isMissed: answer.doubt !== undefined }),
      (cause: unknown) => {
        if (!isOpenDoubt(cause)) throw cause;
        return { doubt: cause, isMissed: false };
      },
    );
    const missed = isMissed ? { presumed } : {};
    if (!verify && (doubt === undefined || isMissed))
      return { verification: undefined, paths: [], ...missed };
    const { seen, failure } = await look(isGone, (gone) => gone, doubt ? timed : options, doubt);
    if (doubt === undefined) {
      if (seen === undefined) return { verification: 'not_readable', paths: [], failure };
      return { verification: seen ? 'confirmed' : 'not_yet_visible', paths: [] };
    }
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

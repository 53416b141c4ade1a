import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import { type Comparison, compare, isRepeatable, isWriting, type PatchStep } from '../model/patch.ts';
import type { ServiceRecord } from '../model/records.ts';
import { endedBy, type Pause, type Sent } from './send.ts';
import {
  isOpenDoubt,
  type LookOptions,
  lookBack,
  type ReadBack,
  type SettleOptions,
  settle,
  withDeadline,
} from './settling.ts';
import type { Writes } from './writes.ts';

/** What an update needs of a session. */
export interface UpdateOptions extends SettleOptions {
  /** Maximum attempts per operation. */
  readonly maxAttempts: number;
  readonly kept: Writes;
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
  const most = Math.min(MOST_SENDINGS, options.maxAttempts);
  return options.kept.one(async () => {
    const { steps, record, isWritten } = await sendUntilAccepted(change, most, withDeadline(options));
    if (record !== undefined || steps.length === 0)
      return { verification: 'confirmed', paths: [], record, isWritten };
    if (!verify || !isWriting(steps)) return { verification: undefined, paths: [], isWritten };
    const found = await lookBack(read, (seen) => judge(seen, steps).different.length === 0, options);
    if ('failure' in found)
      return { verification: 'not_readable', paths: [], failure: found.failure, isWritten };
    return { ...readBackVerdict(judge(found.seen, steps)), record: found.seen, isWritten };
  });
}

/** @returns the steps that were sent last, none if nothing was left to send; and the record, if it shows that they are done. */
async function sendUntilAccepted(change: Update, most: number, options: LookOptions) {
  const { send, read, stepsFor, isPlausible = () => true, judge = compare } = change;
  let { steps } = change;
  let doubt: OutcomeUnknown | undefined;
  for (let sending = 1; steps.length > 0; sending += 1) {
    try {
      let sent = await send(steps, options.deadline);
      while ('past' in sent) {
        const record = await readInPause(sent, read, isPlausible, options.deadline);
        steps = stepsFor?.(record) ?? steps;
        if (steps.length === 0) return { steps, record, isWritten: doubt !== undefined };
        sent = await send(steps, options.deadline, sent);
      }
      break;
    } catch (cause) {
      doubt = doubtAfter(cause, doubt);
      // Nothing more is sent after a refusal: one look is enough.
      const isRefused = !isOpenDoubt(cause);
      const isEnough = (seen: ServiceRecord) => isRefused || judge(seen, steps).different.length === 0;
      const record = await settle(doubt, read, isEnough, options);
      if (record === undefined) throw doubt;
      const { different, unseen, absent } = judge(record, steps);
      // A field that is not shown does not prove its removal.
      const isDone = isWriting(steps) && different.length + unseen.length + absent.length === 0;
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
    // It was removed, or is not shown.
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
  return new OutcomeUnknown(`${earlier.message} A later attempt failed: ${cause.message}`, {
    status,
    requestId,
    details: cause.details,
    cause,
  });
}

function readBackVerdict({ different, unseen }: Comparison): Pick<ReadBack, 'verification' | 'paths'> {
  if (different.length > 0) return { verification: 'not_yet_visible', paths: different };
  if (unseen.length > 0) return { verification: 'not_readable', paths: unseen };
  return { verification: 'confirmed', paths: [] };
}

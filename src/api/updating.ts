import { Interruption } from '../context.ts';
import { CliError, OutcomeUnknown } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { OPERATION_MS } from '../http/budget.ts';
import type { ServiceRecord } from '../records.ts';
import { type Look, type LookOptions, look } from './looks.ts';
import { type Comparison, compare, isRepeatable, type PatchStep } from './patch.ts';

/** What the looking after a write needs of a session. */
export interface SettleOptions extends Omit<LookOptions, 'deadline'> {
  /** When the whole command must be over, milliseconds since the epoch. */
  readonly deadline: number | undefined;
}

/** What reading back said of a write that the service has taken. */
export type Verification = 'confirmed' | 'not_yet_visible' | 'not_readable';

/** The end of a write that answers nothing. */
export interface ReadBack {
  /** `undefined` where nobody wanted to know. */
  readonly verification: Verification | undefined;
  /** Paths that keep it from being confirmed. */
  readonly paths: readonly string[];
  /** The record as it was read, where it was. */
  readonly record?: ServiceRecord | undefined;
  /** Why it could not be read. */
  readonly failure?: CliError | undefined;
}

/** One update of one record. */
export interface Update {
  /** What to send, from what was seen last, `undefined` before anything was; nothing where that needs no change. */
  readonly steps: (seen: ServiceRecord | undefined) => readonly PatchStep[];
  readonly send: (steps: readonly PatchStep[], deadline: number) => Promise<unknown>;
  readonly read: (steps: readonly PatchStep[], deadline: number) => Promise<ServiceRecord>;
  readonly verify: boolean;
}

/** Reading back is a courtesy: it must not keep anybody waiting, milliseconds. */
const READ_BACK_MS = 15_000;

/** So often a patch that was certainly not applied is sent. */
const MOST_SENDINGS = 3;

/**
 * Sends a patch and reads it back. A patch has no idempotency key: one that was left without an answer is read
 * first, and sent again only when the record shows that it was not applied and a second one could do no harm.
 *
 * @throws {OutcomeUnknown} when reading cannot tell.
 */
export async function update(
  { steps: stepsFor, send, read, verify }: Update,
  settle: SettleOptions,
): Promise<ReadBack> {
  const deadline = settle.deadline ?? settle.now() + OPERATION_MS;
  let steps = stepsFor(undefined);
  let doubt: OutcomeUnknown | undefined;
  for (let sending = 1; ; sending += 1) {
    try {
      await send(steps, deadline);
      break;
    } catch (cause) {
      doubt = doubtAfter(cause, doubt);
      const found = await settled(doubt, read, steps, { ...settle, deadline });
      if (found === undefined) throw doubt;
      const { different, unseen } = compare(found, steps);
      // A patch of tests alone leaves nothing that could be read.
      const isTold = steps.some(({ op }) => op !== 'test');
      if (isTold && different.length === 0 && unseen.length === 0)
        return { verification: 'confirmed', paths: [], record: found };
      if (different.length === 0 || !isRepeatable(steps) || sending >= MOST_SENDINGS) throw doubt;
      steps = stepsFor(found);
      if (steps.length === 0) return { verification: 'confirmed', paths: [], record: found };
    }
  }
  if (!verify) return { verification: undefined, paths: [] };
  const isVisible = (record: ServiceRecord) => compare(record, steps).different.length === 0;
  return readBack(await lookBack((latest) => read(steps, latest), isVisible, settle), steps);
}

/**
 * Reads back after a write that the service has taken: a courtesy, with a short time of its own.
 *
 * @throws {CliError} with the code of the interruption, saying that the write was carried out, when it is interrupted.
 */
export async function lookBack<Seen>(
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  { sleep, now, deadline = Number.POSITIVE_INFINITY }: SettleOptions,
): Promise<Look<Seen>> {
  try {
    return await look(read, isEnough, { sleep, now, deadline: Math.min(deadline, now() + READ_BACK_MS) });
  } catch (cause) {
    if (!(cause instanceof Interruption)) throw cause;
    throw new CliError('interrupted', 'The service carried it out; reading it back was interrupted.', {
      cause,
      exitCode: cause.exitCode,
    });
  }
}

/** An error that leaves a doubt, or does not end an earlier one; any other goes on. */
function doubtAfter(cause: unknown, earlier: OutcomeUnknown | undefined): OutcomeUnknown {
  if (cause instanceof OutcomeUnknown && cause.exitCode === ExitCode.unknown) return cause;
  if (earlier === undefined || cause instanceof OutcomeUnknown) throw cause;
  if (cause instanceof Interruption) throw earlier.withExitCode(cause.exitCode);
  if (cause instanceof CliError) return earlier;
  throw cause;
}

async function settled(
  doubt: OutcomeUnknown,
  read: Update['read'],
  steps: readonly PatchStep[],
  options: LookOptions,
): Promise<ServiceRecord | undefined> {
  const isApplied = (record: ServiceRecord) => compare(record, steps).different.length === 0;
  try {
    const found = await look((deadline) => read(steps, deadline), isApplied, options);
    return 'seen' in found ? found.seen : undefined;
  } catch (cause) {
    if (cause instanceof Interruption) throw doubt.withExitCode(cause.exitCode);
    throw cause;
  }
}

function readBack(found: Look<ServiceRecord>, steps: readonly PatchStep[]): ReadBack {
  if ('failure' in found) return { verification: 'not_readable', paths: [], failure: found.failure };
  return { ...verdict(compare(found.seen, steps)), record: found.seen };
}

function verdict({ different, unseen }: Comparison): Pick<ReadBack, 'verification' | 'paths'> {
  if (different.length > 0) return { verification: 'not_yet_visible', paths: different };
  if (unseen.length > 0) return { verification: 'not_readable', paths: unseen };
  return { verification: 'confirmed', paths: [] };
}

import { CliError, type OutcomeUnknown } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { isOpenDoubt, lookBack, type ReadBack, type SettleOptions, settle, withDeadline } from './looks.ts';

/** One deletion of one record. */
interface Removal {
  readonly send: (deadline: number) => Promise<Pick<Answer, 'doubt'>>;
  readonly isGone: (deadline: number) => Promise<boolean>;
  readonly verify: boolean;
  /** What is true of a record that is not there although no answer says that it was deleted. */
  readonly presumed: string;
}

/**
 * Deletes a record and looks whether it is gone.
 *
 * @throws {OutcomeUnknown} when no answer said yes, and it is still there or nothing tells.
 */
export async function remove(removal: Removal, options: SettleOptions): Promise<ReadBack> {
  const { isGone, verify, presumed } = removal;
  const timed = withDeadline(options);
  const { doubt, isMissed } = await attempt(removal, timed.deadline);
  if (!verify && (doubt === undefined || isMissed)) {
    return { verification: undefined, paths: [], ...(isMissed ? { presumed } : {}) };
  }
  if (doubt === undefined) return readBack(removal, options);
  const seen = await settle(doubt, isGone, (gone) => gone, timed);
  if (seen === true) return { verification: 'confirmed', paths: [], presumed };
  if (seen === undefined && isMissed) return { verification: 'not_readable', paths: [], presumed };
  throw doubt;
}

/** What sending left in doubt, and whether a later try missed the record: then something answered after all. */
interface Attempt {
  readonly doubt?: OutcomeUnknown;
  readonly isMissed: boolean;
}

async function attempt({ send }: Removal, deadline: number): Promise<Attempt> {
  try {
    const { doubt } = await send(deadline);
    return doubt === undefined ? { isMissed: false } : { doubt, isMissed: true };
  } catch (cause) {
    if (isOpenDoubt(cause)) return { doubt: cause, isMissed: false };
    throw cause;
  }
}

async function readBack({ isGone }: Removal, options: SettleOptions): Promise<ReadBack> {
  const found = await lookBack(isGone, (gone) => gone, options);
  if ('failure' in found) return { verification: 'not_readable', paths: [], failure: found.failure };
  return { verification: found.seen ? 'confirmed' : 'not_yet_visible', paths: [] };
}

/** Whether reading a record says that there is none; a page of HTML with that status says nothing. */
export async function isMissing(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return false;
  } catch (cause) {
    if (cause instanceof CliError && cause.code === 'not_found') return true;
    throw cause;
  }
}

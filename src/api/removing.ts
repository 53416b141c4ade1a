import { Interruption } from '../context.ts';
import { CliError, OutcomeUnknown } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { OPERATION_MS } from '../http/budget.ts';
import { look } from './looks.ts';
import { lookBack, type ReadBack, type SettleOptions } from './updating.ts';

/** One deletion of one record. */
interface Removal {
  readonly send: (deadline: number) => Promise<unknown>;
  readonly isGone: (deadline: number) => Promise<boolean>;
  readonly verify: boolean;
}

/**
 * Deletes a record and looks whether it is gone.
 *
 * @throws {OutcomeUnknown} when no answer came, and it is still there or cannot be looked for.
 */
export async function remove({ send, isGone, verify }: Removal, settle: SettleOptions): Promise<ReadBack> {
  const deadline = settle.deadline ?? settle.now() + OPERATION_MS;
  try {
    await send(deadline);
  } catch (doubt) {
    if (!(doubt instanceof OutcomeUnknown) || doubt.exitCode !== ExitCode.unknown) throw doubt;
    if (await wasRemoved(isGone, doubt, { ...settle, deadline }))
      return { verification: 'confirmed', paths: [] };
    throw doubt;
  }
  if (!verify) return { verification: undefined, paths: [] };
  const found = await lookBack(isGone, (gone) => gone, settle);
  if ('failure' in found) return { verification: 'not_readable', paths: [], failure: found.failure };
  return { verification: found.seen ? 'confirmed' : 'not_yet_visible', paths: [] };
}

/** Whether reading a record says that there is none. */
export async function isMissing(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return false;
  } catch (cause) {
    if (cause instanceof CliError && cause.exitCode === ExitCode.notFound) return true;
    throw cause;
  }
}

async function wasRemoved(
  isGone: Removal['isGone'],
  doubt: OutcomeUnknown,
  options: SettleOptions & { readonly deadline: number },
): Promise<boolean> {
  try {
    const found = await look(isGone, (gone) => gone, options);
    return 'seen' in found && found.seen;
  } catch (cause) {
    if (cause instanceof Interruption) throw doubt.withExitCode(cause.exitCode);
    throw cause;
  }
}

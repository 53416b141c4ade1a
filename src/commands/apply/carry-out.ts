import type { Session } from '../../cli/session.ts';
import { isPlainTerminal } from '../../out/paint.ts';
import { openProgress } from '../../out/progress.ts';
import { type Execution, execute } from '../../seed/execute.ts';
import { type Item, isPending } from '../../seed/item.ts';
import type { Journal } from '../../seed/journal.ts';
import type { LockoutRule } from '../../seed/lockout-rows.ts';
import { countOutcomes } from './end.ts';
import type { AskedRun } from './run.ts';

/** Carries out a plan, shows progress, and writes the result to the journal. */
export async function carryOut(
  items: readonly Item[],
  { session, flags, deadline }: AskedRun,
  journal: Journal,
  lockout: LockoutRule,
): Promise<Execution> {
  const { api, context } = session;
  const { clock, random, signal, stderr, presentation } = context;
  const progress = openProgress({
    stderr,
    mode: flags.progress,
    plain: isPlainTerminal(context.env),
    now: clock.monotonic,
    json: presentation.json,
  });
  await progress.start(items.filter(isPending).length, 'Applying');
  const interruption = noteInterruption(session);
  try {
    const { concurrency, failFast } = flags;
    const mostTries = session.settings().maxAttempts.value;
    const execution = await execute(items, {
      ...{ api, journal, lockout, progress, clock, random, signal, deadline, concurrency, failFast },
      ...{ mostTries, trustsKeys: api.trustsKeys },
    });
    return await finish(execution, journal);
  } finally {
    await interruption.close();
    await progress.stop();
  }
}

/** On an interruption, reports what the run waits for. */
function noteInterruption({ context, out }: Pick<Session, 'context' | 'out'>) {
  let noted = Promise.resolve();
  const note = () => {
    if (context.presentation.json) return;
    noted = out.note('Stopping: waiting for requests in progress; press ^C again to abort.');
  };
  context.signal.addEventListener('abort', note, { once: true });
  return {
    async close() {
      context.signal.removeEventListener('abort', note);
      await noted;
    },
  };
}

/** A failed write of the journal fails the run even at its end. */
async function finish(execution: Execution, journal: Journal): Promise<Execution> {
  try {
    await journal.finish(countOutcomes(execution.results));
    return execution;
  } catch (error) {
    return { ...execution, stoppedBy: execution.stoppedBy ?? error };
  }
}

import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { isPlainTerminal } from '../../out/paint.ts';
import { openProgress, type Progress } from '../../out/progress.ts';
import { countOutcomes } from '../../seed/end.ts';
import { type Execution, execute } from '../../seed/execute.ts';
import { type Item, isPending } from '../../seed/item.ts';
import type { Journal } from '../../seed/journal.ts';
import type { LockoutRule } from '../../seed/lockout-rows.ts';
import { retryDelayMs } from '../../service/retry.ts';
import type { ParsedFlags } from './flags.ts';
import type { AskedRun } from './run.ts';

/** Carries out a plan, shows progress, and writes the result to the journal. */
export async function carryOut(
  items: readonly Item[],
  { session, flags, deadline }: AskedRun,
  journal: Journal,
  { recheck }: Pick<LockoutRule, 'recheck'>,
): Promise<Execution> {
  const { context, api } = session;
  const progress = progressOf(context, flags);
  await progress.start(items.filter(isPending).length, 'Applying');
  const interruption = noteInterruption(session);
  try {
    const execution = await execute(items, {
      api,
      recheck,
      journal,
      concurrency: flags.concurrency,
      failFast: flags.failFast,
      stop: context.signal,
      deadline,
      now: context.clock.monotonic,
      mostTries: session.settings().maxAttempts.value,
      trustsKeys: api.trustsKeys,
      pause: (tries) => pause(tries, deadline, context),
      onRow({ item, outcome }) {
        progress.step({ kind: item.kind, name: item.name, outcome });
      },
    });
    return await finish(execution, journal);
  } finally {
    await interruption.close();
    await progress.stop();
  }
}

/** Waits before a retry, until the end of the run at most. */
function pause(tries: number, deadline: number | undefined, { clock, random, signal }: Context) {
  const left = (deadline ?? Number.POSITIVE_INFINITY) - clock.monotonic();
  return clock.sleep(Math.max(0, Math.min(left, retryDelayMs(tries, undefined, random()))), signal);
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

function progressOf(
  { env, stderr, clock, presentation }: Context,
  { progress: mode }: ParsedFlags,
): Progress {
  return openProgress({
    stderr,
    mode,
    plain: isPlainTerminal(env),
    now: clock.monotonic,
    json: presentation.json,
  });
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

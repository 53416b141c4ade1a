import { countOutcomes } from '../../apply/end.ts';
import { execute } from '../../apply/execute.ts';
import type { Execution } from '../../apply/execute-options.ts';
import { type Item, isPending } from '../../apply/item.ts';
import type { Journal } from '../../apply/journal.ts';
import type { LockoutRule } from '../../apply/lockout-rows.ts';
import type { Context } from '../../context.ts';
import { retryDelayMs } from '../../http/retry.ts';
import type { Session } from '../../session.ts';
import { isPlain } from '../../terminal/plain.ts';
import { openProgress, type Progress } from '../../terminal/progress.ts';
import type { AskedRun } from './asked-run.ts';
import type { Wishes } from './flags.ts';

/** Carries out a plan, tells how far it is, and writes into the journal how it ended. */
export async function carryOut(
  items: readonly Item[],
  { session, wishes, deadline }: AskedRun,
  journal: Journal,
  { lookAgain }: Pick<LockoutRule, 'lookAgain'>,
): Promise<Execution> {
  const { context, api } = session;
  const progress = progressOf(context, wishes);
  await progress.start(items.filter(isPending).length, 'Applying');
  const farewell = watchForStop(session);
  try {
    const execution = await execute(items, {
      api,
      lookAgain,
      journal,
      concurrency: wishes.concurrency,
      failFast: wishes.failFast,
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
    await farewell.close();
    await progress.stop();
  }
}

/** Waits before a repeat, not beyond the end of the run. */
function pause(tries: number, deadline: number | undefined, { clock, random, signal }: Context) {
  const left = (deadline ?? Number.POSITIVE_INFINITY) - clock.monotonic();
  return clock.sleep(Math.max(0, Math.min(left, retryDelayMs(tries, undefined, random()))), signal);
}

/** Says at the interruption what it waits for, lest the person who asked for it asks again. */
function watchForStop({ context, out }: Pick<Session, 'context' | 'out'>) {
  let told = Promise.resolve();
  const tell = () => {
    if (context.presentation.json) return;
    told = out.note('Stopping: waiting for what is under way; ^C again ends at once.');
  };
  context.signal.addEventListener('abort', tell, { once: true });
  return {
    async close() {
      context.signal.removeEventListener('abort', tell);
      await told;
    },
  };
}

function progressOf({ env, stderr, clock, presentation }: Context, { progress: mode }: Wishes): Progress {
  return openProgress({ stderr, mode, plain: isPlain(env), now: clock.monotonic, json: presentation.json });
}

/** What could not be written at the end ends the run as if it had been written at any other time. */
async function finish(execution: Execution, journal: Journal): Promise<Execution> {
  try {
    await journal.finish(countOutcomes(execution.results));
    return execution;
  } catch (error) {
    return { ...execution, stoppedBy: execution.stoppedBy ?? error };
  }
}

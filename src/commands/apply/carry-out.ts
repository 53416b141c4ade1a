import { resolve } from 'node:path';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { openProgress, type Progress } from '../../out/progress.ts';
import { isPlain } from '../../out/redacted-prompter.ts';
import { countOutcomes } from '../../seed/end.ts';
import { type Execution, execute } from '../../seed/execute.ts';
import { type Item, isPending } from '../../seed/item.ts';
import { type Journal, openJournal } from '../../seed/journal.ts';
import { journalPath } from '../../seed/journal-path.ts';
import type { LockoutRule } from '../../seed/lockout-rows.ts';
import { retryDelayMs } from '../../service/retry.ts';
import type { ApplyFlags, Wishes } from './flags.ts';
import type { AskedRun } from './run.ts';

/** Carries out a plan, tells how far it is, and writes into the journal how it ended. */
export async function carryOut(
  items: readonly Item[],
  { session, wishes, deadline }: AskedRun,
  journal: Journal,
  { recheck }: Pick<LockoutRule, 'recheck'>,
): Promise<Execution> {
  const { context, api } = session;
  const progress = progressOf(context, wishes);
  await progress.start(items.filter(isPending).length, 'Applying');
  const farewell = watchForStop(session);
  try {
    const execution = await execute(items, {
      api,
      recheck,
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

/** Where the journal of a run is. */
export function pathOf(run: AskedRun): string {
  return journalPath(run.session.folders.state, run, run.wishes.journal);
}

/**
 * Does the work of a run while its journal is open.
 *
 * @throws {CliError} what keeps the journal from being opened, before the work is begun.
 */
export async function withJournal(run: AskedRun, work: (journal: Journal) => Promise<void>): Promise<void> {
  const { session, wishes, flags, command, files, target } = run;
  const journal = await openJournal({
    path: pathOf(run),
    runId: wishes.runId,
    run: { command, files, target, profile: session.settings().profile?.value, options: kept(flags) },
    context: session.context,
  });
  let isDone = false;
  try {
    await work(journal);
    isDone = true;
  } finally {
    // What the run ended with is worth more than that the file could not be closed.
    await journal.close().catch((error: unknown) => {
      if (isDone) throw error;
    });
  }
}

/** The flags as `runs resume` needs them, wherever it is typed; a second mail is consented to each time. */
function kept({
  journal,
  runId,
  plan: saved,
  failedOut,
  resendUnknown: _,
  ...flags
}: ApplyFlags): Readonly<Record<string, unknown>> {
  return {
    ...flags,
    ...(saved === undefined ? {} : { plan: saved === '-' ? saved : resolve(saved) }),
    ...(failedOut === undefined ? {} : { failedOut: resolve(failedOut) }),
  };
}

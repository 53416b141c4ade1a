import type { Item } from '../../apply/item.ts';
import type { Recalled } from '../../apply/journal.ts';
import type { LockoutRule } from '../../apply/lockout-rows.ts';
import { isInDoubt, type Memory } from '../../apply/memory.ts';
import { buildPlan, refuseIncomplete } from '../../apply/plan.ts';
import { refuseIfChanged } from '../../apply/saved-plan.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { shellLine } from '../../render/shell.ts';
import { tellOfReading } from '../plan/tell-of-reading.ts';
import { warnOfPrune } from '../plan/warn-of-prune.ts';
import type { AskedRun } from './asked-run.ts';
import { refuseBeyond } from './limits.ts';
import { mindLockout } from './mind-lockout.ts';
import { permitRows } from './permits.ts';
import { planLine, repeating } from './plan-line.ts';

/** A plan that may be carried out, once somebody consented. */
export interface AllowedPlan {
  readonly items: readonly Item[];
  readonly lockout: LockoutRule;
}

/**
 * What is to be done, within all that the command line and the settings allow.
 *
 * @throws {CliError} when it is more than that, or not what a saved plan says; nothing was sent.
 */
export async function planRun(run: AskedRun, memory: Recalled): Promise<AllowedPlan> {
  const { session, wishes, entries, target } = run;
  const { context, api } = session;
  const { concurrency: workers, runId = memory.runId } = wishes;
  const { clock, redactor } = context;
  const pause = session.globals.dryRun === true ? undefined : (ms: number) => waitFor(ms, run);
  const { warn } = session.out;
  const options = { ...wishes, workers, memory, runId, redactor, now: clock.now, pause, warn };
  await warnOfPrune(wishes, memory, target, session.out);
  await tellOfReading(entries, session);
  const items = await buildPlan(entries, api, { ...options, hasDeadline: run.deadline !== undefined });
  refuseIncomplete(items, api);
  if (wishes.plan !== undefined) {
    const { stdin, signal } = context;
    const isUnderWay = (item: Item) => wasSentBy(runId, memory, item);
    const kept = wishes.plan === '-' ? '' : ` > ${shellLine([wishes.plan])}`;
    const planAgain = `${planLine(run, '--json')}${kept}`;
    await refuseIfChanged(wishes.plan, items, target, { stdin, signal, planAgain, isUnderWay });
  }
  permitRows(items, api.permit);
  const again = (...more: readonly string[]) => repeating(context.argv, ...more);
  // Before the limits: a plan that is refused here need not be allowed more first.
  const lockout = await mindLockout(items, wishes.allowLockout, again, session);
  const isRehearsal = session.globals.dryRun === true;
  refuseBeyond(items, memory, wishes, { again, plan: planLine(run) }, isRehearsal);
  return { items, lockout };
}

/** Waits for what an earlier run may still have under way. @throws {CliError} `timeout`, when there is no time for it. */
async function waitFor(ms: number, { session, deadline }: AskedRun): Promise<void> {
  const { clock, signal } = session.context;
  const seconds = ms / 1000;
  const why = 'What an earlier run sent may be under way still, or not visible yet';
  if (deadline !== undefined && clock.monotonic() + ms > deadline) {
    const sentence = `${why}: looking again takes ${seconds} s, and there is less time than that; nothing was sent.`;
    throw new CliError('timeout', sentence, {
      exitCode: ExitCode.unavailable,
      hint: `Give at least ${seconds} s more with --timeout.`,
    });
  }
  if (!session.context.presentation.json) await session.out.note(`${why}; looking again in ${seconds} s.`);
  await clock.sleep(ms, signal);
}

/** Whether the row may have changed what is there; one that failed has not. */
function wasSentBy(runId: string | undefined, memory: Memory, { kind, name }: Item): boolean {
  const row = memory.recall(kind, name);
  if (row === undefined || row.runId !== runId) return false;
  return row.state === 'done' || isInDoubt(row);
}

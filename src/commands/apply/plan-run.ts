import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { sameCommand, shellLine } from '../../out/text.ts';
import type { Item } from '../../seed/item.ts';
import type { Recalled } from '../../seed/journal.ts';
import { isInDoubt, type Memory } from '../../seed/journal-line.ts';
import { stdinFolder } from '../../seed/journal-path.ts';
import type { LockoutRule } from '../../seed/lockout-rows.ts';
import { refuseIfChanged } from '../../seed/saved-plan.ts';
import { serviceFlags } from '../lines.ts';
import { makePlan } from '../plan/make-plan.ts';
import { permitRows, refuseBeyond, refuseLockout } from './limits.ts';
import type { AskedRun } from './run.ts';

/** A plan within all limits, not confirmed yet. */
export interface AllowedPlan {
  readonly items: readonly Item[];
  readonly lockout: LockoutRule;
}

/**
 * Makes the plan and checks it against limits and guards.
 *
 * @throws {CliError} if it exceeds a limit or differs from the saved plan; nothing was sent.
 */
export async function planRun(run: AskedRun, memory: Recalled): Promise<AllowedPlan> {
  const { session, flags, target } = run;
  const { context, api } = session;
  const isRehearsal = session.globals.dryRun === true;
  const items = await makePlan(run, memory, isRehearsal ? undefined : (ms) => waitFor(ms, run));
  if (flags.plan !== undefined) {
    const { stdin, signal } = context;
    const runId = flags.runId ?? memory.runId;
    const isUnderWay = (item: Item) => wasSentBy(runId, memory, item);
    const redirection = flags.plan === '-' ? '' : ` > ${shellLine([flags.plan])}`;
    const planAgain = `${planLine(run, '--json')}${redirection}`;
    await refuseIfChanged(flags.plan, items, target, { stdin, signal, planAgain, isUnderWay });
  }
  permitRows(items, api.permit);
  const again = (...more: readonly string[]) => repeating(context.argv, ...more);
  // Before the limits: a hint to raise a limit is useless for a plan that is refused anyway.
  const lockout = await refuseLockout(items, flags.allowLockout, again, session);
  refuseBeyond(items, memory, flags, { again, plan: planLine(run) }, isRehearsal);
  return { items, lockout };
}

/** Waits until requests of an earlier run have ended. @throws {CliError} `timeout` without enough time. */
async function waitFor(ms: number, { session, deadline }: AskedRun): Promise<void> {
  const { clock, signal } = session.context;
  const seconds = ms / 1000;
  const why = 'Requests of an earlier run may still be in progress, or their effect not visible yet';
  if (deadline !== undefined && clock.monotonic() + ms > deadline) {
    const sentence = `${why}: checking again takes ${seconds} s, which is more than the time left; nothing was sent.`;
    throw new CliError('timeout', sentence, {
      exitCode: ExitCode.unavailable,
      hint: `Give at least ${seconds} s more with --timeout.`,
    });
  }
  if (!session.context.presentation.json) await session.out.note(`${why}; checking again in ${seconds} s.`);
  await clock.sleep(ms, signal);
}

/** Whether an earlier run may have carried out the row. */
function wasSentBy(runId: string | undefined, memory: Memory, { kind, name }: Item): boolean {
  const row = memory.recall(kind, name);
  if (row === undefined || row.runId !== runId) return false;
  return row.state === 'done' || isInDoubt(row);
}

/** The `innctl plan` command line for this run. */
function planLine({ session, files, typed }: AskedRun, ...more: readonly string[]): string {
  const { assumeNew, resendUnknown, writeUnreadable, prune, journal, runId } = typed;
  return shellLine([
    'innctl',
    ...serviceFlags(session.globals),
    'plan',
    ...files.map((file) => (stdinFolder(file) === undefined ? file : '-')),
    ...(assumeNew === true ? ['--assume-new'] : []),
    ...(resendUnknown === true ? ['--resend-unknown'] : []),
    ...(writeUnreadable === true ? ['--write-unreadable'] : []),
    ...(prune === true ? ['--prune'] : []),
    ...(journal === undefined ? [] : ['--journal', journal]),
    ...(runId === undefined ? [] : ['--run-id', runId]),
    ...more,
  ]);
}

/** The current command line with more flags, and a note if it needs the same input. */
export function repeating(argv: readonly string[], ...more: readonly string[]): string {
  return `${sameCommand(argv, ...more)}${argv.includes('-') ? ' (with the same input)' : ''}`;
}

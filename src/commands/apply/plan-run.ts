import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { sameCommand, shellLine } from '../../out/text.ts';
import { type Consequences, consequencesOf } from '../../seed/consequences.ts';
import { type Item, isPending } from '../../seed/item.ts';
import type { Recalled } from '../../seed/journal.ts';
import { isInDoubt, type Memory } from '../../seed/journal-line.ts';
import { stdinFolder } from '../../seed/journal-path.ts';
import type { LockoutRule } from '../../seed/lockout-rows.ts';
import { buildPlan, refuseIncomplete } from '../../seed/plan.ts';
import { refuseIfChanged } from '../../seed/saved-plan.ts';
import { serviceFlags } from '../lines.ts';
import { hostsOf, tellOfReading, warnOfPrune } from '../plan/warnings.ts';
import { mindLockout, permitRows, refuseBeyond } from './limits.ts';
import type { AskedRun } from './run.ts';

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

/** The command line that plans what a run would do, at the same service. */
function planLine({ session, files, flags }: AskedRun, ...more: readonly string[]): string {
  const { assumeNew, resendUnknown, writeUnreadable, prune, journal, runId } = flags;
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

/** The same command, with more flags; what came through a pipe must come through it once more. */
export function repeating(argv: readonly string[], ...more: readonly string[]): string {
  return `${sameCommand(argv, ...more)}${argv.includes('-') ? ' (with the same input)' : ''}`;
}

/**
 * Returns when the person consents to a plan, or --yes did.
 *
 * @param summary of the plan, as a sentence.
 * @throws {CliError} exit 11 otherwise.
 */
export async function consentTo(items: readonly Item[], summary: string, session: Session): Promise<void> {
  await session.confirm(questionOf(items, session), `${summary} Nothing was sent.`);
}

/** `Apply 3 changes to api.example.com (profile chain), among them 1 deletion?` */
function questionOf(items: readonly Item[], session: Session): string {
  const pending = items.filter(isPending);
  const found = consequencesOf(pending);
  const harm = harms.flatMap(([name, one, several]) => {
    const { length } = found[name];
    return length === 0 ? [] : [counted(length, one, several)];
  });
  const among = harm.length === 0 ? '' : `, among them ${listed(harm)}`;
  return `Apply ${counted(pending.length, 'change', 'changes')} to ${placeOf(pending, session)}${among}?`;
}

/** What somebody who says yes has to know, in the words of the question. */
const harms: readonly (readonly [keyof Consequences, one: string, several: string])[] = [
  ['deletes', 'deletion', 'deletions'],
  ['disables', 'user to disable', 'users to disable'],
  ['givesFullAccess', 'person to give full access', 'people to give full access'],
  ['takesFullAccess', 'user to take full access from', 'users to take full access from'],
  ['takesProperties', 'user to take properties from', 'users to take properties from'],
];

/** The hosts that will be written to, and the profile that leads there. */
function placeOf(pending: readonly Item[], session: Session): string {
  const { sandbox, profile } = session.settings();
  const hosts = hostsOf(
    pending.map(({ kind }) => kind),
    session,
  );
  return sandbox || profile === undefined ? hosts : `${hosts} (profile ${profile.value})`;
}

/** `1 change`, `3 changes` */
export function counted(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`;
}

/** `one`, `one and two`, `one, two and three`. */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

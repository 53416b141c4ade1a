import { consentTo } from '../../change/consent.ts';
import { type ApplyFlags, type ParsedFlags, type PlanFlags, parseApplyFlags } from '../../change/flags.ts';
import { permitKinds } from '../../change/guards.ts';
import { type Item, isPending } from '../../change/item.ts';
import { type Recalled, recalledFor } from '../../change/journal/history.ts';
import { serviceFlags } from '../../change/lines.ts';
import { printPlan, warnOfUnchangeable } from '../../change/print.ts';
import { keptBy, report } from '../../change/report.ts';
import { checkRows } from '../../change/rows.ts';
import { carryOut, deadlineOf, type Run, unsent } from '../../change/run.ts';
import { refuseIfChanged } from '../../change/saved-plan.ts';
import { targetIn } from '../../change/target.ts';
import { usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { absoluteFiles, stdinFolder } from '../../files/files.ts';
import { shellLine } from '../../print/text.ts';
import { makePlan, type Planning, readEntries } from '../plan/make-plan.ts';

/** A run with its flags parsed and its files read. */
interface AskedRun extends Planning, Run {
  readonly flags: ParsedFlags;
  /** The command line that shows the plan. */
  readonly review: string;
}

/**
 * Runs apply, from reading the files to the exit code. Sends nothing before files, flags, guards, journal and
 * plan are checked and the user has consented.
 *
 * @throws {CliError} if the run was not done completely.
 */
export async function runApply(session: Session, files: readonly string[], typed: ApplyFlags): Promise<void> {
  const run = await unsent(readRun(session, files, typed));
  const { concurrency, maxRps } = run.flags;
  await session.pace({ concurrency, maxRps, stop: session.context.signal });
  if (session.globals.dryRun === true) {
    await unsent(rehearse(run));
    return;
  }
  const ended = await carryOut(run, ({ memory }) => unsent(agreedPlan(run, memory)));
  await report(ended, await keptBy(session.journal, run, ended.conclusion), run);
}

async function readRun(session: Session, files: readonly string[], typed: ApplyFlags): Promise<AskedRun> {
  const flags = parseApplyFlags(typed);
  if (flags.plan === '-' && files.includes('-'))
    throw usageError('--plan - and a file - cannot both read stdin.');
  const deadline = deadlineOf(session);
  const { entries, columns } = await readEntries(session, files, flags);
  // Check the guards before the first request.
  permitKinds(entries, flags.prune, session);
  const identity = {
    command: 'apply',
    files: absoluteFiles(files),
    target: await targetIn(session, flags),
  } as const;
  const review = planLine(session, identity.files, typed);
  return { session, flags, ...identity, deadline, entries, columns, review };
}

async function rehearse(run: AskedRun): Promise<void> {
  const history = await run.session.journal.read();
  const { items } = await checkedPlan(run, recalledFor(history, run));
  await printPlan(items, run, run.session);
}

/** The plan, confirmed by the user. */
async function agreedPlan(run: AskedRun, memory: Recalled) {
  const plan = await checkedPlan(run, memory);
  await warnOfUnchangeable(plan.items, run.session.out);
  if (plan.items.some(isPending)) await consentTo(plan.items, run.session, run.review);
  return plan;
}

/**
 * Makes the plan and checks it against limits and guards. It is not confirmed yet.
 *
 * @throws {CliError} if it exceeds a limit or differs from the saved plan; nothing was sent.
 */
async function checkedPlan(run: AskedRun, memory: Recalled) {
  const items = await makePlan(run, memory);
  if (run.flags.plan !== undefined) await refuseOtherPlan(run.flags.plan, items, memory, run);
  const limits = { ...run.flags, review: run.review };
  return { items, lockout: await checkRows(items, run.flags.allowLockout, run.session, limits) };
}

/** @throws {CliError} if the plan differs from the saved one. */
async function refuseOtherPlan(
  path: string,
  items: readonly Item[],
  memory: Recalled,
  run: AskedRun,
): Promise<void> {
  const runId = run.flags.runId ?? memory.runId;
  const redirection = path === '-' ? '' : ` > ${shellLine([path])}`;
  await refuseIfChanged(path, items, run.target, {
    stdin: run.session.context.stdin,
    planAgain: `${run.review} --json${redirection}`,
    underWay: new Set(
      items.filter(({ kind, name }) => runId !== undefined && memory.recall(kind, name)?.sentIn === runId),
    ),
  });
}

/** The `innctl plan` command line for a run. @param flags as typed. */
function planLine({ globals }: Session, files: readonly string[], flags: PlanFlags): string {
  const { map = [], hidden, prune, runId } = flags;
  return shellLine([
    'innctl',
    ...serviceFlags(globals),
    'plan',
    ...files.map((file) => (stdinFolder(file) === undefined ? file : '-')),
    ...map.flatMap((word) => ['--map', word]),
    ...(hidden === true ? ['--hidden'] : []),
    ...(prune === true ? ['--prune'] : []),
    ...(runId === undefined ? [] : ['--run-id', runId]),
  ]);
}

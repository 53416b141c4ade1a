import { CliError, usageError } from '../../cli/errors.ts';
import { Interruption } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { isPlainTerminal } from '../../print/paint.ts';
import { openProgress } from '../../print/progress.ts';
import { type ExecuteOptions, type Execution, execute, type RunJournal } from '../../seed/execute.ts';
import { absoluteFiles } from '../../seed/files.ts';
import { type Recalled, recalledFor } from '../../seed/history.ts';
import { type Item, isPending } from '../../seed/item.ts';
import type { RunAbout } from '../../seed/journal-line.ts';
import type { LockoutRule } from '../../seed/lockout-rows.ts';
import { type ApplyFlags, type ParsedFlags, parseApplyFlags } from '../plan/flags.ts';
import { type Planning, readEntries } from '../plan/make-plan.ts';
import { printPlan, warnOfUnchangeable } from '../plan/print.ts';
import { targetIn } from '../target.ts';
import { countOutcomes } from './end.ts';
import { consentTo, permitKinds, planLine, planRun } from './plan-run.ts';
import { type Conclusion, keptBy, report } from './report.ts';

/** A run that keeps a journal. */
export interface JournalledRun extends RunAbout {
  readonly session: Session;
  readonly flags: ParsedFlags;
  readonly deadline: number | undefined;
  /** The command line that shows the plan. */
  readonly review: string;
  /** A user without a role at an added property is not all that was wanted (exit 9); default: a warning. */
  readonly needsRoles?: boolean | undefined;
}

/** A plan that the user has confirmed. */
export interface AgreedPlan extends Pick<ExecuteOptions, 'ended'> {
  readonly items: readonly Item[];
  readonly lockout: LockoutRule;
  /** Called when the run is over: what its report says besides. */
  readonly conclude?: ((execution: Execution) => Promise<Conclusion>) | undefined;
}

/** A run with its flags parsed and its files read. */
export interface AskedRun extends Planning, JournalledRun {
  readonly flags: ParsedFlags;
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
  await withJournal(run, (memory) => agreedPlan(run, memory));
}

async function readRun(session: Session, files: readonly string[], typed: ApplyFlags): Promise<AskedRun> {
  const flags = parseApplyFlags(typed);
  if (flags.plan === '-' && files.includes('-'))
    throw usageError('--plan - and a file - cannot both read stdin.');
  const deadline = deadlineOf(session);
  const { entries, columns } = await readEntries(session, files, flags);
  // Check the guards before the first request.
  permitKinds(entries, flags.prune, session.api.permit);
  const identity = {
    command: 'apply',
    files: absoluteFiles(files),
    target: await targetIn(session, flags),
  } as const;
  const review = planLine({ session, files: identity.files, flags: typed });
  return { session, flags, ...identity, deadline, entries, columns, review };
}

/** The end of the time limit, by `Clock.monotonic`. */
export function deadlineOf({ settings, context }: Session): number | undefined {
  const seconds = settings().timeoutSeconds?.value;
  return seconds && context.clock.monotonic() + seconds * 1000;
}

async function rehearse(run: AskedRun): Promise<void> {
  const history = await run.session.journal.read();
  const { items } = await planRun(run, recalledFor(history, run));
  await printPlan(items, run, run.session);
}

/** The plan, confirmed by the user. */
async function agreedPlan(run: AskedRun, memory: Recalled) {
  const plan = await planRun(run, memory);
  await warnOfUnchangeable(plan.items, run.session.out);
  if (plan.items.some(isPending)) await consentTo(plan.items, run.session, run.review);
  return plan;
}

/**
 * Begins a run, carries out its plan, and reports the result.
 *
 * @param agree makes the plan from what the journal knows, and asks for consent.
 * @throws {CliError} if the run was not done completely.
 */
export async function withJournal(
  run: JournalledRun,
  agree: (memory: Recalled) => Promise<AgreedPlan>,
): Promise<void> {
  const { session, flags, command, files } = run;
  const { journal } = session;
  const history = await journal.read();
  const isContinued = journal.begin({ command, files }, history, flags.runId);
  const plan = await unsent(agree(recalledFor(history, run, journal.runId())));
  const kept = {
    recall: history.recall,
    see: journal.see,
    newKey: (...about: readonly [Item['kind'], string, string]) => journal.newKey(...about, history),
    keysFrom: flags.runId === undefined ? undefined : '--run-id',
  } as const;
  const execution = await session.sheltered(() => carryOut(plan, run, kept));
  journal.end(countOutcomes(execution.results), isContinued);
  // A failed write of the journal fails the run even at its end.
  const failure: unknown = await journal.settled().catch((error: unknown) => error);
  const conclusion = await plan.conclude?.(execution);
  const stoppedBy = execution.stoppedBy ?? failure ?? conclusion?.failure;
  await report({ ...execution, stoppedBy }, await keptBy(journal, run, conclusion), run);
}

/** Runs the steps before the first write; an interruption then reports that nothing was sent. */
export async function unsent<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
    const { signal, exitCode } = error;
    const sentence = `Interrupted by ${signal}; nothing was sent.`;
    throw new CliError('interrupted', sentence, { exitCode, cause: error });
  }
}

/** Carries out a plan, and shows progress. */
export async function carryOut(
  { items, lockout, ended }: AgreedPlan,
  { session, flags, deadline }: Pick<AskedRun, 'session' | 'flags' | 'deadline'>,
  journal: RunJournal,
): Promise<Execution> {
  const { api, context, out } = session;
  const { clock, random, signal, stderr, presentation } = context;
  const progress = openProgress({
    stderr,
    mode: flags.progress,
    plain: isPlainTerminal(context.env),
    now: clock.monotonic,
    json: presentation.json,
  });
  await progress.start(items.filter(isPending).length, 'Applying');
  let noted = Promise.resolve();
  const noteStop = () => {
    if (presentation.json) return;
    noted = out.note('Stopping: waiting for requests in progress; press ^C again to abort.');
  };
  signal.addEventListener('abort', noteStop, { once: true });
  try {
    const { concurrency, failFast } = flags;
    const mostTries = session.settings().maxAttempts.value;
    return await execute(items, {
      ...{ api, journal, lockout, progress, clock, random, signal, deadline, concurrency, failFast },
      ...{ mostTries, trustsKeys: api.trustsKeys, ended },
    });
  } finally {
    signal.removeEventListener('abort', noteStop);
    await noted;
    await progress.stop();
  }
}

import { CliError, usageError } from '../../cli/errors.ts';
import { Interruption } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import type { Kind } from '../../seed/entry.ts';
import { isPending } from '../../seed/item.ts';
import { type Journal, openJournal, readMemory } from '../../seed/journal.ts';
import type { RunCommand, RunLine } from '../../seed/journal-line.ts';
import { absoluteFiles, journalPath, type RunIdentity } from '../../seed/journal-path.ts';
import { type Planning, readEntries } from '../plan/make-plan.ts';
import { printPlan, warnOfUnchangeable } from '../plan/print.ts';
import { targetIn } from '../target.ts';
import { carryOut } from './carry-out.ts';
import { consentTo } from './consent.ts';
import { type FailedOut, withFailedOut } from './failed-out.ts';
import {
  type ApplyFlags,
  flagsForJournal,
  flagsFromJournal,
  type ParsedFlags,
  parseApplyFlags,
} from './flags.ts';
import { permitKinds } from './limits.ts';
import { type AllowedPlan, planRun } from './plan-run.ts';
import { report } from './report.ts';

/** A run as it was asked for, its files read: what its steps share. */
export interface AskedRun extends RunIdentity, Planning {
  readonly flags: ParsedFlags;
  /** The flags as typed. */
  readonly typed: ApplyFlags;
  /** When the run must be over, by `Clock.monotonic`. */
  readonly deadline: number | undefined;
}

/** The one kind that a command takes. */
const kindOf = {
  apply: undefined,
  'properties import': 'property',
  'invitations import': 'invitation',
} as const satisfies Record<RunCommand, Kind | undefined>;

/**
 * Carries out what files say, from reading them to the exit code. Nothing is sent before files, flags, guards, journal
 * and plan have been checked and a person consented.
 *
 * @throws {CliError} what the run ends with, unless all of it is done.
 */
export async function runApply(
  session: Session,
  files: readonly string[],
  command: RunCommand,
  typed: ApplyFlags,
): Promise<void> {
  const run = await unsent(readRun(session, files, command, typed));
  const { concurrency, maxRps, failedOut, journal, plan } = run.flags;
  session.pace({ concurrency, maxRps, stop: session.context.signal });
  if (session.globals.dryRun === true) {
    await unsent(rehearse(run));
    return;
  }
  await withFailedOut(failedOut, { files, journal, plan }, session.context, (table) =>
    withJournal(run, (opened) => apply(run, opened, table)),
  );
}

/**
 * Continues a run as its journal has it.
 *
 * @param consent what was typed now, in place of what the run was started with.
 */
export async function resumeApply(
  session: Session,
  path: string,
  header: RunLine,
  consent: Pick<ApplyFlags, 'maxDeletes' | 'allowLockout' | 'resendUnknown'>,
): Promise<void> {
  // A second mail is consented to each time.
  const kept = { ...flagsFromJournal(header.options), resendUnknown: undefined };
  const flags = { ...kept, ...consent, journal: path, runId: header.id };
  await runApply(session, header.files, header.command, flags);
}

async function readRun(
  session: Session,
  files: readonly string[],
  command: RunCommand,
  typed: ApplyFlags,
): Promise<AskedRun> {
  const { clock } = session.context;
  const flags = parseApplyFlags(typed);
  if (flags.plan === '-' && files.includes('-'))
    throw usageError('--plan - and a file - both read stdin; one of them can.');
  const limitSeconds = session.settings().timeoutSeconds?.value;
  const deadline = limitSeconds && clock.monotonic() + limitSeconds * 1000;
  const entries = await readEntries(session, files, flags, kindOf[command]);
  // Guards come before the first question to the service.
  permitKinds(entries, flags.prune, session.api.permit);
  const target = await targetIn(session, flags);
  return { session, flags, typed, command, files: absoluteFiles(files), target, deadline, entries };
}

async function rehearse(run: AskedRun): Promise<void> {
  const { items } = await planRun(run, await readMemory(pathOf(run), run));
  await printPlan(items, run.target, run.session);
}

async function apply(run: AskedRun, journal: Journal, table: FailedOut | undefined): Promise<void> {
  const { session } = run;
  const { items, lockout } = await unsent(agreedPlan(run, journal));
  const execution = await session.sheltered(() => carryOut(items, run, journal, lockout));
  await report(execution, journal, table, run);
}

/** What is to be done, with a yes to it. */
async function agreedPlan(run: AskedRun, journal: Journal): Promise<AllowedPlan> {
  const plan = await planRun(run, journal);
  await warnOfUnchangeable(plan.items, run.session.out);
  if (plan.items.some(isPending)) await consentTo(plan.items, run.session);
  return plan;
}

/**
 * Does the work of a run while its journal is open.
 *
 * @throws {CliError} what keeps the journal from being opened, before the work starts.
 */
async function withJournal(run: AskedRun, work: (journal: Journal) => Promise<void>): Promise<void> {
  const { session, flags, typed, command, files, target } = run;
  const profile = session.settings().profile?.value;
  const journal = await openJournal({
    path: pathOf(run),
    runId: flags.runId,
    run: { command, files, target, profile, options: flagsForJournal(typed) },
    context: session.context,
  });
  let isDone = false;
  try {
    await work(journal);
    isDone = true;
  } finally {
    // What the run ended with matters more than a file that could not be closed.
    await journal.close().catch((error: unknown) => {
      if (isDone) throw error;
    });
  }
}

function pathOf(run: AskedRun): string {
  return journalPath(run.session.folders.state, run, run.flags.journal);
}

/** Waits for what comes before the first write of a run: an interruption says so. */
async function unsent<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
    const { signal, exitCode } = error;
    throw new CliError('interrupted', `Interrupted by ${signal}; nothing was sent.`, {
      exitCode,
      cause: error,
    });
  }
}

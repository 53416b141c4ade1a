import { type Item, isPending } from '../../apply/item.ts';
import { type Journal, readMemory } from '../../apply/journal.ts';
import type { RunCommand, RunLine } from '../../apply/journal-lines.ts';
import { absoluteFiles } from '../../apply/journal-path.ts';
import { usageError } from '../../errors.ts';
import type { Kind } from '../../manifest/entry.ts';
import { readManifest } from '../../manifest/read.ts';
import type { Session } from '../../session.ts';
import { propertyNames } from '../meant.ts';
import { consequenceLines } from '../plan/consequence-lines.ts';
import { planSentence, printPlan, warnOfUnchangeable } from '../plan/print.ts';
import { targetIn } from '../target.ts';
import type { AskedRun } from './asked-run.ts';
import { carryOut } from './carry-out.ts';
import { type FailedOut, withFailedOut } from './failed-out.ts';
import { type ApplyFlags, flagsIn, type Wishes, wishesFrom } from './flags.ts';
import { pathOf, withJournal } from './keep-journal.ts';
import { outlineOf } from './outline.ts';
import { permitKinds } from './permits.ts';
import { type AllowedPlan, planRun } from './plan-run.ts';
import { consentTo } from './question.ts';
import { report } from './report.ts';
import { unsent } from './unsent.ts';

/** A run as it was asked for: the command, and its flags as typed. */
export interface ApplyOptions extends ApplyFlags {
  readonly command: RunCommand;
}

/** The one kind that a command takes. */
const kindOf = {
  apply: undefined,
  'properties import': 'property',
  'invitations import': 'invitation',
} as const satisfies Record<RunCommand, Kind | undefined>;

/**
 * Carries out what files say, from reading them to the exit code. Nothing is sent before files, flags, guards, journal
 * and plan have been found right and somebody consented.
 *
 * @throws {CliError} what the run ends with, unless all of it is done.
 */
export async function runApply(
  session: Session,
  files: readonly string[],
  { command, ...flags }: ApplyOptions,
): Promise<void> {
  const run = await unsent(readRun(session, files, command, flags));
  const { concurrency, maxRps, failedOut, journal, plan } = run.wishes;
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
 * Carries on with a run as its journal has it.
 *
 * @param consent what was typed now: it stands in place of what the run was begun with.
 */
export async function resumeApply(
  session: Session,
  path: string,
  header: RunLine,
  consent: Pick<ApplyFlags, 'maxDeletes' | 'allowLockout' | 'resendUnknown'>,
): Promise<void> {
  // That somebody may get a second mail is consented to each time.
  const kept = { ...flagsIn(header.options), resendUnknown: undefined };
  const flags = { ...kept, ...consent, journal: path, runId: header.id };
  await runApply(session, header.files, { command: header.command, ...flags });
}

async function readRun(
  session: Session,
  files: readonly string[],
  command: RunCommand,
  flags: ApplyFlags,
): Promise<AskedRun> {
  const { stdin, signal, clock } = session.context;
  const { dialect } = session.api;
  const { warn } = session.out;
  const wishes = wishesFrom(flags);
  refuseSecondStdin(files, wishes);
  const settings = session.settings();
  const limitMs = settings.timeoutSeconds && settings.timeoutSeconds.value * 1000;
  const deadline = limitMs && clock.monotonic() + limitMs;
  const entries = await readManifest(files, {
    stdin,
    signal,
    only: kindOf[command],
    prune: wishes.prune,
    dialect,
    warn,
    propertyNames: () => propertyNames(session.api),
  });
  // Guards come before the first question to the service.
  permitKinds(entries, wishes.prune, session.api.permit);
  return {
    session,
    wishes,
    flags,
    command,
    files: absoluteFiles(files),
    target: await targetIn(session, wishes),
    deadline,
    entries,
  };
}

function refuseSecondStdin(files: readonly string[], { plan }: Wishes): void {
  if (plan === '-' && files.includes('-')) {
    throw usageError('--plan - and a file - both read stdin; one of them can.');
  }
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
  if (plan.items.some(isPending)) await consent(plan.items, run.session);
  return plan;
}

/** The plan is shown before a yes is asked for; --yes still hears what should not happen by accident. */
async function consent(items: readonly Item[], session: Session): Promise<void> {
  const { context, globals, out } = session;
  const summary = planSentence(items);
  const shown = globals.yes === true ? [] : [...outlineOf(items), summary];
  if (!context.presentation.json) {
    for (const line of [...shown, ...consequenceLines(items)]) await out.note(line);
  }
  await consentTo(items, summary, session);
}

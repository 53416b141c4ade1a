import { CliError, usageError } from '../../cli/errors.ts';
import { Interruption } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { neutraliseLine } from '../../out/text.ts';
import { type Entry, type Kind, placeText } from '../../seed/entry.ts';
import { type Item, isPending } from '../../seed/item.ts';
import { type Journal, readMemory } from '../../seed/journal.ts';
import type { RunCommand, RunLine } from '../../seed/journal-line.ts';
import { absoluteFiles, type RunIdentity } from '../../seed/journal-path.ts';
import { readManifest } from '../../seed/read.ts';
import { consequenceLines, planSentence, printPlan, warnOfUnchangeable, whatLines } from '../plan/print.ts';
import { propertyNames } from '../suggest.ts';
import { targetIn } from '../target.ts';
import { carryOut, pathOf, withJournal } from './carry-out.ts';
import { type FailedOut, withFailedOut } from './failed-out.ts';
import { type ApplyFlags, flagsIn, type Wishes, wishesFrom } from './flags.ts';
import { permitKinds } from './limits.ts';
import { type AllowedPlan, consentTo, planRun } from './plan-run.ts';
import { report } from './report.ts';

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

/** A run as it was asked for, its files read: what its steps share. */
export interface AskedRun extends RunIdentity {
  readonly session: Session;
  readonly wishes: Wishes;
  readonly flags: ApplyFlags;
  readonly entries: readonly Entry[];
  /** When the run must be over, by `Clock.monotonic`. */
  readonly deadline: number | undefined;
}

/** A person looks at so many lines before saying yes; the whole plan is printed by `innctl plan`. */
const MOST_LINES = 40;

/** What a plan would send, and what it cannot do, one line each. */
function outlineOf(items: readonly Item[]): readonly string[] {
  const told = items.filter(
    (item) => isPending(item) || item.action === 'conflict' || item.error !== undefined,
  );
  const lines = told.slice(0, MOST_LINES).map(lineOf);
  const more = told.length - lines.length;
  return more > 0 ? [...lines, `  and ${more} more, which a plan shows`] : lines;
}

function lineOf(item: Item): string {
  const { action, kind, name, entry } = item;
  const place = entry === undefined ? '' : ` (${placeText(entry.place)})`;
  const what = whatLines(item).join('; ');
  return neutraliseLine(`  ${action} ${kind} ${name}${place}${what === '' ? '' : `: ${what}`}`);
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

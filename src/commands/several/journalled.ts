import { resolve } from 'node:path';
import { usageError } from '../../cli/errors.ts';
import { flagOf } from '../../cli/flags.ts';
import type { Session } from '../../cli/session.ts';
import { type Item, isPending } from '../../seed/item.ts';
import { type Recalled, readMemory } from '../../seed/journal.ts';
import { type JobCommand, REFERENCES } from '../../seed/journal-line.ts';
import { absoluteFiles, journalPath } from '../../seed/journal-read.ts';
import { countByAction } from '../../seed/saved-plan.ts';
import { checkFailedOut } from '../apply/failed-out.ts';
import { type ApplyFlags, parseApplyFlags } from '../apply/flags.ts';
import { again, checkPlan, consentTo, showPlan } from '../apply/plan-run.ts';
import { type AgreedPlan, type JournalledRun, unsent, withJournal } from '../apply/run.ts';
import { printPlanned } from '../plan/print.ts';
import { targetIn } from '../target.ts';
import { agree, type GivenConsent, type Row } from './run.ts';

/** Whom a command line names: by references, or with `--file`. */
export interface Asked {
  readonly references: readonly string[];
  readonly file?: string | undefined;
}

/** The flags of a job, as typed: those of `withRunFlags`, and consent. The others of a command are stored for `runs resume` too. */
export type JobFlags = ApplyFlags & Omit<GivenConsent, 'allowLockout'>;

/** Carries out a command; `runs resume` calls it with what a journal kept. */
export type RunJob = (session: Session, asked: Asked, flags: JobFlags) => Promise<void>;

/** What happens around the rows of a job, once it may be carried out. */
export interface Begun extends Pick<AgreedPlan, 'ended' | 'conclude'> {
  readonly close?: () => void | Promise<void>;
}

/** A command that makes the rows of its run itself. */
export interface Job {
  readonly command: JobCommand;
  readonly asked: Asked;
  readonly flags: JobFlags;
  /**
   * Makes the rows. It is called when the journal is open, and for a dry run without one.
   *
   * @param memory what earlier runs with this journal did.
   */
  readonly plan: (memory: Recalled) => Promise<readonly Row[]>;
  /** All command lines of the command share a journal, and recall each other's rows; they cannot run at the same time. */
  readonly sharesJournal?: boolean;
  /** An interruption lets rows that have begun send all their requests. */
  readonly finishesRows?: boolean;
  /** Whether rows that the command line names need consent, or are only shown; default: consent. A file always needs it. */
  readonly asks?: (items: readonly Item[]) => boolean;
  /** Called after consent, right before the first request; a failure ends the run, and nothing was sent. */
  readonly begin?: (rows: readonly Row[], runId: string) => Promise<Begun>;
}

/**
 * Carries out rows that a command makes, with the engine of apply: plan, limits, lock-out rule, consent, journal, report. The
 * same command line continues an incomplete run, and so does `runs resume`.
 *
 * References are consented to by name where people are disabled (`--confirm`); a file needs `--yes` and `--max-deletes`. To add
 * a command: its name in `jobCommands`, its function in `jobs` of commands/runs/resume.ts, `withRunFlags`, and `readPeople` for
 * its file.
 *
 * @throws {CliError} exit 11 without consent; the error of the run, if it was not done completely.
 */
export async function runJob(job: Job, session: Session): Promise<void> {
  const { flags: typed, asked, begin } = job;
  const run = await unsent(open(job, session));
  const { flags, path } = run;
  const isByName = asked.file === undefined;
  const { concurrency, maxRps } = flags;
  const stop = job.finishesRows ? undefined : session.context.signal;
  await session.pace({ concurrency, maxRps, stop });
  const check = async (memory: Recalled) => {
    const rows = await job.plan(memory);
    const items = rows.map(({ item }) => item);
    return { rows, items, lockout: await checkPlan(items, memory, run, isByName) };
  };
  if (session.globals.dryRun === true) {
    const { items } = await unsent(readMemory(path, run).then(check));
    return printPlanned(items, { summary: countByAction(items) }, session);
  }
  if (flags.failedOut !== undefined) {
    const files = asked.file === undefined ? [] : [asked.file];
    checkFailedOut(flags.failedOut, { files, journal: flags.journal, plan: undefined });
  }
  let begun: Begun | undefined;
  try {
    await withJournal(run, async (journal) => {
      const { rows, items, lockout } = await check(journal);
      if (!isByName && items.some(isPending)) await consentTo(items, session, run.review);
      else if (isByName && job.asks?.(items) === false) await showPlan(items.filter(isPending), session);
      else if (isByName) await agree(rows, typed, session);
      begun = await begin?.(rows, journal.runId);
      return { items, lockout, ...begun };
    });
  } finally {
    await begun?.close?.();
  }
}

async function open(
  { command, asked: { references, file }, flags: typed, sharesJournal }: Job,
  session: Session,
): Promise<JournalledRun> {
  const flags = parseApplyFlags(typed);
  const files = file === undefined ? references : absoluteFiles([file]);
  const target = await targetIn(session, { prune: false });
  const { state } = session.folders;
  const path = journalPath(state, { command, files: sharesJournal ? [] : files, target }, flags.journal);
  const limitSeconds = session.settings().timeoutSeconds?.value;
  const deadline = limitSeconds && session.context.clock.monotonic() + limitSeconds * 1000;
  return {
    ...{ session, flags, command, files, target, path, deadline },
    options: { ...flagsForJournal(typed), [REFERENCES]: file === undefined },
    review: again({ session }, '--dry-run'),
    repeat: (failedOut) => [...command.split(' '), '--file', failedOut, ...meaning(typed)],
  };
}

/** The flags that say what is done, and what is kept of it: other people want the same. */
const MEANING = 'role properties property like at strip evidence reason ticket allowLockout'.split(' ');

function meaning(flags: JobFlags): readonly string[] {
  const words = (flag: string, value: unknown) => (value === true ? [flag] : [flag, String(value)]);
  return Object.entries(flags)
    .filter(([name, value]) => MEANING.includes(name) && value !== undefined)
    .flatMap(([name, value]) => [value].flat().flatMap((each) => words(flagOf(name), each)));
}

/** Journal and run id are known without being stored, and a second mail needs consent each time. */
function flagsForJournal({ journal, runId, resendUnknown, verbose, failedOut, ...flags }: JobFlags) {
  return { ...flags, failedOut: failedOut && resolve(failedOut) };
}

/** Checks that a command line names people in one way. @throws {CliError} exit 2. */
export function refuseUnclear(
  { references, file }: Asked,
  { confirm, map }: Pick<JobFlags, 'confirm' | 'map'>,
  command: JobCommand,
): void {
  const help = `innctl ${command} --help`;
  if (file === undefined && references.length === 0)
    throw usageError('Nobody is named: give e-mail addresses, or --file.', help);
  if (file === undefined && map !== undefined) throw usageError('--map is for --file.', help);
  if (file !== undefined && references.length > 0)
    throw usageError('--file and e-mail addresses cannot be given together.', help);
  if (file !== undefined && confirm !== undefined)
    throw usageError(
      '--confirm is for people named on the command line; a file takes --yes and --max-deletes.',
      help,
    );
}

import { type Detail, refuseInvalid, usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { hinting } from '../../fs/read.ts';
import { checkEvidenceFolder } from '../../people/evidence.ts';
import type { Entry, Kind } from '../../seed/entry.ts';
import type { Execution } from '../../seed/execute.ts';
import { absoluteFiles } from '../../seed/files.ts';
import { type Recalled, recalledFor } from '../../seed/history.ts';
import { type Item, isPending } from '../../seed/item.ts';
import type { JobCommand } from '../../seed/journal-line.ts';
import type { PeopleColumn } from '../../seed/people-file.ts';
import { summaryOf } from '../../seed/saved-plan.ts';
import type { OperationId } from '../../service/operations.ts';
import { again, checkPlan, consentTo, showPlan } from '../apply/plan-run.ts';
import type { Conclusion } from '../apply/report.ts';
import { deadlineOf, type JournalledRun, unsent, withJournal } from '../apply/run.ts';
import { keepEvidence, type PersonRows, type Review } from '../evidence/around.ts';
import { type EvidenceFlags, evidenceProblems } from '../evidence/flags.ts';
import { type ApplyFlags, parseApplyFlags } from '../plan/flags.ts';
import { printPlanned } from '../plan/print.ts';
import { agree, type GivenConsent, permitEach, type Row } from './run.ts';

/** Whom a command line names: by references, or with `--file`. */
export interface Asked {
  readonly references: readonly string[];
  readonly file?: string | undefined;
}

/** The flags of a job, as typed: those of `withRunFlags`, consent and evidence. */
export type JobFlags = ApplyFlags & EvidenceFlags & Omit<GivenConsent, 'allowLockout'>;

/** A command that makes the rows of its run itself, as it was typed. */
interface TypedJob {
  readonly command: JobCommand;
  readonly asked: Asked;
  readonly flags: JobFlags;
}

/** Somebody whom a command line names, or a row of its file. */
export interface NamedPerson {
  readonly reference: string;
  /** The row. */
  readonly entry?: Entry;
}

/** Whether they are rows of a file. */
export function isOfFile(people: readonly NamedPerson[]): boolean {
  return people.some(({ entry }) => entry !== undefined);
}

/** How a job reads whom its line names. */
interface Naming extends TypedJob {
  /** Those of a file: `email` holds the reference. */
  readonly columns: readonly PeopleColumn[];
  /** What rows of a file are. */
  readonly kind: Kind;
  /** Other columns are for people. Default: they are mistakes. */
  readonly ignoresOthers?: true;
  /** What to do about a file that cannot be used. */
  readonly hint?: string;
  /** What is wrong with the references, and with flags of the command. */
  readonly problems: readonly Detail[];
  /** What the guards are asked before anything is read; default: nothing. */
  readonly permits?: OperationId | undefined;
}

/**
 * Checks the command line of a job, and reads its file.
 *
 * @returns the people, and the digest of the file.
 * @throws {CliError} exit 2 with all that is wrong; exit 11 for what a guard forbids.
 */
export async function readNamed(
  { command, asked, flags, columns, kind, ignoresOthers, hint, problems, permits }: Naming,
  session: Session,
): Promise<{ readonly people: readonly NamedPerson[]; readonly sha256?: string | undefined }> {
  refuseUnclear(asked, flags, command);
  parseApplyFlags(flags);
  refuseInvalid([...problems, ...evidenceProblems(flags)]);
  const { context, api, out } = session;
  if (flags.evidence !== undefined) checkEvidenceFolder(flags.evidence, context.uid);
  const { references, file } = asked;
  if (permits !== undefined) {
    api.permit(permits);
    permitEach(permits, references, session);
  }
  if (file === undefined) return { people: references.map((reference) => ({ reference })) };
  const { readPeople } = await import('../../seed/people-file.ts');
  const options = { context, map: flags.map, hidden: flags.hidden, warn: out.warn, ignoresOthers };
  const reading = readPeople(file, columns, options);
  const { rows, sha256 } = await unsent(hint === undefined ? reading : reading.catch(hinting(hint)));
  const people = rows.map((row) => {
    const reference = String(row.fields['email']);
    return { reference, entry: { kind, name: reference, ...row } };
  });
  return { people, sha256 };
}

/** What a job is to do. */
export interface JobPlan {
  readonly rows: readonly Row[];
  /** Whose evidence can be kept, with the rows about them. */
  readonly people?: readonly PersonRows[];
  /** The review that is carried out, for the evidence. */
  readonly review?: Review;
  /** What no operation shows or ends, in sentences: for the evidence, and said when something was sent. */
  readonly cannotTell?: readonly string[];
  /** What else the report says. */
  readonly conclusion?: Pick<Conclusion, 'facts' | 'notes'>;
}

/** How a job is carried out. */
interface Job extends TypedJob {
  /**
   * Makes the rows. It is called when the journal is open, and for a dry run without one.
   *
   * @param memory what earlier runs with this journal did.
   */
  readonly plan: (memory: Recalled) => Promise<JobPlan>;
  /**
   * The journal may be all that is left of a row: an interruption lets rows that have begun send all their requests.
   */
  readonly isOnlyInJournal?: true;
  /** Whether rows that the command line names need consent, or are only shown; default: consent. A file always needs it. */
  readonly asks?: (items: readonly Item[]) => boolean;
}

/**
 * Carries out rows that a command makes, with the engine of apply: plan, limits, lock-out rule, consent, journal, evidence,
 * report. The same command line continues an incomplete run.
 *
 * References are consented to by name where people are disabled (`--confirm`); a file needs `--yes` and `--max-deletes`. To add
 * a command: its name in `jobCommands`, `withRunFlags`, and `readNamed` for whom it names.
 *
 * @throws {CliError} exit 11 without consent; the error of the run, if it was not done completely.
 */
export async function runJob(job: Job, session: Session): Promise<void> {
  const { asked, command, flags: typed } = job;
  const run = open(job, session);
  const { flags } = run;
  const isByName = asked.file === undefined;
  const { concurrency, maxRps } = flags;
  const stop = job.isOnlyInJournal ? undefined : session.context.signal;
  await session.pace({ concurrency, maxRps, stop });
  const check = async (memory: Recalled) => {
    const plan = await job.plan(memory);
    const items = plan.rows.map(({ item }) => item);
    return { plan, items, lockout: await checkPlan(items, memory, run, isByName) };
  };
  if (session.globals.dryRun === true) {
    const reading = session.journal.read().then((history) => check(recalledFor(history, run)));
    const { items } = await unsent(reading);
    return printPlanned(items, { summary: summaryOf(items) }, session);
  }
  let evidence: Awaited<ReturnType<typeof keepEvidence>> | undefined;
  try {
    await withJournal(run, async (memory) => {
      const { plan, items, lockout } = await check(memory);
      const { people, review, cannotTell = [] } = plan;
      if (!isByName && items.some(isPending)) await consentTo(items, session, run.review);
      else if (isByName && job.asks?.(items) === false) await showPlan(items.filter(isPending), session);
      else if (isByName) await agree(plan.rows, typed, session);
      if (people !== undefined && typed.evidence !== undefined)
        evidence = await keepEvidence(
          people,
          {
            ...{ folder: typed.evidence, reason: typed.reason, ticket: typed.ticket },
            ...{ job: command, run: session.journal.runId(), review, cannotTell },
          },
          session,
        );
      const conclude = async (execution: Execution) =>
        conclusionOf(plan, execution, await evidence?.conclude(execution));
      return { items, lockout, ended: evidence?.ended, conclude };
    });
  } finally {
    evidence?.close();
  }
}

/** What the report of a job says besides its rows. */
function conclusionOf(
  { cannotTell, conclusion = {} }: JobPlan,
  { results }: Execution,
  evidence: Conclusion = {},
): Conclusion {
  const isSent = results.some(({ item, outcome }) => isPending(item) && outcome === 'done');
  const told = cannotTell === undefined ? {} : { cannot_tell: cannotTell };
  return {
    facts: { ...conclusion.facts, ...evidence.facts, ...told },
    notes: [...(conclusion.notes ?? []), ...(evidence.notes ?? []), ...((isSent && cannotTell) || [])],
    failure: evidence.failure,
  };
}

function open({ command, asked: { references, file }, flags: typed }: Job, session: Session): JournalledRun {
  const flags = parseApplyFlags(typed);
  const files = file === undefined ? references : absoluteFiles([file]);
  return {
    ...{ session, flags, command, files, deadline: deadlineOf(session) },
    review: again({ session }, '--dry-run'),
    needsRoles: command === 'people onboard',
  };
}

/** Checks that a command line names people in one way. @throws {CliError} exit 2. */
function refuseUnclear(
  { references, file }: Asked,
  { confirm, map, hidden }: Pick<JobFlags, 'confirm' | 'map' | 'hidden'>,
  command: JobCommand,
): void {
  const help = `innctl ${command} --help`;
  if (file === undefined && references.length === 0)
    throw usageError('Nobody is named: give e-mail addresses, or --file.', help);
  const reading = map === undefined ? hidden && '--hidden' : '--map';
  if (file === undefined && reading !== undefined) throw usageError(`${reading} is for --file.`, help);
  if (file !== undefined && references.length > 0)
    throw usageError('--file and e-mail addresses cannot be given together.', help);
  if (file !== undefined && confirm !== undefined)
    throw usageError(
      '--confirm is for people named on the command line; a file takes --yes and --max-deletes.',
      help,
    );
}

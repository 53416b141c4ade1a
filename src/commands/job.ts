import type { Command } from '@commander-js/extra-typings';
import { agree, consentTo, type Row, type ShownPlan, showPlan } from '../change/consent.ts';
import type { Execution } from '../change/execute.ts';
import { type ApplyFlags, parseApplyFlags, readingWords } from '../change/flags.ts';
import { permitEach } from '../change/guards.ts';
import { type Item, isPending, summaryOf } from '../change/item.ts';
import { again } from '../change/lines.ts';
import { type Conclusion, keptBy, printPlanned, report } from '../change/report.ts';
import { carryOut, checkRows, deadlineOf, type GivenConsent, unsent } from '../change/rows.ts';
import type { Entry } from '../files/entry.ts';
import { absoluteFiles } from '../files/files.ts';
import type { PeopleColumn, PeopleOptions } from '../files/people-file.ts';
import { hinting } from '../fs/read.ts';
import { type Recalled, recalledFor } from '../journal/history.ts';
import type { JobCommand } from '../journal/line.ts';
import { type Detail, detailsFor, refuseInvalid, usageError } from '../model/errors.ts';
import { checkEvidenceFolder } from '../people/evidence.ts';
import type { OperationId } from '../service/operations.ts';
import type { Session } from '../session/session.ts';
import { keepEvidence, type Witnessed } from './evidence/around.ts';

/** Whom a command line names: by references, or with `--file`; a review is in one file or several. */
export interface Asked {
  readonly references: readonly string[];
  readonly file?: string | readonly string[] | undefined;
}

/** The flags of a job, as typed: those of `withRunFlags`, consent and evidence. */
export type JobFlags = ApplyFlags &
  Omit<GivenConsent, 'allowLockout'> &
  Readonly<Partial<Record<'evidence' | 'reason' | 'ticket', string | undefined>>>;

type Flags = Record<string, unknown>;

/** Adds the flags of commands that keep evidence. */
export function withEvidenceFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--evidence <folder>', 'keep what is done to each person in a folder')
    .option('--reason <text>', 'why, for the evidence')
    .option('--ticket <text>', 'the ticket, for the evidence');
}

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

/** A command line of a job to check. */
interface CheckedJob extends TypedJob {
  /** What is wrong with the references, and with flags of the command. */
  readonly problems: readonly Detail[];
  /** What the guards are asked before anything is read; default: nothing. */
  readonly permits?: OperationId | undefined;
}

/** How a job reads whom its line names. */
interface Naming extends CheckedJob, Pick<PeopleOptions, 'ignoresOthers' | 'judge' | 'unknownNames'> {
  /** Those of a file: `email` holds the reference. */
  readonly columns: readonly PeopleColumn[];
  /** What rows of a file are. */
  readonly kind: Entry['kind'];
  /** What to do about a file that cannot be used. */
  readonly hint?: string;
}

/**
 * Checks the command line of a job, before anything is read.
 *
 * @returns the flags.
 * @throws {CliError} exit 2 with all that is wrong; exit 11 for what a guard forbids.
 */
export function checkLine({ command, asked, flags, problems, permits }: CheckedJob, session: Session) {
  refuseUnclear({ command, asked, flags });
  const parsed = parseApplyFlags(flags);
  refuseInvalid([...problems, ...evidenceProblems(flags)]);
  if (flags.evidence !== undefined) checkEvidenceFolder(flags.evidence, session.context.uid);
  if (permits !== undefined) permitEach(permits, asked.references, session);
  return parsed;
}

/**
 * Checks the command line of a job, and reads its file.
 *
 * @returns the people, and the digest of the files.
 * @throws {CliError} exit 2 with all that is wrong; exit 11 for what a guard forbids.
 */
export async function readNamed(
  { command, asked, flags, columns, kind, hint, problems, permits, ...others }: Naming,
  session: Session,
): Promise<{ readonly people: readonly NamedPerson[]; readonly sha256?: string | undefined }> {
  const line = { command, asked, flags, problems, permits };
  const { map, mapRest, headerRow, hidden } = checkLine(line, session);
  const { context, out } = session;
  const { references, file } = asked;
  if (file === undefined) return { people: references.map((reference) => ({ reference })) };
  const { readPeople } = await import('../files/people-file.ts');
  const options = { context, map, mapRest, headerRow, hidden, warn: out.warn, ...others };
  const reading = readPeople([file].flat(), columns, options);
  const { rows, sha256 } = await unsent(hint === undefined ? reading : reading.catch(hinting(hint)));
  const people = rows.map((row) => {
    const reference = String(row.fields['email']);
    return { reference, entry: { kind, name: reference, ...row } };
  });
  return { people, sha256 };
}

/** What a job is to do. */
export interface JobPlan extends Witnessed {
  readonly rows: readonly Row[];
  /** What else the report says. */
  readonly conclusion?: Pick<Conclusion, 'facts' | 'notes'>;
  /** How it is shown; default: its rows. A dry run prints `conclusion.facts`, too. */
  readonly shown?: ShownPlan;
  /** Called when the plan is agreed, before anything is sent. */
  readonly agreed?: () => void;
}

/** How a job is carried out. */
interface Job extends TypedJob {
  /**
   * Makes the rows. It is called when the journal is open, and for a dry run without one.
   *
   * @param memory what earlier runs with this journal did.
   */
  readonly plan: (memory: Recalled) => Promise<JobPlan>;
  /** The journal may be all that is left of a row: an interruption lets rows that have begun send all their requests. */
  readonly isOnlyInJournal?: true;
  /** The plan itself limits what is deleted, in place of --max-deletes. */
  readonly isLimited?: true;
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
export async function runJob({ asked, command, flags: typed, ...job }: Job, session: Session): Promise<void> {
  const { references, file } = asked;
  const flags = parseApplyFlags(typed);
  const isByName = file === undefined;
  const files = isByName ? references : absoluteFiles([file].flat());
  const run = { session, flags, command, files, deadline: deadlineOf(session) };
  const limits = { ...flags, isByName: isByName || job.isLimited, review: again(session, '--dry-run') };
  await session.pace({ ...flags, stop: job.isOnlyInJournal ? undefined : session.context.signal });
  const journal = await session.journal();
  const check = async (memory: Recalled) => {
    const plan = await job.plan(memory);
    const items = plan.rows.map(({ item }) => item);
    return { plan, items, lockout: await checkRows(items, flags.allowLockout, session, limits) };
  };
  if (session.globals.dryRun === true) {
    const history = await unsent(journal.read());
    const { items, plan } = await unsent(check(recalledFor(history, run)));
    const facts = { ...(plan.shown && plan.conclusion?.facts), summary: summaryOf(items) };
    return printPlanned(items, facts, session, plan.shown);
  }
  let evidence: Awaited<ReturnType<typeof keepEvidence>> | undefined;
  const agreed = async (memory: Recalled) => {
    const { plan, items, lockout } = await check(memory);
    if (!isByName && items.some(isPending)) await consentTo(items, session, limits.review, plan.shown);
    else if (isByName && job.asks?.(items) === false) await showPlan(items.filter(isPending), session);
    else if (isByName) await agree(plan.rows, typed, session);
    plan.agreed?.();
    const { evidence: folder, reason, ticket } = typed;
    const about = { job: command, run: journal.runId(), reason, ticket };
    if (folder !== undefined) evidence = await keepEvidence(plan, { folder, ...about }, session);
    const conclude = async (execution: Execution) =>
      conclusionOf(plan, execution, await evidence?.conclude(execution));
    return { items, lockout, ended: evidence?.ended, conclude };
  };
  try {
    const ended = await carryOut(run, ({ memory }) => unsent(agreed(memory)));
    const kept = await keptBy(journal, run, ended.conclusion);
    await report(ended, kept, { session, flags, needsRoles: command === 'people onboard' });
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
  return {
    facts: { ...conclusion.facts, ...evidence.facts, ...(cannotTell && { cannot_tell: cannotTell }) },
    notes: [...(conclusion.notes ?? []), ...(evidence.notes ?? []), ...((isSent && cannotTell) || [])],
    failure: evidence.failure,
  };
}

/** Checks that a command line names people in one way. @throws {CliError} exit 2. */
function refuseUnclear({
  command,
  asked: { references, file },
  flags: { confirm, ...flags },
}: TypedJob): void {
  const [forFile] = readingWords(flags);
  const ofWords = [
    references.length === 0 && 'No address was given: give e-mail addresses, or --file.',
    forFile !== undefined && `${forFile} is for --file.`,
  ];
  const ofFile = [
    references.length > 0 && '--file and e-mail addresses cannot be given together.',
    confirm !== undefined &&
      '--confirm is for people named on the command line; a file takes --yes and --max-deletes.',
  ];
  const problem = (file === undefined ? ofWords : ofFile).find((each) => each !== false);
  if (problem !== undefined) throw usageError(problem, `innctl ${command} --help`);
}

/** The problems of the flags: --reason and --ticket need --evidence, which alone records them. */
function evidenceProblems({ evidence, reason, ticket }: JobFlags): readonly Detail[] {
  const alone = 'is for the evidence: give --evidence too';
  const isAlone = (text: string | undefined) => evidence === undefined && text !== undefined;
  return [
    ...detailsFor('--evidence', evidence === '' ? 'is not the name of a folder' : undefined),
    ...detailsFor('--reason', isAlone(reason) ? alone : undefined),
    ...detailsFor('--ticket', isAlone(ticket) ? alone : undefined),
  ];
}

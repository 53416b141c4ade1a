import { consentTo } from '../../change/consent.ts';
import {
  type ApplyFlags,
  type ParsedFlags,
  type ParsedPlanFlags,
  type PlanFlags,
  parseApplyFlags,
  readingWords,
} from '../../change/flags.ts';
import { permitKinds } from '../../change/guards.ts';
import { type Item, isPending } from '../../change/item.ts';
import { serviceFlags } from '../../change/lines.ts';
import { buildPlan, refuseIncomplete, unknownNames } from '../../change/plan.ts';
import { keptBy, printPlan, report, warnOfUnchangeable } from '../../change/report.ts';
import { carryOut, checkRows, deadlineOf, type Run, targetIn, unsent } from '../../change/rows.ts';
import { refuseIfChanged } from '../../change/saved-plan.ts';
import { propertyNames } from '../../change/suggest.ts';
import type { MappedHeader } from '../../files/columns.ts';
import { Headers } from '../../files/columns.ts';
import { type Entry, listed } from '../../files/entry.ts';
import { absoluteFiles, stdinFolder } from '../../files/files.ts';
import { readManifest, skippedText } from '../../files/read.ts';
import { type Memory, type Recalled, recalledFor } from '../../journal/history.ts';
import { type RunAbout, type Target, targetText } from '../../journal/line.ts';
import { usageError } from '../../model/errors.ts';
import { timeFields } from '../../model/kinds.ts';
import { quote } from '../../model/text.ts';
import { neutraliseLine, shellLine } from '../../print/text.ts';
import type { Session } from '../../session/session.ts';

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
  await report(ended, await keptBy(await session.journal(), run, ended.conclusion), run);
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
  const history = await (await run.session.journal()).read();
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
  const items = await makePlan(run, memory, true);
  if (run.flags.plan !== undefined) await refuseOtherPlan(run.flags.plan, items, memory, run);
  const limits = { ...run.flags, review: run.review };
  return { items, lockout: await checkRows(items, run.flags.allowLockout, run.session, limits) };
}

/** @throws {CliError} if the plan differs from the saved one. */
async function refuseOtherPlan(path: string, items: readonly Item[], memory: Recalled, run: AskedRun) {
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
  const { prune, runId } = flags;
  return shellLine([
    'innctl',
    ...serviceFlags(globals),
    'plan',
    ...files.map((file) => (stdinFolder(file) === undefined ? file : '-')),
    ...readingWords(flags),
    ...(prune === true ? ['--prune'] : []),
    ...(runId === undefined ? [] : ['--run-id', runId]),
  ]);
}

/** The input of a plan. */
export interface Planning extends RunAbout {
  readonly target: Target;
  readonly session: Session;
  readonly entries: readonly Entry[];
  /** How the headers of tables were read that are no names of columns. */
  readonly columns: readonly MappedHeader[];
  readonly flags: ParsedPlanFlags;
}

/**
 * Makes the plan for the entries.
 *
 * @param memory what the journal knows.
 * @param isToApply refuses what lacks fields to be created.
 */
async function makePlan(planning: Planning, memory: Recalled, isToApply: boolean): Promise<readonly Item[]> {
  const { session, entries, flags } = planning;
  const { api } = session;
  await warnOfPrune(planning, memory);
  const runId = flags.runId ?? memory.runId;
  const items = await buildPlan(entries, api, { ...planOptions(session, flags), memory, runId });
  if (isToApply) refuseIncomplete(items, api);
  await warnOfTimes(items, memory, session);
  return items;
}

/** Warns of default times of existing properties that may differ: no service shows them. */
async function warnOfTimes(items: readonly Item[], memory: Memory, { api, out }: Session): Promise<void> {
  const unsure = items.filter(
    ({ kind, name, action, entry }) =>
      (action === 'same' || action === 'change') &&
      timeFields.some((field) => entry?.fields[field] !== undefined) &&
      memory.recall(kind, name)?.times === undefined,
  );
  if (unsure.length === 0) return;
  const isFixed = timeFields.some((field) => api.dialect.fixedFields.includes(field));
  const how = isFixed ? '' : ' innctl properties update sets them.';
  const names = listed(unsure.map(({ name }) => name));
  await out.warn(`The default times of ${names} are not compared or sent: no service shows them.${how}`);
}

function planOptions({ api, context, out }: Session, { prune, concurrency: workers }: ParsedPlanFlags) {
  const { redactor, clock } = context;
  return { prune, workers, honoursKeys: api.trustsKeys, redactor, now: clock.now, warn: out.warn };
}

/**
 * Shows the plan of `innctl apply` with the same files.
 *
 * @returns whether there is something to do about some rows.
 */
export async function planFiles(session: Session, files: readonly string[], flags: ParsedPlanFlags) {
  const { items, ...run } = await readPlan(session, files, flags, true);
  await printPlan(items, run, session);
  return items.some(isPending);
}

/** Plans what `innctl apply` would do with some files. @param isToApply refuses what lacks fields to be created. */
export async function readPlan(
  session: Session,
  files: readonly string[],
  flags: ParsedPlanFlags,
  isToApply: boolean,
) {
  const { entries, columns } = await readEntries(session, files, flags);
  const target = await targetIn(session, flags);
  const identity = { command: 'apply', files: absoluteFiles(files), target } as const;
  const run = { session, entries, columns, flags, ...identity };
  const memory = recalledFor(await (await session.journal()).read(), run);
  await session.pace(flags);
  return { ...run, items: await makePlan(run, memory, isToApply) };
}

/**
 * Reads and checks the entries of some files.
 *
 * @throws {CliError} exit 2 with all that is wrong.
 */
async function readEntries(session: Session, files: readonly string[], flags: ParsedPlanFlags) {
  const { api, context, globals, out } = session;
  const { prune, hidden, headerRow, map = [], mapRest } = flags;
  const headers = new Headers(map, mapRest);
  const { argv, stdin, signal } = context;
  const { entries, skipped } = await readManifest(files, {
    ...{ argv, stdin, signal, prune, hidden, headerRow, headers, dialect: api.dialect, warn: out.warn },
    propertyNames: () => propertyNames(api),
    unknownNames: async (named) => {
      const memory = { recall: () => undefined, created: () => [] };
      return unknownNames(named, api, { ...planOptions(session, flags), memory, prune: false });
    },
  });
  const isHeard = context.stderr.isTerminal && !context.presentation.json;
  if (skipped.length > 0 && (isHeard || globals.debug === true))
    await out.note(`Skipped: ${skippedText(skipped)}.`);
  const { mapped } = headers;
  if (mapped.length > 0) await out.note(columnsLine(mapped));
  return { entries, columns: mapped };
}

/** `columns: Ort → location.city, Bemerkung → (left out)` */
function columnsLine(mapped: readonly MappedHeader[]): string {
  const texts = mapped.map(({ header, field }) => `${quote(header).slice(1, -1)} → ${field ?? '(left out)'}`);
  return neutraliseLine(`columns: ${[...new Set(texts)].join(', ')}`);
}

/** Warns if --prune has no journal to work with: an empty plan would be misleading. */
async function warnOfPrune({ session, target, flags }: Planning, memory: Memory): Promise<void> {
  if (!flags.prune || memory.created().length > 0) return;
  await session.out.warn(
    '--prune finds nothing to delete: no journal of an earlier run with these files, named in this order, says that it ' +
      `created anything at ${targetText(target)}.`,
  );
}

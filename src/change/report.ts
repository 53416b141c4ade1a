import type { MappedHeader } from '../files/columns.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunAbout, Target } from '../journal/line.ts';
import { CliError, ClosedPipe, type Detail } from '../model/errors.ts';
import { kindText } from '../model/kinds.ts';
import { pagesOf, type ServiceRecord, withoutHoles } from '../model/records.ts';
import { firstOf } from '../model/text.ts';
import { writeStepSummary } from '../print/github.ts';
import { columnsOf } from '../print/labels.ts';
import type { OutlineLine } from '../print/outline.ts';
import type { Column, Facts, Shape } from '../print/output.ts';
import { sameCommand, shellLine } from '../print/text.ts';
import type { LocalSession, Session } from '../session/session.ts';
import type { ShownPlan } from './consent.ts';
import { countOutcomes, detailsOf, endOf, grouped } from './end.ts';
import type { Execution } from './execute.ts';
import type { ParsedFlags } from './flags.ts';
import {
  consequencesOf,
  countByAction,
  type Item,
  isPending,
  type Result,
  titleOfPerson,
  unchangeableText,
  withoutRolesAfter,
} from './item.ts';
import {
  again,
  isPiped,
  noRoleText,
  resendingOf,
  rolelessError,
  type Settling,
  settledByRepeating,
} from './lines.ts';
import {
  consequenceLines,
  countsText,
  doneLine,
  planOutline,
  planSentence,
  signOf,
  whatLines,
} from './outline.ts';
import { accessJson, errorJson, itemJson, placeJson, planDocument, unlessEmpty } from './saved-plan.ts';

/** Further warnings of one kind are only counted. */
const MOST_WARNINGS = 20;

/** A run with a journal. */
interface KeptRun {
  readonly command: string;
  readonly facts: Facts;
  /** The command that shows every row, for a terminal. */
  readonly where: readonly string[];
  /** What else people are told. */
  readonly notes: readonly string[];
}

/** What a command adds to the report of its run. */
export interface Conclusion {
  readonly facts?: Facts;
  readonly notes?: readonly string[];
  /** Something besides the rows failed. */
  readonly failure?: unknown;
}

/** What a report needs of its run. */
interface ReportedRun {
  readonly session: Session;
  readonly flags: Pick<ParsedFlags, 'verbose' | 'plan'>;
  /** A user without a role at an added property is not all that was wanted (exit 9); default: a warning. */
  readonly needsRoles?: boolean | undefined;
}

/** What a run says of its journal. */
export async function keptBy(
  journal: Pick<Journal, 'runId' | 'path'>,
  { command }: RunAbout,
  { facts, notes = [] }: Conclusion = {},
): Promise<KeptRun> {
  const [id, path] = [journal.runId(), await journal.path()];
  const where = [`Row by row: ${shellLine(['innctl', 'runs', 'show', id])}`];
  return { command, facts: { run_id: id, journal: path, ...facts }, where, notes };
}

/**
 * Reports the result of a run: a result per row in the order of the files, a sentence.
 *
 * @throws the error of the run, if it was not done completely; it takes precedence over errors of writing the results.
 */
export async function report(execution: Execution, kept: KeptRun | undefined, run: ReportedRun) {
  const { context, out } = run.session;
  const { results } = execution;
  const interruption: unknown = context.signal.reason;
  const error = endOf(execution, {
    interruption,
    again: again(run.session),
    settling: settlingOf(results, run),
    fix: fixHint(run),
  });
  if (kept !== undefined) await writeSummary(results, kept.command, run);
  const facts = { ...kept?.facts, summary: countOutcomes(results) };
  for (const { field, reason } of unwrittenIn(results)) await out.warn(`${field}: ${reason}`);
  const rows = pagesOf(results, resultJson);
  const shown = run.flags.verbose === true ? rowLines(results) : [];
  const unprinted = await failureOf(out.records(resultShape, rows, facts, shown));
  const roleless = withoutRoles(results);
  const isWarning = error !== undefined || run.needsRoles !== true;
  for (const line of isWarning ? roleless : []) await out.warn(line);
  if (!context.presentation.json) {
    const { where = [], notes = [] } = kept ?? {};
    const isShown = context.stderr.isTerminal && results.some(({ item }) => isPending(item));
    for (const line of [sentenceOf(results), ...notes, ...(isShown ? where : [])]) await out.note(line);
  }
  if (error !== undefined || unprinted !== undefined) throw error ?? unprinted;
  if (!isWarning && roleless.length > 0) throw rolelessError(roleless, run.session);
}

/** The sum and the failures for GitHub Actions. */
async function writeSummary(
  results: readonly Result[],
  command: string,
  { session }: Pick<ReportedRun, 'session'>,
): Promise<void> {
  const { failed, unknown, not_attempted: left } = countOutcomes(results);
  const done = results.filter(({ outcome }) => outcome === 'done').map(({ item }) => item);
  const { create: created = 0, change: changed = 0, delete: deleted = 0 } = countByAction(done);
  const unchanged = done.length - created - changed - deleted;
  const counts = { created, changed, deleted, failed, unknown, 'not attempted': left, unchanged };
  const summary = { title: `innctl ${command}`, counts, problems: detailsOf(results) };
  await writeStepSummary(summary, session.context, session.out.warn);
}

/** The same command settles the run: it looks for unknown outcomes and retries. Only a second mail ends a doubt about a mail. */
function settlingOf(results: readonly Result[], { session }: Pick<ReportedRun, 'session'>): Settling {
  const open = results.filter(({ outcome }) => outcome === 'unknown').map(({ item }) => item);
  // An invitation that no entry wants and no command resends is to go.
  const isMail = ({ kind, action, entry, resends }: Item) =>
    kind === 'invitation' && action !== 'delete' && (entry !== undefined || resends !== undefined);
  if (open.length > 0 && open.every(isMail))
    return resendingOf(
      open.map(({ name }) => name),
      session,
    );
  const { argv } = session.context;
  return settledByRepeating(argv, argv.some(isPiped));
}

/** Users without a role at a property that was added. */
function withoutRoles(results: readonly Result[]): readonly string[] {
  const lines = results.flatMap((result) => {
    const ids = withoutRolesAfter(result);
    return ids.length === 0 ? [] : [noRoleText(titleOfPerson(result.item), ids)];
  });
  return firstOf(lines, MOST_WARNINGS, (more) => `${more} more users have no role somewhere.`);
}

/** Fields that were not written: those the service never shows, and those that are fixed. Equal ones are merged. */
function unwrittenIn(results: readonly Result[]): readonly Detail[] {
  const reasons = results.flatMap(({ item }) => {
    const { kind, action, reason } = item;
    const isKept = kind === 'property' && (action === 'same' || action === 'change');
    return isKept && reason ? [{ item, reason }] : [];
  });
  return grouped(reasons);
}

/** The same command sends what is left. A saved plan does not contain the corrections. */
function fixHint({ session, flags }: ReportedRun): string {
  const { argv } = session.context;
  const input = argv.includes('-') ? ' (with the corrected input)' : '';
  const anew = flags.plan === undefined ? `then: ${sameCommand(argv)}${input}` : 'and plan again';
  return `Fix the rejected rows, ${anew}`;
}

/** The error of printing. */
async function failureOf(writing: Promise<void>): Promise<CliError | ClosedPipe | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (error instanceof CliError || error instanceof ClosedPipe) return error;
    throw error;
  }
}

/** `Applied: 2 created, 1 changed, 1 failed, 3 unchanged.` */
function sentenceOf(results: readonly Result[]): string {
  const items = results.filter(({ outcome }) => outcome === 'done').map(({ item }) => item);
  const counts = countByAction(items);
  const sent = countsText(counts, { create: 'created', change: 'changed', delete: 'deleted' });
  const undone = countsText(countOutcomes(results), undoneWords);
  const unsent = countsText(counts, { same: 'unchanged', cannot_change: 'not changeable here' });
  const others = [...undone, ...unsent];
  if (sent.length + undone.length > 0) {
    return `Applied: ${[...(sent.length === 0 ? ['nothing'] : sent), ...others].join(', ')}.`;
  }
  const nothing = 'There is nothing to do';
  return others.length === 0 ? `${nothing}.` : `${nothing}: ${others.join(', ')}.`;
}

/** With --verbose a line for each row: `+ property HAM: created`. The error of the run has the reasons. */
function* rowLines(results: readonly Result[]): Generator<OutlineLine> {
  for (const { item, outcome, id } of results) {
    const { kind, name, action } = item;
    if (outcome === 'done') yield doneLine(kind, name, action, id);
    else yield { sign: '!', tone: 'error', text: `${kindText(kind)} ${name}: ${outcome.replace('_', ' ')}` };
  }
}

const undoneWords = { failed: 'failed', unknown: 'unknown', not_attempted: 'not attempted' };

const tones = { failed: 'error', unknown: 'error', 'not attempted': 'warning' } as const;

/** How the rows of a run are listed. */
const resultShape: Shape = {
  noun: ['row', 'rows'],
  columns: columnsOf('outcome action kind name id place', [
    { field: 'outcome', header: 'Outcome', format: 'words', tones },
    { field: 'action', header: 'Action', format: 'words' },
  ]),
  id: 'name',
  // Errors are reported at the end of the run, merged if equal.
  others: [
    ...['row', 'file', 'line', 'file_row'],
    ...['added', 'removed', 'removed_roles', 'without_roles'],
    ...['error.message', 'error.code', 'error.details', 'error.request_id'],
  ],
  ofWrites: true,
};

/** Prints a plan (as JSON the input of `apply --plan`) and its summary. */
export async function printPlan(
  items: readonly Item[],
  { target, columns }: { readonly target: Target; readonly columns: readonly MappedHeader[] },
  { context, out }: Pick<LocalSession, 'context' | 'out'>,
): Promise<void> {
  const facts = planDocument(items, target, context.clock.now());
  await printPlanned(items, columns.length === 0 ? facts : { ...facts, columns }, { out });
  const { deletes, disables } = consequencesOf(items);
  const needed = deletes.length + disables.length;
  if (needed > 0) await out.note(`Applying it needs --max-deletes ${needed}.`);
  await warnOfUnchangeable(items, out);
  await writeStepSummary(planSummary(items), context, out.warn);
}

/** The sum and what is not possible for GitHub Actions. */
function planSummary(items: readonly Item[]) {
  const held = items.filter((item) => signOf(item) === '!');
  const count = (sign: string) => items.filter((item) => signOf(item) === sign).length;
  return {
    title: 'innctl plan',
    counts: {
      'to create': count('+'),
      'to change': count('~'),
      'to delete': count('-'),
      'not possible': held.length,
      unchanged: count('='),
    },
    problems: grouped(held.map((item) => ({ item, reason: whatLines(item).join('; ') }))),
  };
}

/** Prints the rows of a plan, its sum and its risks. @param facts of the document besides the rows. */
export async function printPlanned(
  items: readonly Item[],
  facts: Facts,
  { out }: Pick<LocalSession, 'out'>,
  shown?: ShownPlan,
): Promise<void> {
  const rows = pagesOf(items, (item) => ({ ...itemJson(item), what: whatLines(item) }));
  await out.records(planShape, rows, facts, shown?.lines ?? planOutline(items));
  const sentence = shown?.sentence ?? planSentence(items);
  for (const line of [sentence, ...consequenceLines(items)]) await out.note(line);
}

/** Warns of users whose roles differ: a plan cannot change them. */
export async function warnOfUnchangeable(
  items: readonly Item[],
  { warn }: Pick<LocalSession['out'], 'warn'>,
): Promise<void> {
  const left = items.filter(({ action }) => action !== 'conflict');
  const lines = left.flatMap(({ name, cannotChange = [] }) =>
    cannotChange.map((change) => `${name}: ${unchangeableText(change)}`),
  );
  if (lines.length === 0) return;
  const named = firstOf(lines, MOST_WARNINGS).join('\n');
  await warn(`Set roles in the service's web app:\n${named}`);
}

const actionTones: Column['tones'] = {
  ...{ create: 'hint', change: 'warning', delete: 'error', conflict: 'error' },
  ...{ 'cannot tell': 'error', 'cannot change': 'warning' },
};

/** How the rows of a plan are listed. */
const planShape: Shape = {
  noun: ['row', 'rows'],
  columns: columnsOf('action kind name what place', [
    { field: 'action', header: 'Action', format: 'words', tones: actionTones },
    { field: 'what', header: 'What', format: 'sentences' },
  ]),
  id: 'name',
  others: [
    ...['id', 'file', 'line', 'file_row', 'changes', 'patch', 'body'],
    ...['cannot_change', 'reason', 'error.message', 'error.code', 'error.request_id', 'seen'],
    ...['gives_full_access', 'added', 'removed', 'removed_roles', 'without_roles'],
  ],
};

/** One row of a run as programs read it. @param index from 0, in the order of the files. */
function resultJson(result: Result, index: number): ServiceRecord {
  const { item, outcome, id, access, readBack, error } = result;
  const { kind, name, action, entry } = item;
  return withoutHoles({
    row: index + 1,
    ...placeJson(entry?.place),
    kind,
    name,
    action,
    outcome,
    id,
    ...accessJson(access),
    without_roles: unlessEmpty(withoutRolesAfter(result)),
    verification: readBack?.verification,
    unconfirmed: unlessEmpty(readBack?.paths),
    error: error && errorJson(error),
  });
}

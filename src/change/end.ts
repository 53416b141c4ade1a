import { listed, placesText, placeText } from '../files/entry.ts';
import { CliError, type Detail, ExitCode, errorText, OutcomeUnknown, reasonText } from '../model/errors.ts';
import { Interruption } from '../model/ports.ts';
import { groupBy } from '../model/records.ts';
import type { Execution } from './execute.ts';
import { type Item, type Outcome, outcomes, type Result } from './item.ts';
import type { Settling } from './lines.ts';

/** What to do about an incomplete run. */
interface Ending {
  /** The `Interruption`, if there was one. */
  readonly interruption: unknown;
  /** The command line that continues. */
  readonly again: string;
  /** The command line that settles unknown outcomes. */
  readonly settling: Settling;
  /** What to do about rows that were refused. */
  readonly fix: string;
}

/** The results have the rest. */
const MOST_DETAILS = 20;

/** Errors of the files that a run keeps: they are no row's. */
const FILE_ERRORS: readonly string[] = ['journal_failed', 'evidence_failed', 'evidence_broken'];

/** How many rows ended in each way. */
export function countOutcomes(results: readonly Result[]): Readonly<Record<Outcome, number>> {
  const counts = { done: 0, failed: 0, unknown: 0, not_attempted: 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

/**
 * The error at the end of a run; `undefined` when all rows are done.
 *
 * In order of precedence: an interruption, a fault of innctl, unknown outcomes, an unavailable service, credentials, refusals.
 */
export function endOf(
  { results, stoppedBy }: Execution,
  { interruption, again, settling, fix }: Ending,
): unknown {
  const sentence = sentenceOf(results);
  const goOn = `To continue: ${again}`;
  if (interruption instanceof Interruption) {
    const { exitCode, signal } = interruption;
    return new CliError('interrupted', `Interrupted by ${signal}. ${sentence ?? 'All rows were done.'}`, {
      exitCode,
      details: detailsOf(results.filter(({ outcome }) => outcome !== 'not_attempted')),
      hint: sentence && goOn,
    });
  }
  if (sentence === undefined || (stoppedBy !== undefined && !(stoppedBy instanceof CliError)))
    return stoppedBy;
  const details = detailsOf(results);
  const fileError = stoppedBy !== undefined && FILE_ERRORS.includes(stoppedBy.code) ? stoppedBy : undefined;
  const message = fileError === undefined ? sentence : `${fileError.message} ${sentence}`;
  if (results.some(({ outcome }) => outcome === 'unknown'))
    return new OutcomeUnknown(message, { details }).settledBy(settling.line, settling.note);
  const worst = fileError ?? worstOf(results, stoppedBy);
  const hints = [fileError?.hint, worst === undefined ? fix : goOn];
  const hint = hints.filter(Boolean).join('\n');
  if (worst === undefined)
    return new CliError('partly_done', message, { details, exitCode: ExitCode.partlyDone, hint });
  return new CliError(worst.code, message, { details, exitCode: worst.exitCode, hint, cause: worst });
}

/**
 * The error of the first row that is not done, or what stopped it.
 *
 * @param interruption what interrupted the command, even if only a look.
 */
export function errorOf({ results, stoppedBy }: Execution, interruption: unknown): unknown {
  const open = results.filter(({ outcome }) => outcome !== 'done');
  const worst = open.find(({ outcome }) => outcome === 'unknown') ?? open[0];
  if (worst === undefined) return undefined;
  const { item, outcome, error } = worst;
  const isFault = !(stoppedBy instanceof CliError || stoppedBy instanceof Interruption);
  if (stoppedBy !== undefined && isFault) return stoppedBy;
  if (outcome === 'not_attempted') return stoppedBy ?? error;
  if (outcome === 'unknown' && interruption instanceof Interruption)
    return error?.with({ exitCode: interruption.exitCode });
  // Its reason is a clause.
  return item.action === 'cannot_tell'
    ? error?.with({ message: `${item.name} is ${error.message}.` })
    : error;
}

/** The failure that determines the exit code: unavailable, then not logged in, then what stopped the run. */
function worstOf(results: readonly Result[], stoppedBy: CliError | undefined): CliError | undefined {
  const errors = results.flatMap(({ outcome, error }) => (outcome === 'failed' && error ? [error] : []));
  const byExit = (exitCode: ExitCode) => errors.find((error) => error.exitCode === exitCode);
  return byExit(ExitCode.unavailable) ?? byExit(ExitCode.notLoggedIn) ?? stoppedBy;
}

function sentenceOf(results: readonly Result[]): string | undefined {
  const counts = countOutcomes(results);
  const left = results.length - counts.done;
  if (left === 0) return undefined;
  const parts = outcomes
    .filter((outcome) => outcome !== 'done' && counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${outcome.replace('_', ' ')}`);
  const rows = results.length === 1 ? 'row' : 'rows';
  return `${left} of ${results.length} ${rows} ${left === 1 ? 'was' : 'were'} not done: ${parts.join(', ')}.`;
}

/** Why rows were not done, grouped by reason. */
export function detailsOf(results: readonly Result[]): readonly Detail[] {
  const rows = results
    .filter(({ outcome }) => outcome !== 'done')
    .map(({ item, outcome, error }) => {
      if (error === undefined) return { item, reason: 'reason unknown' };
      const isRefused = error.exitCode === ExitCode.refused || error.exitCode === ExitCode.forbidden;
      const hint = outcome === 'failed' && isRefused && error.hint !== undefined ? ` ${error.hint}` : '';
      return { item, reason: `${reasonText(error)}${hint}`, alone: `${errorText(error)}${hint}` };
    });
  return grouped(rows);
}

/**
 * Rows grouped by reason: `{ field: 'people.csv: rows 3-17, 22', reason }`, in the order of the first row, 20 at most.
 *
 * @param all with the reason of each row; `alone` replaces it if no other row has the same one.
 */
export function grouped(
  all: readonly { readonly item: Item; readonly reason: string; readonly alone?: string }[],
): readonly Detail[] {
  const groups = groupBy(all, ({ reason }) => reason);
  const details = [...groups].map(([reason, rows]): Detail => {
    const [first, second] = rows;
    if (first !== undefined && second === undefined)
      return { field: labelOf(first.item), reason: first.alone ?? reason };
    return { field: rowsText(rows.map(({ item }) => item)), reason };
  });
  const left = details.length - MOST_DETAILS;
  return left > 0 ? [...details.slice(0, MOST_DETAILS), { field: 'and', reason: `${left} more` }] : details;
}

/** A row in words: `people.csv: row 2: ben@example.com`. */
export function labelOf({ name, entry }: Pick<Item, 'name' | 'entry'>): string {
  return entry === undefined ? name : `${placeText(entry.place)}: ${name}`;
}

/** The places of several items: `hotels.csv: rows 2-4, 9; people.yaml: lines 3, 7`. Deletions are listed by name. */
function rowsText(items: readonly Item[]): string {
  const places = items.flatMap(({ entry }) => entry?.place ?? []);
  const files = groupBy(places, ({ file, unit }) => JSON.stringify([file, unit]));
  const names = items.filter(({ entry }) => entry === undefined).map(({ name }) => name);
  return [...[...files.values()].map(placesText), ...(names.length === 0 ? [] : [listed(names)])].join('; ');
}

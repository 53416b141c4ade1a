import { CliError, type Detail, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import type { Execution } from './execute.ts';
import { grouped } from './grouped.ts';
import { errorText, type Outcome, outcomes, type Result, reasonText } from './item-json.ts';

/** What the error of an incomplete run says. */
interface Ending {
  /** The `Interruption`, if there was one. */
  readonly interruption: unknown;
  /** The command line that continues. */
  readonly again: string;
  /** The command line that settles unknown outcomes, and a further sentence. */
  readonly settling: { readonly line: string; readonly besides?: string | undefined };
  /** What to do about rows that were refused. */
  readonly fix: string;
}

/** The results have the rest. */
const MOST_DETAILS = 20;

/** Hints about missing rights. */
const MOST_HINTS = 3;

/** How many rows ended in each way. */
export function countOutcomes(results: readonly Result[]): Readonly<Record<Outcome, number>> {
  const count = (outcome: Outcome) => results.filter((result) => result.outcome === outcome).length;
  return {
    done: count('done'),
    failed: count('failed'),
    unknown: count('unknown'),
    not_attempted: count('not_attempted'),
  };
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
  const isInterrupted = interruption instanceof Interruption;
  // After an interruption, rows that were not attempted need no details.
  const ended = isInterrupted ? results.filter(({ outcome }) => outcome !== 'not_attempted') : results;
  const options = { details: detailsOf(ended), hint: goOn };
  if (isInterrupted) {
    const rest = sentence === undefined ? 'All rows were done.' : sentence;
    const { exitCode, signal } = interruption;
    return new CliError('interrupted', `Interrupted by ${signal}. ${rest}`, {
      ...options,
      exitCode,
      hint: sentence === undefined ? undefined : goOn,
    });
  }
  if (stoppedBy !== undefined && !(stoppedBy instanceof CliError)) return stoppedBy;
  const isJournal = stoppedBy?.code === 'journal_failed';
  const reason = isJournal ? `${stoppedBy.message} ` : '';
  if (sentence === undefined) return stoppedBy;
  if (results.some(({ outcome }) => outcome === 'unknown')) {
    return new OutcomeUnknown(`${reason}${sentence}`, options).settledBy(settling.line, settling.besides);
  }
  const worst = isJournal ? stoppedBy : worstOf(results, stoppedBy);
  if (worst === undefined) {
    const hint = [...forbiddenHints(results), fix].join('\n');
    return new CliError('partly_done', sentence, { ...options, exitCode: ExitCode.partlyDone, hint });
  }
  return new CliError(worst.code, `${reason}${sentence}`, {
    ...options,
    hint: [...forbiddenHints(results), goOn].join('\n'),
    exitCode: worst.exitCode,
    cause: worst,
  });
}

/** The failure that determines the exit code: unavailable, then not logged in, then what stopped the run. */
function worstOf(results: readonly Result[], stoppedBy: CliError | undefined): CliError | undefined {
  const errors = results.flatMap(({ outcome, error }) => (outcome === 'failed' && error ? [error] : []));
  const byExit = (exitCode: ExitCode) => errors.find((error) => error.exitCode === exitCode);
  return byExit(ExitCode.unavailable) ?? byExit(ExitCode.notLoggedIn) ?? stoppedBy;
}

/** The distinct hints of rows that were forbidden. */
function forbiddenHints(results: readonly Result[]): readonly string[] {
  const hints = results.flatMap(({ outcome, error }) =>
    outcome === 'failed' && error?.exitCode === ExitCode.forbidden && error.hint !== undefined
      ? [error.hint]
      : [],
  );
  return [...new Set(hints)].slice(0, MOST_HINTS);
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

/** Rows with the same reason are grouped. */
function detailsOf(results: readonly Result[]): readonly Detail[] {
  const groups = grouped(
    results
      .filter(({ outcome }) => outcome !== 'done')
      .map(({ item, outcome, error }) => {
        if (error === undefined) return { item, reason: 'reason unknown' };
        const hint = outcome === 'failed' && error.exitCode === ExitCode.refused ? error.hint : undefined;
        const withHint = (text: string) => (hint === undefined ? text : `${text} ${hint}`);
        return { item, reason: withHint(reasonText(error)), alone: withHint(errorText(error)) };
      }),
  );
  const details = groups.slice(0, MOST_DETAILS);
  const more = groups.length - details.length;
  return more > 0 ? [...details, { field: 'and', reason: `${more} more` }] : details;
}

import { countOutcomes, endOf } from '../../apply/end.ts';
import type { Execution } from '../../apply/execute.ts';
import type { Journal } from '../../apply/journal.ts';
import type { Result } from '../../apply/result.ts';
import { CliError, ClosedPipe } from '../../errors.ts';
import { sameCommand } from '../../render/shell.ts';
import type { Session } from '../../session.ts';
import type { FailedOut } from './failed-out.ts';
import { resultPages, resultShape } from './shape.ts';

/**
 * Tells how a run ended: the table of what failed, a result for each row in the order of the files, a sentence.
 *
 * @throws what the run ends with, unless all of it is done. That a result could not be written matters less.
 */
export async function report(
  execution: Execution,
  { runId, path }: Pick<Journal, 'runId' | 'path'>,
  table: FailedOut | undefined,
  { context, out }: Session,
): Promise<void> {
  const { results } = execution;
  const interruption: unknown = context.signal.reason;
  const error = endOf(execution, { interruption, again: sameCommand(context.argv) });
  const facts = { run_id: runId, journal: path, summary: countOutcomes(results) };
  const unwritten = await failureOf(table?.write(results));
  const unprinted = await failureOf(out.records(resultShape, resultPages(results), facts));
  if (unwritten !== undefined && error !== undefined) await out.warn(unwritten.message);
  if (error !== undefined) throw error;
  if (unprinted !== undefined) throw afterAll(unprinted, sentenceOf(results));
  if (!context.presentation.json) await out.note(sentenceOf(results));
  if (unwritten !== undefined) throw unwritten;
}

/** What the disk or the reader of a stream refused. */
async function failureOf(writing: Promise<void> | undefined): Promise<CliError | ClosedPipe | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (error instanceof CliError || error instanceof ClosedPipe) return error;
    throw error;
  }
}

/** The run was carried out, whatever becomes of its results. */
function afterAll(error: CliError | ClosedPipe, sentence: string): CliError | ClosedPipe {
  if (error instanceof ClosedPipe) return error;
  return new CliError(error.code, `${sentence} But the results could not be printed. ${error.message}`, {
    cause: error,
  });
}

/** What was done, as a sentence: `Applied: 2 created, 1 changed, 3 the same.` */
function sentenceOf(results: readonly Result[]): string {
  const count = (...actions: readonly string[]) =>
    results.filter(({ item }) => actions.includes(item.action)).length;
  const counts = {
    created: count('create'),
    changed: count('change'),
    deleted: count('delete'),
    'the same': count('same'),
    'that cannot be compared': count('cannot_compare'),
  };
  const parts = Object.entries(counts).filter(([, number]) => number > 0);
  const told = parts.map(([what, number]) => `${number} ${what}`).join(', ');
  const isNothing = counts.created + counts.changed + counts.deleted === 0;
  if (isNothing) return told === '' ? 'There is nothing to do.' : `There is nothing to do: ${told}.`;
  return `Applied: ${told}.`;
}

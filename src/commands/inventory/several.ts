import { CliError, type Detail, OutcomeUnknown } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { Interruption } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { onePage, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Facts, Shape } from '../../print/output.ts';
import { type Settling, withSettling } from '../lines.ts';

/** What is done to each of several records, and how the rest of it is done later. */
interface Job {
  readonly noun: readonly [one: string, several: string];
  readonly again: Settling;
}

/**
 * Does one thing to several records, one after the other, and prints what became of each. An unavailable service, an unknown
 * outcome and an interruption end it.
 *
 * @param fact the field of the results that says that it is done.
 * @throws {CliError} what ended it, or `partly_done`, if not all are done.
 */
export async function carryOutEach(
  ids: readonly string[],
  fact: string,
  work: (id: string) => Promise<Facts>,
  { noun: [one, several], again }: Job,
  session: Session,
): Promise<void> {
  const results: ServiceRecord[] = [];
  const details: Detail[] = [];
  let end: CliError | Interruption | undefined;
  await session.sheltered(async () => {
    for (const id of ids) {
      try {
        session.context.signal.throwIfAborted();
        results.push(withoutHoles({ id, ...(await work(id)) }));
      } catch (error) {
        if (!(error instanceof CliError || error instanceof Interruption)) throw error;
        if (error instanceof CliError) {
          const isUnknown = error instanceof OutcomeUnknown;
          results.push({ id, ...(isUnknown ? {} : { [fact]: false }), error: error.message });
          details.push({ field: id, reason: error.message });
        }
        if (error instanceof Interruption || endsAll(error)) {
          end = error;
          break;
        }
      }
    }
  });
  await session.out.records(resultShape([one, several], `id ${fact} error`), onePage(results));
  if (end === undefined && details.length === 0) return;
  const done = results.filter(({ error }) => error === undefined).length;
  const sentence = `${done} of ${ids.length} ${several} are done.`;
  if (end instanceof Interruption || end instanceof OutcomeUnknown)
    throw endedEarly(end, { sentence, details }, again);
  const { code, exitCode } = end ?? { code: 'partly_done', exitCode: ExitCode.partlyDone };
  throw new CliError(code, sentence, { exitCode, details, hint: toContinue(again), cause: end });
}

/** How the results of several records are listed. */
export function resultShape(noun: Shape['noun'], fields: string): Shape {
  return { noun, columns: columnsOf(fields), ofWrites: true };
}

/**
 * The error of what ended the work on several records after some were done.
 *
 * @param told says how many are done.
 */
function endedEarly(
  end: CliError | Interruption,
  told: { readonly sentence: string; readonly details?: readonly Detail[] },
  again: Settling,
): CliError {
  const { sentence, ...details } = told;
  const message = `${end.message} ${sentence}`;
  const hint = toContinue(again);
  if (end instanceof OutcomeUnknown)
    return end.with({ message, ...details }).settledBy(again.line, again.note);
  if (end instanceof Interruption)
    return new CliError('interrupted', message, { exitCode: end.exitCode, hint });
  const exitCode = end.exitCode === ExitCode.refused ? ExitCode.partlyDone : end.exitCode;
  return end.with({ message, exitCode, hint });
}

function toContinue({ line }: Settling): string {
  return `To continue: ${line}`;
}

/** For `catch` around requests for several units. @param done `created`: what those are that are done. */
export function afterSome(
  error: unknown,
  { done, all, as }: { readonly done: number; readonly all: number; readonly as: string },
  again: Settling,
): unknown {
  if (done === 0 || !(error instanceof CliError || error instanceof Interruption))
    return withSettling(error, again);
  return endedEarly(error, { sentence: `${done} of ${all} units are ${as}.` }, again);
}

/** The parts of a list, each as long as one request takes. */
export function chunksOf<Each>(all: readonly Each[], size: number): readonly (readonly Each[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** Whether the next record would fail alike, or nothing more may be sent. */
function endsAll(error: CliError): boolean {
  return (
    error instanceof OutcomeUnknown ||
    error.exitCode === ExitCode.unavailable ||
    error.exitCode === ExitCode.notLoggedIn ||
    error.exitCode === ExitCode.blocked
  );
}

import { CliError, type Detail, OutcomeUnknown } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { Interruption } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { onePage, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { capitalised } from '../../model/text.ts';
import type { Facts } from '../../out/output.ts';
import type { Settling } from '../lines.ts';

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
  const shape = {
    noun: [one, several],
    columns: ['id', fact, 'error'].map((field) => ({ field, header: capitalised(field) })),
    ofWrites: true,
  } as const;
  await session.out.records(shape, onePage(results));
  if (end === undefined && details.length === 0) return;
  const done = results.filter(({ error }) => error === undefined).length;
  const sentence = `${done} of ${ids.length} ${several} are done.`;
  if (end instanceof OutcomeUnknown)
    throw new OutcomeUnknown(`${end.message} ${sentence}`, { details }).settledBy(again.line, again.note);
  const hint = `To continue: ${again.line}`;
  const { code, exitCode } =
    end instanceof CliError ? end : { code: 'partly_done', exitCode: ExitCode.partlyDone };
  if (end instanceof Interruption)
    throw new CliError('interrupted', `${end.message} ${sentence}`, { exitCode: end.exitCode, hint });
  throw new CliError(code, sentence, { exitCode, details, hint, cause: end });
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

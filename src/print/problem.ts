import { inspect } from 'node:util';
import { CliError, ClosedPipe, ExitCode } from '../model/errors.ts';
import { Interruption, type Presentation } from '../model/ports.ts';
import { WireFailure } from '../service/retry.ts';
import { openPaint, type Paint } from './paint.ts';
import { neutralise, neutraliseMessage, toJsonLines } from './text.ts';
import { labelled, wrapped } from './width.ts';

/**
 * Describes any thrown value.
 *
 * For people: `error: sentence`, the details that the sentence does not have, `hint: ...`, `request id: ...`.
 * For programs: `{"error":{code, message, hint, status, request_id, details, stack}}` on one line, where `details`
 * is always an array and other members without a value are left out. Only unexpected errors (code `internal`, exit 1)
 * have a `stack`, and people see it whole.
 *
 * @param columns of stderr: lines for people end at words; default: no limit.
 * @param clean masks secrets, before a line may end within one; default: nothing is masked.
 * @returns the text for stderr, neutralised and ended by a newline, or empty; and the exit code of the run.
 */
export async function renderProblem(
  error: unknown,
  { json, colour, held }: Presentation,
  columns = Number.POSITIVE_INFINITY,
  clean = (text: string) => text,
) {
  if (error instanceof ClosedPipe) return { text: '', exitCode: ExitCode.done };
  const known = expected(error);
  const fault = known === undefined ? inspect(error) : undefined;
  const hint = 'This is a bug in innctl: please report it with this text.';
  const report =
    known ?? new CliError('internal', error instanceof Error ? error.message : inspect(error), { hint });
  const { code, message, status, requestId, details } = report;
  const warnings = held.length === 0 ? undefined : held;
  const facts = { code, message, hint: report.hint, status, request_id: requestId, details, warnings };
  const text = json
    ? toJsonLines([{ error: { ...facts, stack: fault } }])
    : await textOf(report, fault, await openPaint(colour), columns, clean);
  return { text, exitCode: report.exitCode };
}

/** The error as one to report; `undefined` for an unexpected one. */
function expected(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof Interruption) {
    const { signal, exitCode } = error;
    return new CliError('interrupted', `Interrupted by ${signal}.`, { exitCode });
  }
  if (!(error instanceof WireFailure)) return undefined;
  const { kind, message, requestId } = error;
  return new CliError(kind.replaceAll('-', '_'), message, { requestId, exitCode: ExitCode.unavailable });
}

async function textOf(
  { message, details, hint, requestId }: CliError,
  fault: string | undefined,
  paint: Paint,
  columns: number,
  clean: (text: string) => string,
) {
  const remaining = details
    .map(({ field, reason }) => `${field}: ${reason}`)
    .filter((detail) => !message.includes(detail));
  const shown = (text: string) => neutraliseMessage(clean(text));
  const lines = await Promise.all([
    fault === undefined
      ? labelled('error:', shown(message), columns, paint.error)
      : // The stack of a fault stays as it is.
        labelled('error:', neutraliseMessage(fault), Number.POSITIVE_INFINITY, paint.error),
    ...remaining.map((detail) => wrapped(`  ${shown(detail)}`, { columns })),
    ...(hint === undefined ? [] : [labelled('hint:', neutralise(clean(hint)), columns, paint.hint)]),
    ...(requestId === undefined ? [] : [`request id: ${neutraliseMessage(requestId)}`]),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

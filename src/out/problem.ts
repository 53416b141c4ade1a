import { inspect } from 'node:util';
import { CliError, ClosedPipe, type Detail } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type ExplainStack, Interruption } from '../cli/ports.ts';
import { WireFailure } from '../service/failures.ts';
import { toJsonLines } from './json.ts';
import { openPaint, type Paint } from './paint.ts';
import { neutralise, neutraliseMessage } from './text.ts';

/** How an error is to be shown. */
export interface ProblemOptions {
  readonly json: boolean;
  readonly colour: boolean;
  /** Warnings that were held back; JSON has them in the object. */
  readonly warnings?: readonly string[];
  /** Maps the stack of an unexpected error to the sources. */
  readonly explainStack?: ExplainStack | undefined;
}

/** The text of an error for stderr, neutralised and ended by a newline, or empty; and the exit code of the run. */
export interface Problem {
  readonly text: string;
  readonly exitCode: ExitCode;
}

/**
 * Describes any thrown value.
 *
 * For people: `error: sentence`, the details that the sentence does not have, `hint: ...`, `request id: ...`.
 * For programs: `{"error":{code, message, hint, status, request_id, details, stack}}` on one line, where `details`
 * is always an array and other members without a value are left out. Only unexpected errors (code `internal`, exit 1)
 * have a `stack`, and people see it whole.
 */
export async function renderProblem(error: unknown, options: ProblemOptions): Promise<Problem> {
  if (error instanceof ClosedPipe) return { text: '', exitCode: ExitCode.done };
  const report = reportOf(error, options.explainStack);
  const { exitCode } = report;
  if (options.json) return { text: jsonOf(report, options.warnings ?? []), exitCode };
  return { text: textOf(report, await openPaint(options.colour)), exitCode };
}

interface Report {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly details?: readonly Detail[];
  /** The stack of an unexpected error. */
  readonly fault?: string;
}

function reportOf(error: unknown, explainStack: ExplainStack = (text) => text): Report {
  if (error instanceof CliError) return error;
  if (error instanceof Interruption) {
    return { code: 'interrupted', message: `Interrupted by ${error.signal}.`, exitCode: error.exitCode };
  }
  if (error instanceof WireFailure) {
    const code = error.kind.replaceAll('-', '_');
    const { message, requestId } = error;
    return { code, message, requestId, exitCode: ExitCode.unavailable };
  }
  return {
    code: 'internal',
    message: error instanceof Error ? error.message : inspect(error),
    exitCode: ExitCode.failed,
    hint: 'This is a bug in innctl: please report it with this text.',
    fault: explainStack(inspect(error)),
  };
}

function jsonOf(report: Report, held: readonly string[]): string {
  const { code, message, hint, status, requestId, details = [], fault } = report;
  const warnings = held.length === 0 ? undefined : held;
  const error = { code, message, hint, status, request_id: requestId, details, warnings, stack: fault };
  return toJsonLines([{ error }]);
}

function textOf(report: Report, paint: Paint): string {
  const { message, details = [], hint, requestId, fault } = report;
  const remaining = details
    .map(({ field, reason }) => `${field}: ${reason}`)
    .filter((detail) => !message.includes(detail));
  const lines = [
    `${paint.error('error:')} ${neutraliseMessage(fault ?? message)}`,
    ...remaining.map((detail) => `  ${neutraliseMessage(detail)}`),
    hint === undefined ? undefined : `${paint.hint('hint:')} ${neutralise(hint)}`,
    requestId === undefined ? undefined : `request id: ${neutraliseMessage(requestId)}`,
  ];
  return lines
    .filter((line) => line !== undefined)
    .map((line) => `${line}\n`)
    .join('');
}

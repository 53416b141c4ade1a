import { type Clock, Interruption } from '../context.ts';
import { CliError, OutcomeUnknown } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Budget } from './budget.ts';
import type { WireFailure } from './failures.ts';
import type { Safety } from './retry.ts';

/** What a verdict needs to know of a request. */
interface Attempted {
  readonly safety: Safety;
  readonly does: string;
}

/** A broken exchange as an error: try later, unless trying cannot help. */
export function failureError(failure: WireFailure, { does }: Attempted): CliError {
  const lasting = failure.kind === 'malformed' || failure.kind === 'too-large' || failure.kind === 'tls';
  return new CliError(failure.kind.replaceAll('-', '_'), `Could not ${does}: ${failure.message}`, {
    cause: failure,
    exitCode: lasting ? ExitCode.failed : ExitCode.unavailable,
  });
}

/**
 * What the caller gets when no further try is made: the last error, or that the outcome is unknown.
 *
 * @param inDoubt whether any try may have been carried out.
 */
export function verdict(error: CliError, request: Attempted, inDoubt: boolean): CliError {
  if (request.safety === 'read' || !inDoubt || isFinalRefusal(error)) return error;
  return new OutcomeUnknown(`${error.message} It may have been carried out all the same.`, {
    cause: error,
    status: error.status,
    requestId: error.requestId,
    details: error.details,
  });
}

/** The next try would come too late: says when it is due. */
export function outOfTime(error: CliError, delayMs: number, clock: Clock): CliError {
  const seconds = Math.ceil(delayMs / 1000);
  const at = new Date(Math.min(clock.now() + delayMs, 8.64e15)).toISOString();
  return new CliError(
    error.code,
    `${error.message} The next try is due in ${seconds} s (${at}), later than there is time for.`,
    {
      cause: error,
      status: error.status,
      requestId: error.requestId,
      details: error.details,
      exitCode: error.exitCode,
      hint: 'Try again then, or give more time with --timeout.',
    },
  );
}

/** The exchange was ended by the time limit or by the person, not by the wire. */
export function endedFromOutside(cause: unknown, { safety, does }: Attempted, budget: Budget): unknown {
  const inFlight = `Could not tell whether it was possible to ${does}`;
  if (budget.expired) {
    if (safety !== 'read')
      return new OutcomeUnknown(`${inFlight}: the time was over before an answer came.`, { cause });
    return new CliError('timeout', `Could not ${does}: the time was over before an answer came.`, {
      cause,
      exitCode: ExitCode.unavailable,
      hint: 'Give more time with --timeout.',
    });
  }
  if (!(cause instanceof Interruption) || safety === 'read') return cause;
  return new OutcomeUnknown(`${inFlight}: interrupted before an answer came.`, {
    cause,
    exitCode: cause.signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated,
  });
}

/** The service judged what was sent, and would have judged an earlier try alike. */
function isFinalRefusal({ status }: CliError): boolean {
  return status === 400 || status === 413 || status === 415 || status === 422;
}

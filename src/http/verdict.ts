import { type Clock, Interruption } from '../context.ts';
import { CliError, OutcomeUnknown } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Budget } from './budget.ts';
import type { WireFailure } from './failures.ts';
import { isLasting, type Safety } from './retry.ts';

/** What a verdict needs to know of a request. */
interface Attempted {
  readonly safety: Safety;
  readonly does: string;
}

/** Nobody was there, or nobody of that name. */
const unreachable = new Set<string>(['refused', 'dns', 'connect-timeout']);

/** A broken exchange as an error: try later, unless trying cannot help. */
export function failureError(failure: WireFailure, { does }: Attempted): CliError {
  const code = failure.kind === 'refused' ? 'connection_refused' : failure.kind.replaceAll('-', '_');
  return new CliError(code, `Could not ${does}: ${failure.message}`, {
    cause: failure,
    requestId: failure.requestId,
    exitCode: isLasting(failure) ? ExitCode.failed : ExitCode.unavailable,
    hint: failureHint(failure),
  });
}

function failureHint({ kind }: WireFailure): string | undefined {
  if (unreachable.has(kind)) return 'Check the address (innctl config list), or try again later.';
  if (kind === 'too-many-files')
    return 'Raise the limit with ulimit -n, or lower --concurrency where the command takes it.';
  if (kind !== 'proxy' && kind !== 'proxy-refused') return undefined;
  return 'Check HTTPS_PROXY (HTTP_PROXY for http), or go around the proxy with NO_PROXY.';
}

/**
 * What the caller gets when no further try is made: the last error, or that the outcome is unknown. A refusal says
 * nothing about an earlier try: it may be of our own creation.
 *
 * @param inDoubt whether any try may have been carried out.
 */
export function verdict(error: CliError, request: Attempted, inDoubt: boolean): CliError {
  return request.safety === 'read' || !inDoubt ? error : doubtAbout(error);
}

/** The doubt about an earlier try that a later one ended with. */
export function doubtAbout(error: CliError): OutcomeUnknown {
  return new OutcomeUnknown(
    `${error.message} The outcome is unknown: it may have been carried out all the same.`,
    {
      cause: error,
      status: error.status,
      requestId: error.requestId,
      details: error.details,
    },
  );
}

/**
 * Says when the next try is due, which this run will not make.
 *
 * @param why the end of the sentence.
 */
export function tryLater(error: CliError, delayMs: number, clock: Clock, why: string): CliError {
  const seconds = Math.ceil(delayMs / 1000);
  const at = new Date(Math.min(clock.now() + delayMs, 8.64e15)).toISOString();
  return new CliError(error.code, `${error.message} The next try is due in ${seconds} s (${at})${why}.`, {
    cause: error,
    status: error.status,
    requestId: error.requestId,
    details: error.details,
    exitCode: error.exitCode,
    hint: `Try again then, or ${why === '' ? 'allow more tries with --max-attempts' : 'give more time with --timeout'}.`,
  });
}

/**
 * The exchange was ended by the time limit or by the person, not by the wire.
 *
 * @param inDoubt whether this try or an earlier one may have been carried out.
 */
export function endedFromOutside(
  cause: unknown,
  request: Attempted,
  budget: Pick<Budget, 'expired'>,
  inDoubt: boolean,
): unknown {
  if (cause instanceof CliError) return cause;
  const { does, safety } = request;
  const isDoubtful = inDoubt && safety !== 'read';
  const inFlight = `The outcome of the request to ${does} is unknown`;
  if (budget.expired) {
    if (isDoubtful)
      return new OutcomeUnknown(`${inFlight}: the time was over before an answer came.`, { cause });
    return new CliError('timeout', `Could not ${does}: the time was over before an answer came.`, {
      cause,
      exitCode: ExitCode.unavailable,
      hint: 'Give more time with --timeout.',
    });
  }
  if (!(cause instanceof Interruption) || !isDoubtful) return cause;
  return new OutcomeUnknown(`${inFlight}: interrupted before an answer came.`, {
    cause,
    exitCode: cause.exitCode,
  });
}

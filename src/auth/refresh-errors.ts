import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { WireFailure } from '../http/failures.ts';
import { retryAfterMs } from '../http/retry.ts';
import { failureError } from '../http/verdict.ts';
import { getToken, rejectedToken, type TokenAsked, TokenRejected } from './token-errors.ts';

const forEver = Number.POSITIVE_INFINITY;

/** How long a server is left alone that is busy and does not say for how long. */
const BUSY_MS = 30_000;

/** What the end of a refresh means for the token that was sent. */
export interface Verdict {
  readonly error: unknown;
  /** It may have been used up without anybody having seen what came in its place: it must not be sent again, ever. */
  readonly isLost: boolean;
  /** Milliseconds for which trying again would bring the same; infinite: in this run always. */
  readonly staysMs: number;
}

/**
 * Judges why a refresh brought no token.
 *
 * @param sent whether the request may have left this machine.
 * @param now milliseconds since the epoch.
 */
export function judge(
  cause: unknown,
  { sent, now }: { readonly sent: boolean; readonly now: number },
  asked: TokenAsked,
  profile: string,
): Verdict {
  if (cause instanceof TokenRejected) {
    // A success of another kind is no refusal.
    const isLost = cause.rejection.status < 300;
    return { error: refused(cause, asked, profile), isLost, staysMs: staysOf(cause, now) };
  }
  if (cause instanceof WireFailure) {
    const error = failureError(cause, { safety: 'once', does: getToken(asked) });
    if (!cause.sent) return { error, isLost: false, staysMs: 0 };
    return { error: answerLost(profile, error), isLost: true, staysMs: forEver };
  }
  return { error: cause, isLost: sent, staysMs: cause instanceof CliError ? forEver : 0 };
}

/** A server that is busy or away says so itself, and used nothing up: a long run asks it again. */
function staysOf({ rejection: { status, headers } }: TokenRejected, now: number): number {
  return status === 429 || status === 503 ? (retryAfterMs(headers, now) ?? BUSY_MS) : forEver;
}

/** Exit 4: nothing but another login helps. */
export function loginAgain(profile: string, code: string, sentence: string, cause?: unknown): CliError {
  return new CliError(code, sentence, {
    cause,
    requestId: cause instanceof CliError ? cause.requestId : undefined,
    exitCode: ExitCode.notLoggedIn,
    hint: `innctl login --profile ${profile}`,
  });
}

/** A refresh token was sent, and nobody here has seen an answer: in this run, with the error that it met, or in an earlier one. */
export function answerLost(profile: string, met?: CliError): CliError {
  const what = met?.message ?? `The answer to the last refresh of profile ${profile} was lost.`;
  const why =
    'Its refresh token may be used up and is not sent again: a server that sees it twice ends the whole login.';
  return loginAgain(profile, 'login_lost', `${what} ${why}`, met);
}

function refused(cause: TokenRejected, asked: TokenAsked, profile: string): CliError {
  const error = rejectedToken(cause, asked);
  if (cause.rejection.refusal.code !== 'invalid_grant') return error;
  return loginAgain(
    profile,
    'login_ended',
    `The login of profile ${profile} has ended: ${error.message}`,
    error,
  );
}

import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { WireFailure } from '../http/failures.ts';
import { failureError } from '../http/verdict.ts';
import { getToken, rejectedToken, type TokenAsked, TokenRejected } from './token-errors.ts';

/** What the end of a refresh means for the token that was sent. */
export interface Verdict {
  readonly error: unknown;
  /** It may have been used up without anybody having seen what came in its place: it must not be sent again, ever. */
  readonly isLost: boolean;
  /** Trying again in this run would bring the same. */
  readonly isFinal: boolean;
}

/**
 * Judges why a refresh brought no token.
 *
 * @param sent whether the request may have left this machine.
 */
export function judge(cause: unknown, sent: boolean, asked: TokenAsked, profile: string): Verdict {
  if (cause instanceof TokenRejected) {
    // A success of another kind is no refusal.
    const isLost = cause.rejection.status < 300;
    return { error: refused(cause, asked, profile), isLost, isFinal: true };
  }
  if (cause instanceof WireFailure) {
    const error = failureError(cause, { safety: 'once', does: getToken(asked) });
    if (!cause.sent) return { error, isLost: false, isFinal: false };
    return { error: answerLost(profile, error), isLost: true, isFinal: true };
  }
  return { error: cause, isLost: sent, isFinal: cause instanceof CliError };
}

/** Exit 4: nothing but another login helps. */
export function loginAgain(profile: string, code: string, sentence: string, cause?: unknown): CliError {
  return new CliError(code, sentence, {
    cause,
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

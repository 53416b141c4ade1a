import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { WireFailure } from '../http/failures.ts';
import { failureError } from '../http/verdict.ts';
import { clip, neutraliseLine } from '../render/text.ts';
import { getToken, rejectedToken, type TokenAsked, TokenRejected } from './token-errors.ts';

/** Code units of what a server says in its refusal. */
const LONGEST_SAID = 300;

/** Servers say with these that they have trouble of their own. */
const passing = new Set(['server_error', 'temporarily_unavailable']);

const hints: Readonly<Record<string, string>> = {
  access_denied: 'Log in again, and allow it this time.',
  invalid_client: 'Check the client id and the client secret. To be asked for the secret: --confidential',
  invalid_scope: 'Check the scope.',
  unauthorized_client: 'Have this way to log in allowed for the client, or use another one: --web, --device.',
  unsupported_response_type: 'Have this way to log in allowed for the client, or use another one: --device.',
};

/** What to do about an error of OAuth in a login. */
function hintAbout(error: string | undefined): string {
  return (Object.hasOwn(hints, error ?? '') && hints[error ?? '']) || 'Log in again.';
}

/**
 * The server, or the person at it, said no. Exit 4; 7 where the server has trouble of its own.
 *
 * @param error as OAuth names it: `access_denied`.
 * @param said anything; the sentence has its beginning.
 */
export function loginRefused(error: string, said: string | undefined): CliError {
  const words = [error, said ?? ''].map((text) => clip(neutraliseLine(text.trim()), LONGEST_SAID));
  const reason = words.filter((text) => text !== '').join(': ');
  const isPassing = passing.has(error);
  return new CliError('login_refused', `The login was refused: ${reason.replace(/\.$/, '')}.`, {
    exitCode: isPassing ? ExitCode.unavailable : ExitCode.notLoggedIn,
    hint: isPassing ? 'Log in again later.' : hintAbout(error),
  });
}

/** What came through the browser is not what was asked for. Exit 4. */
export function loginStrange(what: string, cause: unknown): CliError {
  return new CliError('login_refused', `The answer of the server cannot be trusted: ${what}.`, {
    cause,
    exitCode: ExitCode.notLoggedIn,
    hint: 'Log in again, and check the issuer.',
  });
}

/** Nobody finished the login. Exit 4. */
export function loginTimeout(limitMs: number): CliError {
  const minutes = Math.round(limitMs / 60_000);
  const time = minutes >= 1 ? `${minutes} minute${minutes === 1 ? '' : 's'}` : `${limitMs / 1_000} s`;
  return new CliError('login_timeout', `Nobody finished the login within ${time}.`, {
    exitCode: ExitCode.notLoggedIn,
    hint: 'Log in again.',
  });
}

/** The server has no such way to log in, as far as is known. Exit 2. */
export function noSuchLogin(what: string, hint: string): CliError {
  return new CliError('unsupported_login', `The server names no ${what}.`, {
    hint,
    exitCode: ExitCode.usage,
  });
}

/** Whatever asking the server ended with, as an error; what is none of the server's comes back as it was. */
export function askingFailed(cause: unknown, asked: TokenAsked): unknown {
  if (cause instanceof TokenRejected) {
    const error = rejectedToken(cause, asked);
    return error.exitCode === ExitCode.notLoggedIn
      ? error.withHint(hintAbout(cause.rejection.refusal.code))
      : error;
  }
  return cause instanceof WireFailure
    ? failureError(cause, { safety: 'once', does: getToken(asked) })
    : cause;
}

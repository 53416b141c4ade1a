import { CliError, ExitCode } from '../model/errors.ts';
import { clip, neutraliseLine } from '../print/text.ts';
import { failureError, type Rejection, rejectionError } from '../service/refusal.ts';
import { WireFailure } from '../service/retry.ts';

/** The request to a token endpoint, for messages. */
export interface TokenRequest {
  readonly tokenUrl: string;
  readonly source: string;
  /** The end of `Could not ...`. Default: get a token for the source. */
  readonly does?: string | undefined;
}

/** The token endpoint's answer is not a success. */
export class TokenRejected extends Error {
  override readonly name = 'TokenRejected';
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(`the token endpoint answered with ${rejection.status}`);
    this.rejection = rejection;
  }
}

/** The end of `Could not ...`. */
export function taskOf({ source, does = `get a token for ${source}` }: TokenRequest): string {
  return does;
}

/** The rejection as an error: exit 4 for an OAuth error, 7 for a server error, otherwise 1. */
export function rejectedToken({ rejection }: TokenRejected, asked: TokenRequest): CliError {
  const { status, refusal } = rejection;
  const messages = [refusal.code, ...refusal.messages].filter((text) => text !== undefined);
  const withCode = { ...rejection, refusal: { ...refusal, messages } };
  const { code, message, requestId } = rejectionError(withCode, taskOf(asked), asked.tokenUrl);
  const facts = { status, requestId };
  if (status === 429 || status >= 500)
    return new CliError(code, message, { ...facts, exitCode: ExitCode.unavailable });
  if (status !== 401 && (refusal.code === undefined || status !== 400))
    return new CliError(code, message, { ...facts, hint: `Check the token URL ${asked.tokenUrl}.` });
  return new CliError('not_logged_in', message, {
    ...facts,
    exitCode: ExitCode.notLoggedIn,
    hint: `Check ${refusal.code === 'invalid_scope' ? 'the scope' : 'client id and client secret'} of ${asked.source}.`,
  });
}

/**
 * A successful answer without a valid token. Exit 1.
 *
 * @param requestId the server's id of the request, if any.
 */
export function malformedToken(what: string, asked: TokenRequest, cause: unknown, requestId?: string) {
  const sentence = `Could not ${taskOf(asked)}: ${what} (200 from ${new URL(asked.tokenUrl).host}).`;
  const hint = `Check the token URL ${asked.tokenUrl}.`;
  return new CliError('malformed_answer', sentence, { cause, status: 200, requestId, hint });
}

/** Exit 4: the profile needs a new login. */
export function loginAgain(profile: string, code: string, sentence: string, cause?: unknown): CliError {
  const hint = `innctl login --profile ${profile}`;
  return new CliError(code, sentence, { cause, exitCode: ExitCode.notLoggedIn, hint });
}

/** Exit 4: nothing is stored for the profile. */
export function noCredential(profile: string): CliError {
  return loginAgain(profile, 'not_logged_in', `Profile ${profile} has no credential.`);
}

/** Code units of a refusal's description that are shown. */
const MAX_DESCRIPTION = 300;

/** OAuth errors that are temporary. */
const passing = new Set(['server_error', 'temporarily_unavailable']);

const notAllowed = 'Allow this way to log in for the client, or use another one: --web, --device.';

/** Hints for OAuth errors in a login. */
const hints = new Map([
  ['invalid_client', 'Check the client id and the client secret. To be asked for the secret: --confidential'],
  ['invalid_scope', 'Check the scope.'],
  ['unauthorized_client', notAllowed],
  ['unsupported_response_type', notAllowed],
]);

const again = 'Log in again.';

/**
 * The server or the person refused the login. Exit 4; 7 for a temporary error.
 *
 * @param error the OAuth error: `access_denied`.
 * @param description of any content; it is clipped.
 */
export function loginRefused(error: string, description: string | undefined): CliError {
  const words = [error, description ?? ''].map((text) => clip(neutraliseLine(text.trim()), MAX_DESCRIPTION));
  const reason = words.filter((text) => text !== '').join(': ');
  return new CliError('login_refused', `The login was refused: ${reason.replace(/\.$/, '')}.`, {
    exitCode: passing.has(error) ? ExitCode.unavailable : ExitCode.notLoggedIn,
    hint: hints.get(error) ?? again,
  });
}

/** The redirect does not belong to the request. Exit 4. */
export function untrustedRedirect(what: string, cause: unknown): CliError {
  const sentence = `The answer of the server cannot be trusted: ${what}.`;
  return new CliError('login_refused', sentence, { cause, exitCode: ExitCode.notLoggedIn, hint: again });
}

/** The login was not finished in time. Exit 4. */
export function loginTimeout(limitMs: number): CliError {
  const sentence = `The login was not finished within ${limitMs / 1_000} s.`;
  return new CliError('login_timeout', sentence, { exitCode: ExitCode.notLoggedIn, hint: again });
}

/** The server has no endpoint for this kind of login. Exit 2. */
export function unsupportedLogin(what: string, flag: string, other: string): CliError {
  const hint = `Give it with ${flag}, or log in with ${other}.`;
  return new CliError('unsupported_login', `The server names no ${what}.`, {
    hint,
    exitCode: ExitCode.usage,
  });
}

/** The error for a failed request for a token; other causes are returned unchanged. */
export function tokenFailed(cause: unknown, asked: TokenRequest): unknown {
  if (cause instanceof TokenRejected) return rejectedToken(cause, asked);
  return cause instanceof WireFailure ? failureError(cause, taskOf(asked)) : cause;
}

/** The same for a request of a login, where the hint is about the login. */
export function loginFailed(cause: unknown, asked: TokenRequest): unknown {
  const error = tokenFailed(cause, asked);
  const isRefused = cause instanceof TokenRejected && error instanceof CliError;
  if (!isRefused || error.exitCode !== ExitCode.notLoggedIn) return error;
  return error.withHint(hints.get(cause.rejection.refusal.code ?? '') ?? again);
}

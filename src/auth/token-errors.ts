import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type Rejection, rejectionError } from '../service/refusal.ts';

/** What was asked for, for sentences. */
export interface TokenAsked {
  readonly tokenUrl: string;
  readonly source: string;
  /** The end of `Could not ...`; otherwise to get a token for the source. */
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
export function getToken({ source, does = `get a token for ${source}` }: TokenAsked): string {
  return does;
}

/** The rejection as an error: exit 4 when the server gave an OAuth error, 7 when it has trouble of its own, otherwise 1. */
export function rejectedToken({ rejection }: TokenRejected, asked: TokenAsked): CliError {
  const { status, refusal } = rejection;
  const messages = [refusal.code, ...refusal.messages].filter((text) => text !== undefined);
  const told = { ...rejection, refusal: { ...refusal, messages } };
  const { code, message, requestId } = rejectionError(told, getToken(asked), asked.tokenUrl);
  const facts = { status, requestId };
  if (status === 429 || status >= 500) {
    return new CliError(code, message, { ...facts, exitCode: ExitCode.unavailable });
  }
  if (status !== 401 && (refusal.code === undefined || status !== 400)) {
    return new CliError(code, message, { ...facts, hint: `Check the token URL ${asked.tokenUrl}.` });
  }
  return new CliError('not_logged_in', message, {
    ...facts,
    exitCode: ExitCode.notLoggedIn,
    hint: `Check ${refusal.code === 'invalid_scope' ? 'the scope' : 'client id and client secret'} of ${asked.source}.`,
  });
}

/**
 * A success that is no token. Exit 1.
 *
 * @param requestId the server's own number for the request, where it gave one.
 */
export function malformedToken(
  what: string,
  asked: TokenAsked,
  cause: unknown,
  requestId?: string,
): CliError {
  const { host } = new URL(asked.tokenUrl);
  return new CliError('malformed_answer', `Could not ${getToken(asked)}: ${what} (200 from ${host}).`, {
    cause,
    status: 200,
    requestId,
    hint: `Check the token URL ${asked.tokenUrl}.`,
  });
}

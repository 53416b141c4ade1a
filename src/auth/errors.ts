import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Context } from '../cli/ports.ts';
import { clip, neutraliseLine, sameCommand, shellLine } from '../out/text.ts';
import { WireFailure } from '../service/failures.ts';
import { failureError, type Rejection, rejectionError } from '../service/refusal.ts';
import type { DevicePage } from './device-login.ts';
import type { WebPage } from './web-login.ts';

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
 * A successful answer without a valid token. Exit 1.
 *
 * @param requestId the server's id of the request, if any.
 */
export function malformedToken(
  what: string,
  asked: TokenRequest,
  cause: unknown,
  requestId?: string,
): CliError {
  const sentence = `Could not ${taskOf(asked)}: ${what} (200 from ${new URL(asked.tokenUrl).host}).`;
  const hint = `Check the token URL ${asked.tokenUrl}.`;
  return new CliError('malformed_answer', sentence, { cause, status: 200, requestId, hint });
}

/** Asks a person to open the login page: the URL on its own line, and over SSH how to forward the redirect. */
export function webSentence(
  { url, isOpened, port }: WebPage,
  outside: Pick<Context, 'env' | 'argv'>,
): string {
  const where = isOpened
    ? 'A page to log in opens in your browser. If it does not, open it yourself:'
    : 'Open this page in a browser, and log in:';
  return [where, '', `  ${url}`, '', ...wayBack(port, isOpened, outside)].join('\n');
}

/** Asks a person to type the code. */
export function deviceSentence({ url, code, completeUrl, isOpened, lifetimeMs }: DevicePage): string {
  const minutes = Math.floor(lifetimeMs / 60_000);
  const time = minutes > 1 ? `${minutes} minutes` : `${Math.round(lifetimeMs / 1_000)} seconds`;
  const where = isOpened
    ? 'A page opens in your browser. If it does not, open this one'
    : 'Open this page in a browser on any device';
  return [
    `${where}, and type the code ${code} within ${time}:`,
    '',
    `  ${url}`,
    ...(completeUrl === undefined
      ? []
      : ['', 'Or this one, which has the code already:', '', `  ${completeUrl}`]),
    '',
  ].join('\n');
}

/** Over SSH the redirect goes to 127.0.0.1 of the machine with the browser: the port must be forwarded. */
function wayBack(
  port: number,
  isOpened: boolean,
  { env, argv }: Pick<Context, 'env' | 'argv'>,
): readonly string[] {
  const isRemote = [env['SSH_CONNECTION'], env['SSH_TTY']].some((each = '') => each !== '');
  if (isOpened || !isRemote) return [];
  // The fields of SSH_CONNECTION: the client's address and port, then the server's.
  const host = env['SSH_CONNECTION']?.split(' ')[2] ?? '<this machine>';
  const line = shellLine(['ssh', '-N', '-L', `${port}:127.0.0.1:${port}`, host]);
  return [
    'You are here over SSH. So that the page finds its way back, type this first, where the browser is:',
    '',
    `  ${line}`,
    '',
    `Or log in with a code: ${sameCommand(withoutBrowser(argv), '--device')}`,
    '',
  ];
}

/** Removes the flags that --device does not accept. */
function withoutBrowser(argv: readonly string[]): readonly string[] {
  const port = '--redirect-port';
  return argv.filter((word, at) => {
    return word !== '--web' && word !== port && argv[at - 1] !== port && !word.startsWith(`${port}=`);
  });
}

/** Exit 4: the profile needs a new login. */
export function loginAgain(profile: string, code: string, sentence: string, cause?: unknown): CliError {
  const hint = `innctl login --profile ${profile}`;
  return new CliError(code, sentence, { cause, exitCode: ExitCode.notLoggedIn, hint });
}

/** Code units of a refusal's description. */
const LONGEST_SAID = 300;

/** OAuth errors that are temporary. */
const passing = new Set(['server_error', 'temporarily_unavailable']);

const notAllowed = 'Have this way to log in allowed for the client, or use another one:';

/** Hints for OAuth errors in a login. */
const hints = new Map([
  ['access_denied', 'Log in again, and allow it this time.'],
  ['invalid_client', 'Check the client id and the client secret. To be asked for the secret: --confidential'],
  ['invalid_scope', 'Check the scope.'],
  ['unauthorized_client', `${notAllowed} --web, --device.`],
  ['unsupported_response_type', `${notAllowed} --device.`],
]);

const again = 'Log in again.';

/**
 * The server or the person refused the login. Exit 4; 7 for a temporary error.
 *
 * @param error the OAuth error: `access_denied`.
 * @param said its description, of any content; it is clipped.
 */
export function loginRefused(error: string, said: string | undefined): CliError {
  const words = [error, said ?? ''].map((text) => clip(neutraliseLine(text.trim()), LONGEST_SAID));
  const reason = words.filter((text) => text !== '').join(': ');
  const isPassing = passing.has(error);
  return new CliError('login_refused', `The login was refused: ${reason.replace(/\.$/, '')}.`, {
    exitCode: isPassing ? ExitCode.unavailable : ExitCode.notLoggedIn,
    hint: isPassing ? 'Log in again later.' : (hints.get(error) ?? again),
  });
}

/** The redirect does not belong to the request. Exit 4. */
export function untrustedRedirect(what: string, cause: unknown): CliError {
  return new CliError('login_refused', `The answer of the server cannot be trusted: ${what}.`, {
    cause,
    exitCode: ExitCode.notLoggedIn,
    hint: 'Log in again, and check the issuer.',
  });
}

/** The login was not finished in time. Exit 4. */
export function loginTimeout(limitMs: number): CliError {
  const minutes = Math.round(limitMs / 60_000);
  const time = minutes >= 1 ? `${minutes} minute${minutes === 1 ? '' : 's'}` : `${limitMs / 1_000} s`;
  return new CliError('login_timeout', `The login was not finished within ${time}.`, {
    exitCode: ExitCode.notLoggedIn,
    hint: again,
  });
}

/** The server has no endpoint for this kind of login. Exit 2. */
export function unsupportedLogin(what: string, flag: string, other: string): CliError {
  const hint = `Give it with ${flag}, or log in with ${other}.`;
  return new CliError('unsupported_login', `The server names no ${what}.`, {
    hint,
    exitCode: ExitCode.usage,
  });
}

/** The error for a failed request to the server; other causes are returned unchanged. */
export function loginFailed(cause: unknown, asked: TokenRequest): unknown {
  if (cause instanceof TokenRejected) {
    const error = rejectedToken(cause, asked);
    return error.exitCode === ExitCode.notLoggedIn
      ? error.withHint(hints.get(cause.rejection.refusal.code ?? '') ?? again)
      : error;
  }
  return cause instanceof WireFailure ? failureError(cause, taskOf(asked)) : cause;
}

import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Context } from '../cli/ports.ts';
import { sameCommand, shellLine } from '../out/text.ts';
import { type Rejection, rejectionError } from '../service/refusal.ts';
import type { DevicePage } from './device-login.ts';
import type { WebPage } from './web-login.ts';

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

/** Where to log in, for a person at a terminal: the URL on a line of its own, and over SSH how the browser finds its way back. */
export function webSentence(
  { url, isOpened, port }: WebPage,
  outside: Pick<Context, 'env' | 'argv'>,
): string {
  const where = isOpened
    ? 'A page to log in opens in your browser. If it does not, open it yourself:'
    : 'Open this page in a browser, and log in:';
  return [where, '', `  ${url}`, '', ...wayBack(port, isOpened, outside)].join('\n');
}

/** Which code to type where, for a person at a terminal. */
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

/** The page goes back to 127.0.0.1, which is here, wherever the browser is. */
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

/** The flags of a login in the browser contradict those of one with a code. */
function withoutBrowser(argv: readonly string[]): readonly string[] {
  const port = '--redirect-port';
  return argv.filter((word, at) => {
    return word !== '--web' && word !== port && argv[at - 1] !== port && !word.startsWith(`${port}=`);
  });
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

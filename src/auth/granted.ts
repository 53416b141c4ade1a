import {
  type AuthorizationServer,
  clockSkew,
  clockTolerance,
  getValidatedIdTokenClaims,
  JWT_TIMESTAMP_CHECK,
  type Client as OAuthClient,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { isRecord } from '../model/records.ts';
import { clip, neutraliseLine } from '../out/text.ts';
import { WireFailure } from '../service/failures.ts';
import { failureError } from '../service/refusal.ts';
import { isSendable } from './credentials.ts';
import { getToken, malformedToken, rejectedToken, type TokenAsked, TokenRejected } from './errors.ts';
import { claimsOf, type Who, whoIn } from './identity.ts';
import { numberOf, type OAuthHttp, type Shown, serverOf } from './oauth-http.ts';
import type { Provider } from './provider.ts';

/** Who asks: a program that is known to the server. Without a secret it is a public one. */
export interface Client {
  readonly id: string;
  readonly secret?: string | undefined;
}

/** How a client shows that it is itself: not at all, by its secret in the header, or in the form. */
export type ClientAuthMethod = 'none' | 'basic' | 'post';

/** What a login brought. */
export interface Granted {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch; `undefined` when the server did not say. */
  readonly expiresAt?: number | undefined;
  /** What was granted, which may be less than was asked for. */
  readonly scope?: string | undefined;
  /** How the client was known, for the next time. */
  readonly clientAuth: ClientAuthMethod;
  /** Whom the tokens belong to, as far as they tell. */
  readonly who: Who;
}

/** What is asked for, whichever way. */
export interface Asking {
  readonly provider: Provider;
  readonly client: Client;
  /** Scopes between blanks. */
  readonly scope?: string | undefined;
  readonly http: OAuthHttp;
}

/** A function of oauth4webapi that holds an answer against the specification. */
type Judge = (
  server: AuthorizationServer,
  client: OAuthClient,
  response: Response,
  hasIdToken: boolean,
) => Promise<TokenEndpointResponse>;

/** Seconds that the clocks of server and machine may be apart: the nonce says that an ID token is new, and it opens nothing. */
const TOLERANCE = 86_400;

/**
 * Reads the answer of a token endpoint. Its tokens are masked before anything else is done with them.
 *
 * @throws {CliError} exit 1, `malformed_answer`, when it is no bearer token, or its ID token is for somebody else.
 */
export async function readGranted(
  response: Response,
  { provider, client, scope, http }: Asking,
  { method }: Shown,
  judge: Judge,
): Promise<Granted> {
  const body: unknown = await response.json();
  const asked = askedBy(provider);
  const idToken = mask(body, http)['id_token'];
  const hasIdToken = typeof idToken === 'string';
  // Nobody said how the server calls itself where its URLs were given.
  const server = serverOf(provider, provider.issuer ?? issuerOf(hasIdToken ? idToken : ''));
  const answer = await judge(server, oauthClient(client, http), Response.json(body), hasIdToken).catch(
    (cause) => {
      throw notGranted(cause, asked, numberOf(response));
    },
  );
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer;
  if (answer.token_type !== 'bearer' || !isSendable(accessToken))
    throw malformedToken(
      'the answer is not a token that can stand in a header',
      asked,
      undefined,
      numberOf(response),
    );
  return {
    accessToken,
    refreshToken,
    expiresAt: seconds === undefined ? undefined : http.clock.now() + seconds * 1_000,
    scope: answer.scope ?? scope,
    clientAuth: method,
    who: { ...whoIn(claimsOf(accessToken)), ...whoIn(getValidatedIdTokenClaims(answer) ?? {}) },
  };
}

/** For sentences: what the token endpoint of a login is asked for. */
export function askedBy({ tokenUrl }: Provider): TokenAsked {
  return { tokenUrl, source: 'this login' };
}

/** The client as oauth4webapi knows it, with the clock of this run. */
export function oauthClient({ id }: Client, { clock }: OAuthHttp): OAuthClient {
  const skew = Math.round((clock.now() - Date.now()) / 1_000);
  return { client_id: id, [clockSkew]: skew, [clockTolerance]: TOLERANCE };
}

function mask(body: unknown, { redactor }: OAuthHttp): Readonly<Record<string, unknown>> {
  if (!isRecord(body)) return {};
  for (const name of ['access_token', 'refresh_token', 'id_token']) {
    const secret = body[name];
    if (typeof secret === 'string') redactor.add(secret);
  }
  return body;
}

function issuerOf(idToken: string): string | undefined {
  const { iss } = claimsOf(idToken);
  return typeof iss === 'string' && iss !== '' ? iss : undefined;
}

function notGranted(cause: Error, asked: TokenAsked, requestId: string | undefined) {
  const error = malformedToken(`the answer is not a token: ${cause.message}`, asked, cause, requestId);
  return codeOf(cause) === JWT_TIMESTAMP_CHECK ? error.withHint('Check the clock of this machine.') : error;
}

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

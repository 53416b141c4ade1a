import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  None,
  processClientCredentialsResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
} from 'oauth4webapi';
import type { Login } from '../config/credentials.ts';
import { WireFailure } from '../service/failures.ts';
import { failureError } from '../service/refusal.ts';
import type { ClientCredentialsOptions } from './client-credentials.ts';
import { isSendable } from './credentials.ts';
import { getToken, malformedToken, rejectedToken, type TokenAsked, TokenRejected } from './errors.ts';
import type { ClientAuthMethod } from './granted.ts';
import { asClient, numberOf, type OAuthHttp, oauthOptions, type Shown } from './oauth-http.ts';

/** A token as the server issued it. */
export interface Issued {
  readonly accessToken: string;
  /** `undefined` when the server did not say, or said something unusable. */
  readonly lifetimeMs: number | undefined;
  /** What was granted, where the server says so. */
  readonly scope: string | undefined;
  /** How the client was known. */
  readonly clientAuth: ClientAuthMethod;
}

/**
 * Fetches a token with the client's id and secret: in the header (RFC 6749, section 2.3.1), and where the server then
 * does not know the client, once more in the form, which is all that some servers read.
 *
 * @throws {CliError} when there is no token; token-errors.ts has the exit codes.
 */
export async function requestToken(options: ClientCredentialsOptions, signal: AbortSignal): Promise<Issued> {
  const client = { id: options.clientId, secret: options.clientSecret };
  try {
    return await asClient({}, client, (shown) => ask(shown, options, signal));
  } catch (cause) {
    if (cause instanceof TokenRejected) throw rejectedToken(cause, options);
    if (cause instanceof WireFailure) throw failureError(cause, { safety: 'read', does: getToken(options) });
    throw cause;
  }
}

async function ask(
  { auth, method }: Shown,
  options: ClientCredentialsOptions,
  signal: AbortSignal,
): Promise<Issued> {
  const { tokenUrl, clientId, scope, http } = options;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const parameters: Record<string, string> = scope === undefined ? {} : { scope };
  const response = await clientCredentialsGrantRequest(
    server,
    client,
    auth,
    parameters,
    oauthOptions(http, options, signal),
  );
  const grant = await processClientCredentialsResponse(server, client, response).catch((cause: Error) => {
    throw malformedToken(`the answer is not a token: ${cause.message}`, options, cause, numberOf(response));
  });
  const { access_token: accessToken, expires_in: seconds } = grant;
  if (grant.token_type !== 'bearer' || !isSendable(accessToken)) {
    const what = 'the answer is not a token that can stand in a header';
    throw malformedToken(what, options, undefined, numberOf(response));
  }
  http.redactor.add(accessToken);
  return {
    accessToken,
    lifetimeMs: seconds === undefined ? undefined : seconds * 1000,
    scope: grant.scope,
    clientAuth: method,
  };
}

/** What is sent where. */
export interface RefreshAsked extends TokenAsked {
  readonly clientId: string;
  readonly clientAuth: Login['client_auth'];
  /** `undefined` where the client has none. */
  readonly clientSecret: string | undefined;
  readonly refreshToken: string;
  readonly http: OAuthHttp;
}

/** What the server gave for a refresh token. */
export interface Refreshed {
  readonly accessToken: string;
  /** `undefined` when the one that was sent goes on to serve. */
  readonly refreshToken: string | undefined;
  /** Milliseconds; `undefined` when the server did not say, or said something unusable. */
  readonly lifetimeMs: number | undefined;
  /** What is granted now, where the server says so. */
  readonly scope: string | undefined;
}

/**
 * Sends a refresh token, once.
 *
 * @throws {TokenRejected} for an answer other than 200; {WireFailure} for none; {CliError} for a success that is no token.
 */
export async function requestRefresh(asked: RefreshAsked, signal: AbortSignal): Promise<Refreshed> {
  const { tokenUrl, clientId, refreshToken, http } = asked;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const options = oauthOptions(http, asked, signal);
  const answer = await refreshTokenGrantRequest(server, client, clientAuth(asked), refreshToken, options);
  const response = Response.json(withoutAsides(await answer.json()));
  const grant = await processRefreshTokenResponse(server, client, response).catch((cause: Error) => {
    throw malformedToken(`the answer is not a token: ${cause.message}`, asked, cause, numberOf(answer));
  });
  const { access_token: accessToken, refresh_token: next, expires_in: seconds, scope } = grant;
  if (next !== undefined) http.redactor.add(next);
  if (grant.token_type !== 'bearer' || !isSendable(accessToken)) {
    const what = 'the answer is not a token that can stand in a header';
    throw malformedToken(what, asked, undefined, numberOf(answer));
  }
  http.redactor.add(accessToken);
  return {
    accessToken,
    refreshToken: next,
    lifetimeMs: seconds === undefined ? undefined : seconds * 1000,
    scope,
  };
}

/** How login.client_auth says; where it says nothing, in the header if there is a secret. */
function clientAuth({ clientAuth: way, clientSecret }: RefreshAsked): ClientAuth {
  if (way === 'none' || clientSecret === undefined) return None();
  return way === 'post' ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
}

/**
 * The answer without what nobody here reads: a strange ID token, or an empty text for "no other refresh token", must not cost
 * the tokens beside it, for which the one that was sent is spent.
 */
function withoutAsides(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { id_token: _, ...rest } = answer as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => {
      return !['refresh_token', 'scope'].includes(name) || (typeof value === 'string' && value !== '');
    }),
  );
}

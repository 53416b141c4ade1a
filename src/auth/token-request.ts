import {
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
} from 'oauth4webapi';
import type { Login } from '../config/credentials.ts';
import { WireFailure } from '../service/failures.ts';
import { failureError } from '../service/refusal.ts';
import type { ClientCredentialsOptions } from './client-credentials.ts';
import { getToken, rejectedToken, type TokenAsked, TokenRejected } from './errors.ts';
import type { ClientAuthMethod } from './granted.ts';
import {
  asClient,
  type OAuthHttp,
  oauthOptions,
  readTokens,
  type Shown,
  shownAs,
  type Tokens,
} from './oauth-http.ts';

/** A token as the server issued it. */
export interface Issued extends Tokens {
  /** How the client authenticated. */
  readonly clientAuth: ClientAuthMethod;
}

/**
 * Fetches a token with the client's id and secret: in the header (RFC 6749, section 2.3.1), and after `invalid_client` in
 * the form, which is all that some servers support.
 *
 * @throws {CliError} when there is no token; errors.ts has the exit codes.
 */
export async function requestToken(options: ClientCredentialsOptions, signal: AbortSignal): Promise<Issued> {
  const client = { id: options.clientId, secret: options.clientSecret };
  try {
    return await asClient({}, client, (shown) => ask(shown, options, signal));
  } catch (cause) {
    if (cause instanceof TokenRejected) throw rejectedToken(cause, options);
    if (cause instanceof WireFailure) throw failureError(cause, getToken(options));
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
  const grant = processClientCredentialsResponse(server, client, response);
  return { ...(await readTokens(grant, response, options, http)), clientAuth: method };
}

/** The parameters of a refresh. */
export interface RefreshAsked extends TokenAsked {
  readonly clientId: string;
  readonly clientAuth: Login['client_auth'];
  readonly clientSecret: string | undefined;
  readonly refreshToken: string;
  readonly http: OAuthHttp;
}

/**
 * Sends a refresh token, once.
 *
 * @throws {TokenRejected} for an answer other than 200; {WireFailure} for none; {CliError} for a 200 without a valid token.
 */
export async function requestRefresh(asked: RefreshAsked, signal: AbortSignal): Promise<Tokens> {
  const { tokenUrl, clientId, refreshToken, http } = asked;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const options = oauthOptions(http, asked, signal);
  // The default for a client with a secret: in the header.
  const { auth } = shownAs(asked.clientAuth ?? 'basic', { id: clientId, secret: asked.clientSecret });
  const answer = await refreshTokenGrantRequest(server, client, auth, refreshToken, options);
  const response = Response.json(usedFields(await answer.json()));
  return readTokens(processRefreshTokenResponse(server, client, response), answer, asked, http);
}

/**
 * Keeps only fields that are used: an invalid ID token, or an empty refresh token, must not invalidate the other tokens,
 * because the refresh token that was sent is used up.
 */
function usedFields(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { id_token: _, ...rest } = answer as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => {
      return !['refresh_token', 'scope'].includes(name) || (typeof value === 'string' && value !== '');
    }),
  );
}

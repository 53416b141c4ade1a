import {
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
} from 'oauth4webapi';
import type { Login } from '../config/credentials.ts';
import { type TokenRequest, tokenFailed } from './errors.ts';
import type { ClientAuthMethod } from './granted.ts';
import {
  asClient,
  clientAuthBy,
  type OAuthHttp,
  oauthOptions,
  readTokens,
  type Tokens,
} from './oauth-http.ts';

/** The parameters of a token for a client. */
export interface ClientTokenRequest extends TokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scopes between blanks; `undefined` leaves the choice to the server. */
  readonly scope: string | undefined;
  readonly http: OAuthHttp;
}

/**
 * Fetches a token with the client's id and secret: in the header (RFC 6749, section 2.3.1), and after `invalid_client` in
 * the form, which is all that some servers support.
 *
 * @returns also how the client authenticated.
 * @throws {CliError} when there is no token; errors.ts has the exit codes.
 */
export async function requestToken(
  asked: ClientTokenRequest,
  signal: AbortSignal,
): Promise<Tokens & { readonly clientAuth: ClientAuthMethod }> {
  const { tokenUrl, clientId, clientSecret, scope, http } = asked;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const parameters: Record<string, string> = scope === undefined ? {} : { scope };
  const options = oauthOptions(http, asked, signal);
  try {
    return await asClient({}, { id: clientId, secret: clientSecret }, async ({ auth, method }) => {
      const response = await clientCredentialsGrantRequest(server, client, auth, parameters, options);
      const grant = processClientCredentialsResponse(server, client, response);
      return { ...(await readTokens(grant, response, asked, http)), clientAuth: method };
    });
  } catch (cause) {
    throw tokenFailed(cause, asked);
  }
}

/** The parameters of a refresh. */
export interface RefreshRequest extends TokenRequest {
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
export async function requestRefresh(asked: RefreshRequest, signal: AbortSignal): Promise<Tokens> {
  const { tokenUrl, clientId, refreshToken, http } = asked;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const options = oauthOptions(http, asked, signal);
  // The default for a client with a secret: in the header.
  const secret = asked.clientSecret;
  const { auth } = clientAuthBy(asked.clientAuth ?? 'basic', { id: clientId, secret });
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

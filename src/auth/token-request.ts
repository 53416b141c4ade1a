import {
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
} from 'oauth4webapi';
import { CliError } from '../cli/errors.ts';
import type { WireRequest, WireResponse } from '../cli/ports.ts';
import type { Login } from '../config/credentials.ts';
import { isMarkup } from '../service/answer.ts';
import { type TokenRequest, taskOf, tokenFailed } from './errors.ts';
import {
  asClient,
  type Client,
  clientAuthBy,
  type Granted,
  grantedWith,
  type OAuthHttp,
  oauthOptions,
  readTokens,
  type Tokens,
} from './oauth-http.ts';

/** The parameters of a token for a client. */
export interface ClientTokenRequest extends TokenRequest {
  readonly client: Client;
  /** Scopes between blanks; `undefined` leaves the choice to the server. */
  readonly scope: string | undefined;
  readonly http: OAuthHttp;
}

/**
 * Fetches a token with the client's id and secret: in the header (RFC 6749, section 2.3.1), and after `invalid_client` in
 * the form, which is all that some servers support.
 *
 * @throws {CliError} when there is no token; errors.ts has the exit codes.
 */
export async function requestToken(asked: ClientTokenRequest, signal: AbortSignal): Promise<Granted> {
  const { tokenUrl, client, scope, http } = asked;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const requester = { client_id: client.id };
  const parameters: Record<string, string> = scope === undefined ? {} : { scope };
  const options = oauthOptions(http, asked, signal);
  try {
    return await asClient({}, client, async ({ auth, method }) => {
      const response = await clientCredentialsGrantRequest(server, requester, auth, parameters, options);
      const grant = processClientCredentialsResponse(server, requester, response);
      return grantedWith(await readTokens(grant, response, asked, http.clock), scope, method);
    });
  } catch (cause) {
    throw tokenFailed(cause, asked);
  }
}

/** The parameters of a refresh. */
export interface RefreshRequest extends TokenRequest {
  readonly client: Client;
  readonly clientAuth: Login['client_auth'];
  readonly refreshToken: string;
  readonly http: OAuthHttp;
}

/**
 * Sends a refresh token, once.
 *
 * @throws {TokenRejected} for an answer other than 200; {WireFailure} for none; {CliError} for a 200 without a valid token.
 */
export async function requestRefresh(asked: RefreshRequest, signal: AbortSignal): Promise<Tokens> {
  const { tokenUrl, client, refreshToken, http } = asked;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const requester = { client_id: client.id };
  const options = oauthOptions(http, asked, signal);
  // The default for a client with a secret: in the header.
  const { auth } = clientAuthBy(asked.clientAuth ?? 'basic', client);
  const answer = await refreshTokenGrantRequest(server, requester, auth, refreshToken, options);
  const response = Response.json(usedFields(await answer.json()));
  return readTokens(processRefreshTokenResponse(server, requester, response), answer, asked, http.clock);
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

/** The tokens to revoke, and the client that revokes them. */
export interface Revocation {
  readonly url: string;
  readonly client: Client;
  readonly clientAuth: Login['client_auth'];
  readonly refresh: string | undefined;
  readonly access: string | undefined;
  /** The owner of the tokens, for messages: `profile chain`. */
  readonly source: string;
  readonly http: OAuthHttp;
}

/** Which tokens were revoked. */
export type Revoked = Awaited<ReturnType<typeof revoke>>;

/** Attempts per token. */
const MAX_ATTEMPTS = 3;

/**
 * Revokes the tokens at the server (RFC 7009), the refresh token first. Revocation is idempotent, so that a request without
 * an answer is repeated.
 *
 * @param limitMs for both tokens together.
 * @throws the reason of the signal; other failures are returned as `problem`.
 */
export async function revoke(revocation: Revocation, signal: AbortSignal, limitMs: number) {
  const { refresh, access } = revocation;
  const over = AbortSignal.timeout(limitMs);
  /** Why it was not revoked, as a sentence. */
  const end = async (secret: string | undefined, kind: 'refresh' | 'access') => {
    if (secret === undefined) return undefined;
    const { url: tokenUrl, source } = revocation;
    const asked = { tokenUrl, source, does: `revoke the ${kind} token of ${source}` };
    return revokeOne(secret, kind, revocation, asked, AbortSignal.any([signal, over])).catch((cause) => {
      signal.throwIfAborted();
      if (over.aborted)
        return `Could not ${taskOf(asked)}: no answer from ${new URL(tokenUrl).host} within ${limitMs / 1000} s.`;
      const error = tokenFailed(cause, asked);
      if (!(error instanceof CliError)) throw error;
      return error.message;
    });
  };
  const first = await end(refresh, 'refresh');
  const second = await end(access, 'access');
  return {
    refreshToken: refresh !== undefined && first === undefined,
    accessToken: access !== undefined && second === undefined,
    problem: first ?? second,
  };
}

/** Returns when the server has confirmed that the token is no longer valid. */
async function revokeOne(
  token: string,
  kind: 'refresh' | 'access',
  { url, client, clientAuth, http }: Revocation,
  asked: TokenRequest,
  signal: AbortSignal,
): Promise<undefined> {
  const server = { issuer: url, revocation_endpoint: url };
  const { auth } = clientAuthBy(clientAuth ?? 'basic', client);
  const maxAttempts = Math.min(http.maxAttempts, MAX_ATTEMPTS);
  const request = async (wire: WireRequest) => withoutBody(await http.request(wire));
  // An answer other than 200 is thrown.
  await revocationRequest(server, { client_id: client.id }, auth, token, {
    ...oauthOptions({ ...http, maxAttempts, request }, asked, signal, 'read'),
    additionalParameters: { token_type_hint: `${kind}_token` },
  });
}

/** The body of a success is ignored unless it is a page (RFC 7009, 2.2). */
function withoutBody(answer: WireResponse): WireResponse {
  const isSuccess = answer.status === 200 && !isMarkup(new TextDecoder().decode(answer.bytes));
  return isSuccess ? { ...answer, headers: {}, bytes: new TextEncoder().encode('{}') } : answer;
}

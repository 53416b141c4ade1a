import {
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
} from 'oauth4webapi';
import type { Login } from '../config/credentials.ts';
import { CliError } from '../model/errors.ts';
import type { WireRequest, WireResponse } from '../model/ports.ts';
import { isMarkup } from '../service/answer.ts';
import { tokenFailed } from './errors.ts';
import {
  asClient,
  type Client,
  clientAuthBy,
  type Granted,
  type GrantRequest,
  type OAuthHttp,
  oauthOptions,
  requestGrant,
  tokenRequest,
} from './oauth-http.ts';

/**
 * Fetches a token with the client's id and secret: in the header (RFC 6749, section 2.3.1), and after `invalid_client` in
 * the form, which is all that some servers support.
 *
 * @throws {CliError} when there is no token; errors.ts has the exit codes.
 */
export async function requestToken(request: GrantRequest, signal: AbortSignal): Promise<Granted> {
  const { scope } = request;
  const parameters: Record<string, string> = scope === undefined ? {} : { scope };
  const grant: Parameters<typeof requestGrant>[2] = {
    send: (server, client, auth, options) =>
      clientCredentialsGrantRequest(server, client, auth, parameters, options),
    validate: processClientCredentialsResponse,
  };
  try {
    return await asClient(request, (clientAuth) => requestGrant(request, clientAuth, grant, signal));
  } catch (cause) {
    throw tokenFailed(cause, tokenRequest(request));
  }
}

/**
 * Sends a refresh token, once.
 *
 * @param method default: for a client with a secret, in the header.
 * @throws as `requestGrant`.
 */
export function requestRefresh(
  request: GrantRequest,
  refreshToken: string,
  method: Login['client_auth'] = 'basic',
  signal: AbortSignal,
): Promise<Granted> {
  const grant: Parameters<typeof requestGrant>[2] = {
    send: async (server, client, auth, options) => {
      const answer = await refreshTokenGrantRequest(server, client, auth, refreshToken, options);
      return Response.json(usedFields(await answer.json()), { headers: answer.headers });
    },
    validate: processRefreshTokenResponse,
  };
  return requestGrant(request, clientAuthBy(method, request.client), grant, signal);
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
interface Revocation {
  readonly url: string;
  readonly client: Client;
  readonly clientAuth: Login['client_auth'];
  readonly refresh: string | undefined;
  readonly access: string | undefined;
  /** The owner of the tokens, for messages: `profile chain`. */
  readonly source: string;
  readonly http: OAuthHttp;
}

/** Whether the refresh token, or else the access token, was revoked, and why a token was not. */
export type Revoked = Awaited<ReturnType<typeof revoke>>;

/**
 * Revokes the tokens at the server (RFC 7009), the refresh token first. Revocation is idempotent, so that a request without
 * an answer is repeated.
 *
 * @param limitMs for both tokens together.
 * @throws the reason of the signal; other failures are returned as `problem`.
 */
export async function revoke(revocation: Revocation, signal: AbortSignal, limitMs: number) {
  const { url, client, clientAuth = 'basic', source } = revocation;
  const over = AbortSignal.timeout(limitMs);
  const ends = AbortSignal.any([signal, over]);
  const { auth } = clientAuthBy(clientAuth, client);
  const request = async (wire: WireRequest) => withoutBody(await revocation.http.request(wire));
  const http = { ...revocation.http, request };
  /** Why it was not revoked, as a sentence. */
  const end = async (kind: 'refresh' | 'access') => {
    const token = revocation[kind];
    if (token === undefined) return undefined;
    const asked = { tokenUrl: url, source, does: `revoke the ${kind} token of ${source}` };
    const additionalParameters = { token_type_hint: `${kind}_token` };
    const options = { ...oauthOptions(http, asked, ends, 'read'), additionalParameters };
    const server = { issuer: url, revocation_endpoint: url };
    try {
      // An answer other than 200 is thrown.
      await revocationRequest(server, { client_id: client.id }, auth, token, options);
      return undefined;
    } catch (cause) {
      signal.throwIfAborted();
      if (over.aborted)
        return `Could not ${asked.does}: no answer from ${new URL(url).host} within ${limitMs / 1000} s.`;
      const error = tokenFailed(cause, asked);
      if (!(error instanceof CliError)) throw error;
      return error.message;
    }
  };
  const first = await end('refresh');
  const second = await end('access');
  const { refresh, access } = revocation;
  const revoked = refresh === undefined ? access !== undefined && second === undefined : first === undefined;
  return { revoked, problem: first ?? second };
}

/** The body of a success is ignored unless it is a page (RFC 7009, 2.2). */
function withoutBody(answer: WireResponse): WireResponse {
  const isSuccess = answer.status === 200 && !isMarkup(new TextDecoder().decode(answer.bytes));
  return isSuccess ? { ...answer, headers: {}, bytes: new TextEncoder().encode('{}') } : answer;
}

import { revocationRequest } from 'oauth4webapi';
import { CliError } from '../cli/errors.ts';
import type { WireRequest } from '../cli/ports.ts';
import type { Login, Secrets } from '../config/credentials.ts';
import { isMarkup } from '../service/answer.ts';
import type { Exchanged } from '../service/exchange.ts';
import { WireFailure } from '../service/failures.ts';
import { rejectionError } from '../service/refusal.ts';
import { TokenRejected } from './errors.ts';
import { clientAuthBy, type OAuthHttp, oauthOptions } from './oauth-http.ts';

/** The tokens to revoke, and the client that revokes them. */
export interface Revocation {
  readonly url: string;
  readonly clientId: string;
  readonly clientAuth: Login['client_auth'];
  readonly secrets: Secrets;
  /** The owner of the tokens, for messages: `profile chain`. */
  readonly source: string;
  readonly http: OAuthHttp;
}

/** Which tokens were revoked. */
export interface Revoked {
  readonly refreshToken: boolean;
  readonly accessToken: boolean;
  /** Why one of them was not revoked, as a sentence. */
  readonly problem: string | undefined;
}

/** Attempts per token. */
const MAX_ATTEMPTS = 3;

/**
 * Revokes the tokens at the server (RFC 7009), the refresh token first. Revocation is idempotent, so that a request without
 * an answer is repeated.
 *
 * @param limitMs for both tokens together.
 * @throws the reason of the signal; other failures are returned as `problem`.
 */
export async function revoke(revocation: Revocation, signal: AbortSignal, limitMs: number): Promise<Revoked> {
  const { refresh_token: refresh, token, cached_token } = revocation.secrets;
  const access = token ?? cached_token?.access_token;
  const over = AbortSignal.timeout(limitMs);
  const end = async (secret: string | undefined, kind: 'refresh' | 'access') =>
    secret === undefined
      ? undefined
      : revokeOne(secret, kind, revocation, AbortSignal.any([signal, over])).catch((cause) => {
          signal.throwIfAborted();
          return failed(cause, kind, revocation, over.aborted ? limitMs : undefined);
        });
  const first = await end(refresh, 'refresh');
  const second = first?.isLasting === true ? first : await end(access, 'access');
  return {
    refreshToken: refresh !== undefined && first === undefined,
    accessToken: access !== undefined && second === undefined,
    problem: (first ?? second)?.sentence,
  };
}

/** Returns when the server has confirmed that the token is no longer valid. */
async function revokeOne(
  token: string,
  kind: 'refresh' | 'access',
  { url, clientId, clientAuth, secrets, source, http }: Revocation,
  signal: AbortSignal,
): Promise<undefined> {
  const server = { issuer: url, revocation_endpoint: url };
  const { auth } = clientAuthBy(clientAuth ?? 'basic', { id: clientId, secret: secrets.client_secret });
  const maxAttempts = Math.min(http.maxAttempts, MAX_ATTEMPTS);
  const request = async (wire: WireRequest) => withoutBody(await http.request(wire));
  // An answer other than 200 is thrown.
  await revocationRequest(server, { client_id: clientId }, auth, token, {
    ...oauthOptions({ ...http, maxAttempts, request }, { tokenUrl: url, source }, signal, 'read'),
    additionalParameters: { token_type_hint: `${kind}_token` },
  });
}

/** The body of a success is ignored unless it is a page (RFC 7009, 2.2). */
function withoutBody(answer: Exchanged): Exchanged {
  const isSuccess = answer.status === 200 && !isMarkup(new TextDecoder().decode(answer.bytes));
  return isSuccess ? { ...answer, headers: {}, bytes: new TextEncoder().encode('{}') } : answer;
}

/** Why a token was not revoked, and whether the other token would fail the same way. */
function failed(
  cause: unknown,
  kind: 'refresh' | 'access',
  { url, source }: Revocation,
  overMs: number | undefined,
): { readonly sentence: string; readonly isLasting: boolean } {
  const does = `revoke the ${kind} token of ${source}`;
  const { host } = new URL(url);
  const sentence = (why: string) => `Could not ${does}: ${why}`;
  if (overMs !== undefined)
    return { sentence: sentence(`no answer from ${host} within ${overMs / 1000} s.`), isLasting: true };
  if (cause instanceof WireFailure) return { sentence: sentence(cause.message), isLasting: true };
  if (cause instanceof TokenRejected)
    return { sentence: rejectionError(cause.rejection, does, url).message, isLasting: false };
  if (!(cause instanceof CliError)) throw cause;
  const isPage = cause.code === 'malformed_answer';
  const why = isPage ? `a page came instead of an answer (200 from ${host}).` : cause.message;
  return { sentence: sentence(why), isLasting: false };
}

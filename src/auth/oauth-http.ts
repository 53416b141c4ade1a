import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type CustomFetchOptions,
  clockSkew,
  clockTolerance,
  customFetch,
  getValidatedIdTokenClaims,
  JWT_TIMESTAMP_CHECK,
  None,
  type Client as OAuthClient,
  type processAuthorizationCodeResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { codeOf, messageOf, usageError } from '../cli/errors.ts';
import type { Clock, Method, WireRequest, WireResponse } from '../cli/ports.ts';
import { isInsecure } from '../config/urls.ts';
import { isRecord, withoutHoles } from '../model/records.ts';
import type { Redactor } from '../print/redaction.ts';
import { decodeJson, requestIdOf } from '../service/answer.ts';
import { WireFailure } from '../service/failures.ts';
import { readRejection } from '../service/refusal.ts';
import { isPassing, mayRetry, retryDelayMs } from '../service/retry.ts';
import { isSendable } from './credentials.ts';
import { malformedToken, TokenRejected, type TokenRequest } from './errors.ts';
import { claimsOf, type Who, whoIn } from './identity.ts';
import type { Provider } from './provider.ts';

/** The HTTP client for OAuth servers, over the run's own transport. */
export interface OAuthHttp {
  /** One exchange: bounded, without redirects. */
  readonly request: (request: WireRequest) => Promise<WireResponse>;
  /** Attempts per request. */
  readonly maxAttempts: number;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly redactor: Redactor;
}

/** An OAuth client; public if it has no secret. */
export interface Client {
  readonly id: string;
  readonly secret?: string | undefined;
}

/** How a client authenticates: not at all, or by its secret in the header or in the form. */
export type ClientAuthMethod = 'none' | 'basic' | 'post';

/** The one header of an answer that is passed on; percent-encoded, because not every text is a valid header. */
const REQUEST_ID = 'x-request-id';

/** Seconds; a longer lifetime is reduced to this. */
const MAX_LIFETIME_SECONDS = 24 * 3600;

/**
 * Options that make oauth4webapi use our transport. An answer other than 200 is a `TokenRejected`, no answer a `WireFailure`.
 *
 * @param asked for the message about a 200 that is not JSON.
 * @param safety `once` repeats a request only if it was certainly not sent; `read` also without an answer, and while the
 *   server is busy.
 * @throws {CliError} exit 2 when the request would go unencrypted to another machine.
 */
export function oauthOptions(
  http: OAuthHttp,
  asked: TokenRequest,
  signal: AbortSignal,
  safety: 'once' | 'read' = 'once',
) {
  return {
    headers: { 'accept-encoding': 'identity', 'user-agent': http.userAgent },
    // The request below decides by host.
    [allowInsecureRequests]: true,
    [customFetch]: async (
      url: string,
      { method, headers, body }: CustomFetchOptions<string, unknown>,
    ): Promise<Response> => {
      if (isInsecure(url))
        throw usageError(
          `${url} would be sent credentials unencrypted.`,
          'Use https; http is for this machine alone.',
        );
      const credentials = headers['authorization']?.replace('Basic ', '') ?? '';
      http.redactor.add(credentials);
      const text = body === undefined || body === null ? undefined : String(body);
      // oauth4webapi sends only GET and POST.
      const wire = { method: method as Method, url, headers, body: text, signal };
      const answer = await send(wire, http, safety);
      const requestId = requestIdOf(answer.headers);
      const passed = withoutHoles({ [REQUEST_ID]: requestId && encodeURIComponent(requestId) });
      return Response.json(readAnswer(answer, http, asked), { headers: passed });
    },
  };
}

/** What a token endpoint issued. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Milliseconds since the epoch; `undefined` when the server gave no lifetime, or an invalid one. */
  readonly expiresAt: number | undefined;
  /** The granted scopes, if the server lists them. */
  readonly scope: string | undefined;
}

/**
 * Reads the tokens of a response.
 *
 * @param grant the response as oauth4webapi validated it.
 * @throws {CliError} `malformed_answer`, exit 1, when it has no bearer token that is a valid header value.
 */
export async function readTokens(
  grant: Promise<TokenEndpointResponse>,
  response: Response,
  asked: TokenRequest,
  clock: Clock,
): Promise<Tokens> {
  const passedId = response.headers.get(REQUEST_ID);
  const requestId = passedId === null ? undefined : decodeURIComponent(passedId);
  const { access_token, refresh_token, expires_in, scope, token_type } = await grant.catch((cause: Error) => {
    const error = malformedToken(`the answer is not a token: ${cause.message}`, asked, cause, requestId);
    throw codeOf(cause) === JWT_TIMESTAMP_CHECK ? error.withHint('Check the clock of this machine.') : error;
  });
  if (token_type !== 'bearer' || !isSendable(access_token)) {
    const what = 'the response is not a token that fits in a header';
    throw malformedToken(what, asked, undefined, requestId);
  }
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: expires_in === undefined ? undefined : clock.now() + expires_in * 1_000,
    scope,
  };
}

async function send(
  wire: WireRequest & { readonly signal: AbortSignal },
  { request, maxAttempts, clock, random }: OAuthHttp,
  safety: 'once' | 'read',
): Promise<WireResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= maxAttempts;
    try {
      const answer = await request(wire);
      if (isLast || safety === 'once' || !isPassing(answer.status)) return answer;
    } catch (failure) {
      const again = failure instanceof WireFailure && mayRetry(safety, { kind: 'failure', failure });
      if (isLast || !again) throw failure;
    }
    await clock.sleep(retryDelayMs(attempt, undefined, random()), wire.signal);
  }
}

/** Masks the tokens of a success. */
function readAnswer(answer: WireResponse, { redactor }: OAuthHttp, asked: TokenRequest): unknown {
  if (answer.status !== 200) throw new TokenRejected(readRejection(answer, redactor.text));
  const { headers, bytes } = answer;
  try {
    const body = decodeJson(bytes, headers);
    for (const name of ['access_token', 'refresh_token', 'id_token']) {
      const secret = isRecord(body) ? body[name] : undefined;
      if (typeof secret === 'string') redactor.add(secret);
    }
    return withUsableLifetime(body);
  } catch (cause) {
    throw malformedToken(messageOf(cause), asked, cause, requestIdOf(headers));
  }
}

/** Servers write `expires_in` as a number, a text, 0 or -1 for "never"; an invalid one is removed. */
function withUsableLifetime(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('expires_in' in answer)) return answer ?? null;
  const { expires_in: value, ...rest } = answer;
  const seconds = Math.min(Number(value), MAX_LIFETIME_SECONDS);
  return seconds > 0 ? { ...rest, expires_in: seconds } : rest;
}

/** How a client authenticates in one request. */
export type ClientAuth = ReturnType<typeof clientAuthBy>;

/** The authentication of a client; without a secret always `none`. */
export function clientAuthBy(method: ClientAuthMethod, { secret }: Client) {
  if (secret === undefined || method === 'none') return { method: 'none', auth: None() } as const;
  return { method, auth: method === 'basic' ? ClientSecretBasic(secret) : ClientSecretPost(secret) };
}

/**
 * Sends a request as the client: with its secret in the header, or in the form if the server supports only that. Repeats it
 * with the form when the server answers `invalid_client`: it checks the client first, so that no code or token was used up.
 */
export async function asClient<Result>(
  { clientAuthMethods }: Pick<Provider, 'clientAuthMethods'>,
  client: Client,
  ask: (clientAuth: ClientAuth) => Promise<Result>,
): Promise<Result> {
  if (client.secret === undefined) return ask(clientAuthBy('none', client));
  const has = (method: string) => clientAuthMethods?.includes(method) === true;
  if (has('client_secret_post') && !has('client_secret_basic')) return ask(clientAuthBy('post', client));
  return ask(clientAuthBy('basic', client)).catch((cause) => {
    if (!(cause instanceof TokenRejected && cause.rejection.refusal.code === 'invalid_client')) throw cause;
    return ask(clientAuthBy('post', client));
  });
}

/** Allowed signature algorithms of ID tokens; the token comes directly from the server, so only the name is checked. */
const anyAlgorithm = [
  ...['RS', 'PS', 'ES'].flatMap((kind) => [`${kind}256`, `${kind}384`, `${kind}512`]),
  ...['EdDSA', 'Ed25519'],
];

/** The provider for oauth4webapi. */
export function serverOf(provider: Provider, issuer = provider.issuer): AuthorizationServer {
  return {
    issuer: issuer ?? provider.tokenUrl,
    token_endpoint: provider.tokenUrl,
    authorization_response_iss_parameter_supported: provider.sendsIssuer,
    id_token_signing_alg_values_supported: [...(provider.signingAlgorithms ?? anyAlgorithm)],
    ...withoutHoles({ device_authorization_endpoint: provider.deviceAuthorizationUrl }),
  };
}

/** The result of a login: its scopes may be fewer than requested. */
export interface Granted extends Partial<Tokens> {
  readonly accessToken: string;
  /** How the client authenticated, for later requests. */
  readonly clientAuth: ClientAuthMethod;
  /** The owner of the tokens, as far as known. */
  readonly who: Who;
}

/** The parameters of a login, by browser or device code. */
export interface LoginRequest {
  readonly provider: Provider;
  readonly client: Client;
  /** Scopes between blanks. */
  readonly scope?: string | undefined;
  readonly http: OAuthHttp;
}

/** Seconds of clock skew allowed: the nonce proves that an ID token is new, and it grants no access. */
const CLOCK_TOLERANCE_SECONDS = 86_400;

/**
 * Reads the answer of a token endpoint to a login.
 *
 * @param validate the function of oauth4webapi for this grant.
 * @param nonce expected in an ID token.
 *
 * @throws {CliError} exit 1, `malformed_answer`, when it has no bearer token, or an ID token for another client.
 */
export async function readGranted(
  response: Response,
  { provider, client, scope, http }: LoginRequest,
  { method }: ClientAuth,
  validate: typeof processAuthorizationCodeResponse,
  nonce?: string,
): Promise<Granted> {
  const body: unknown = await response.json();
  const asked = tokenRequest(provider);
  const idToken = isRecord(body) ? body['id_token'] : undefined;
  const hasIdToken = typeof idToken === 'string';
  // The issuer is unknown if the URLs were given by flags.
  const server = serverOf(provider, provider.issuer ?? issuerOf(hasIdToken ? idToken : ''));
  const options = hasIdToken && nonce !== undefined ? { expectedNonce: nonce } : {};
  const answer = validate(server, oauthClient(client, http), Response.json(body), options);
  const tokens = await readTokens(answer, response, asked, http.clock);
  const granted = grantedWith(tokens, scope, method);
  return { ...granted, who: { ...granted.who, ...whoIn(getValidatedIdTokenClaims(await answer) ?? {}) } };
}

/** The tokens with what was requested and what they claim. */
export function grantedWith(
  tokens: Tokens,
  scope: string | undefined,
  clientAuth: ClientAuthMethod,
): Granted {
  return { ...tokens, scope: tokens.scope ?? scope, clientAuth, who: whoIn(claimsOf(tokens.accessToken)) };
}

/** The token request of a login, for messages. */
export function tokenRequest({ tokenUrl }: Provider): TokenRequest {
  return { tokenUrl, source: 'this login' };
}

/** The client for oauth4webapi, with the clock of this run. */
export function oauthClient({ id }: Client, { clock }: OAuthHttp): OAuthClient {
  const skew = Math.round((clock.now() - Date.now()) / 1_000);
  return { client_id: id, [clockSkew]: skew, [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
}

function issuerOf(idToken: string): string | undefined {
  const { iss } = claimsOf(idToken);
  return typeof iss === 'string' && iss !== '' ? iss : undefined;
}

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
} from 'oauth4webapi';
import { mayReceive } from '../config/binding.ts';
import { codeOf, messageOf, usageError } from '../model/errors.ts';
import type { Clock, Method, WireRequest, WireResponse } from '../model/ports.ts';
import { isRecord, withoutHoles } from '../model/records.ts';
import type { Redactor } from '../model/redaction.ts';
import { decodeJson, requestIdOf } from '../service/answer.ts';
import { readRejection } from '../service/refusal.ts';
import { isPassing, mayRetry, retryDelayMs, WireFailure } from '../service/retry.ts';
import { malformedToken, TokenRejected, type TokenRequest } from './errors.ts';
import { claimsOf, isSendable, type Who, whoIn } from './identity.ts';

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

/** An OAuth server, from its discovery document or from given URLs. */
export interface Provider {
  /** As the server writes it; `undefined` if URLs were given instead: then issuers cannot be checked. */
  readonly issuer?: string | undefined;
  readonly authorizationUrl?: string | undefined;
  readonly deviceAuthorizationUrl?: string | undefined;
  readonly tokenUrl: string;
  readonly revocationUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** `client_secret_basic`, `client_secret_post`, and others that are not supported here. */
  readonly clientAuthMethods?: readonly string[] | undefined;
  /** Of ID tokens. */
  readonly signingAlgorithms?: readonly string[] | undefined;
  /** Whether each redirect has the issuer (RFC 9207). */
  readonly sendsIssuer?: boolean;
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
      if (!mayReceive(url))
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
  {
    provider: { clientAuthMethods },
    client,
  }: Pick<GrantRequest, 'client'> & { readonly provider: Pick<Provider, 'clientAuthMethods'> },
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
const anyAlgorithm = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** The provider for oauth4webapi. */
export function serverOf(provider: Provider, issuer = provider.issuer): AuthorizationServer {
  return {
    issuer: issuer ?? provider.tokenUrl,
    token_endpoint: provider.tokenUrl,
    authorization_response_iss_parameter_supported: provider.sendsIssuer === true,
    id_token_signing_alg_values_supported: [...(provider.signingAlgorithms ?? anyAlgorithm)],
    ...withoutHoles({ device_authorization_endpoint: provider.deviceAuthorizationUrl }),
  };
}

/** A request for tokens. */
export interface GrantRequest {
  readonly provider: Provider;
  readonly client: Client;
  /** Scopes between blanks; `undefined` leaves the choice to the server. */
  readonly scope?: string | undefined;
  readonly http: OAuthHttp;
  /** What the tokens are for, for messages. Default: `this login`. */
  readonly source?: string | undefined;
}

/** What a token endpoint issued; its scopes may be fewer than requested. */
export interface Granted {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch; `undefined` when the server gave no lifetime, or an invalid one. */
  readonly expiresAt?: number | undefined;
  readonly scope?: string | undefined;
  /** How the client authenticated, for later requests. */
  readonly clientAuth: ClientAuthMethod;
  /** The owner of the tokens, as far as known. */
  readonly who: Who;
}

/** The two functions of oauth4webapi for one kind of grant, and the nonce that is expected in an ID token. */
interface Grant {
  readonly send: (
    server: AuthorizationServer,
    client: OAuthClient,
    auth: ClientAuth['auth'],
    options: ReturnType<typeof oauthOptions>,
  ) => Promise<Response>;
  readonly validate: typeof processAuthorizationCodeResponse;
  readonly nonce?: string | undefined;
}

/**
 * Requests tokens from a token endpoint.
 *
 * @throws {TokenRejected} for an answer other than 200; {WireFailure} for none; {CliError} `malformed_answer`, exit 1, for one
 *   without a bearer token that is a valid header value, or with an ID token for another client.
 */
export async function requestGrant(
  request: GrantRequest,
  { method, auth }: ClientAuth,
  { send, validate, nonce }: Grant,
  signal: AbortSignal,
): Promise<Granted> {
  const { provider, scope, http } = request;
  const asked = tokenRequest(request);
  const client = oauthClient(request);
  const response = await send(serverOf(provider), client, auth, oauthOptions(http, asked, signal));
  const passedId = response.headers.get(REQUEST_ID);
  const requestId = passedId === null ? undefined : decodeURIComponent(passedId);
  const body: unknown = await response.json();
  const idToken = isRecord(body) && typeof body['id_token'] === 'string' ? body['id_token'] : undefined;
  // The issuer is unknown if the URLs were given by flags.
  const server = serverOf(provider, provider.issuer ?? issuerOf(idToken ?? ''));
  const options = idToken === undefined || nonce === undefined ? {} : { expectedNonce: nonce };
  const answer = await validate(server, client, Response.json(body), options).catch((cause: Error) => {
    const error = malformedToken(`the answer is not a token: ${cause.message}`, asked, cause, requestId);
    throw codeOf(cause) === JWT_TIMESTAMP_CHECK ? error.withHint('Check the clock of this machine.') : error;
  });
  const { access_token: accessToken, expires_in } = answer;
  if (answer.token_type !== 'bearer' || !isSendable(accessToken)) {
    const what = 'the response is not a token that fits in a header';
    throw malformedToken(what, asked, undefined, requestId);
  }
  return {
    accessToken,
    refreshToken: answer.refresh_token,
    expiresAt: expires_in === undefined ? undefined : http.clock.now() + expires_in * 1_000,
    scope: answer.scope ?? scope,
    clientAuth: method,
    who: { ...whoIn(claimsOf(accessToken)), ...whoIn(getValidatedIdTokenClaims(answer) ?? {}) },
  };
}

/** A request for tokens, for messages. */
export function tokenRequest({ provider, source = 'this login' }: GrantRequest): TokenRequest {
  return { tokenUrl: provider.tokenUrl, source };
}

/** Seconds of clock skew allowed: the nonce proves that an ID token is new, and it grants no access. */
const CLOCK_TOLERANCE_SECONDS = 86_400;

/** The client for oauth4webapi, with the clock of this run. */
export function oauthClient({ client, http }: Pick<GrantRequest, 'client' | 'http'>): OAuthClient {
  const skew = Math.round((http.clock.now() - Date.now()) / 1_000);
  return { client_id: client.id, [clockSkew]: skew, [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
}

function issuerOf(idToken: string): string | undefined {
  const { iss } = claimsOf(idToken);
  return typeof iss === 'string' && iss !== '' ? iss : undefined;
}

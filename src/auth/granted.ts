import {
  clockSkew,
  clockTolerance,
  getValidatedIdTokenClaims,
  type Client as OAuthClient,
  type processAuthorizationCodeResponse,
} from 'oauth4webapi';
import { isRecord } from '../model/records.ts';
import type { TokenRequest } from './errors.ts';
import { claimsOf, type Who, whoIn } from './identity.ts';
import { type ClientAuth, type OAuthHttp, readTokens, serverOf, type Tokens } from './oauth-http.ts';
import type { Provider } from './provider.ts';

/** An OAuth client; public if it has no secret. */
export interface Client {
  readonly id: string;
  readonly secret?: string | undefined;
}

/** How a client authenticates: not at all, or by its secret in the header or in the form. */
export type ClientAuthMethod = 'none' | 'basic' | 'post';

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
 * Reads the answer of a token endpoint. Its tokens are masked first.
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
  const idToken = mask(body, http)['id_token'];
  const hasIdToken = typeof idToken === 'string';
  // The issuer is unknown if the URLs were given by flags.
  const server = serverOf(provider, provider.issuer ?? issuerOf(hasIdToken ? idToken : ''));
  const options = hasIdToken && nonce !== undefined ? { expectedNonce: nonce } : {};
  const answer = validate(server, oauthClient(client, http), Response.json(body), options);
  const tokens = await readTokens(answer, response, asked, http);
  const inIdToken = whoIn(getValidatedIdTokenClaims(await answer) ?? {});
  return {
    ...tokens,
    scope: tokens.scope ?? scope,
    clientAuth: method,
    who: { ...whoIn(claimsOf(tokens.accessToken)), ...inIdToken },
  };
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

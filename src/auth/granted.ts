import {
  type AuthorizationServer,
  clockSkew,
  clockTolerance,
  getValidatedIdTokenClaims,
  type Client as OAuthClient,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { isRecord } from '../model/records.ts';
import type { TokenAsked } from './errors.ts';
import { claimsOf, type Who, whoIn } from './identity.ts';
import { type OAuthHttp, readTokens, type Shown, serverOf } from './oauth-http.ts';
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
 * @throws {CliError} exit 1, `malformed_answer`, when it is no bearer token, or its ID token is for another client.
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
  // Where its URLs were given, the issuer is unknown.
  const server = serverOf(provider, provider.issuer ?? issuerOf(hasIdToken ? idToken : ''));
  const answer = judge(server, oauthClient(client, http), Response.json(body), hasIdToken);
  const {
    accessToken,
    refreshToken,
    lifetimeMs,
    scope: granted,
  } = await readTokens(answer, response, asked, http);
  return {
    accessToken,
    refreshToken,
    expiresAt: lifetimeMs === undefined ? undefined : http.clock.now() + lifetimeMs,
    scope: granted ?? scope,
    clientAuth: method,
    who: { ...whoIn(claimsOf(accessToken)), ...whoIn(getValidatedIdTokenClaims(await answer) ?? {}) },
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

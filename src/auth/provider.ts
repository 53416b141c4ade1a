import type { OAuthHttp } from './oauth-http.ts';

/** A server that people log in at, as it describes itself or as its URLs were given. */
export interface Provider {
  /** As the server writes it; `undefined` where URLs were given instead: then nothing that names an issuer can be held against it. */
  readonly issuer?: string | undefined;
  readonly authorizationUrl?: string | undefined;
  readonly deviceAuthorizationUrl?: string | undefined;
  readonly tokenUrl: string;
  readonly revocationUrl?: string | undefined;
  /** The scopes it knows, where it says so. */
  readonly scopes?: readonly string[] | undefined;
  /** How clients with a secret may show it: `client_secret_basic`, `client_secret_post`, and others that are not known here. */
  readonly clientAuthMethods?: readonly string[] | undefined;
  /** What it signs ID tokens with. */
  readonly signingAlgorithms?: readonly string[] | undefined;
  /** It names itself in each answer through the browser (RFC 9207). */
  readonly sendsIssuer: boolean;
}

/**
 * Asks an issuer for its endpoints: OpenID Connect Discovery, and where that is not found RFC 8414.
 *
 * @param issuer an absolute URL.
 * @throws {CliError} `no_discovery`, exit 3, where neither is found; `malformed_answer`, exit 1, naming the field that is not right.
 */
export async function discover(_issuer: string, _http: OAuthHttp, _signal: AbortSignal): Promise<Provider> {
  throw new Error('not there yet');
}

import { discoveryRequest, processDiscoveryResponse } from 'oauth4webapi';
import { endpointProblem } from '../config/urls.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import { isRecord } from '../model/records.ts';
import { clip } from '../print/text.ts';
import { failureError, rejectionError } from '../service/refusal.ts';
import { WireFailure } from '../service/retry.ts';
import { TokenRejected } from './errors.ts';
import { type OAuthHttp, oauthOptions, type Provider } from './oauth-http.ts';

/** The discovery documents, in the order in which they are tried: OpenID Connect Discovery, RFC 8414. */
const algorithms = ['oidc', 'oauth2'] as const;

/**
 * Discovers the endpoints of an issuer.
 *
 * @param issuer an absolute URL.
 * @throws {CliError} `no_discovery`, exit 3, when neither document is found; `malformed_answer`, exit 1, naming the invalid
 *   field.
 */
export async function discover(issuer: string, http: OAuthHttp, signal: AbortSignal): Promise<Provider> {
  const does = `find the endpoints of ${issuer}`;
  const hint = `Check the issuer ${issuer}, or give its endpoints: --authorization-url and --token-url.`;
  const options = oauthOptions(http, { tokenUrl: issuer, source: issuer, does }, signal);
  for (const algorithm of algorithms) {
    try {
      return await read(issuer, await discoveryRequest(new URL(issuer), { algorithm, ...options }));
    } catch (cause) {
      if (cause instanceof CliError && cause.code === 'malformed_answer') throw cause.withHint(hint);
      if (cause instanceof WireFailure) throw failureError(cause, does);
      if (!(cause instanceof TokenRejected)) throw cause;
      if (cause.rejection.status !== 404) throw rejectionError(cause.rejection, does, issuer).withHint(hint);
    }
  }
  const sentence = `${issuer} has no discovery document.`;
  throw new CliError('no_discovery', sentence, { exitCode: ExitCode.notFound, hint });
}

async function read(issuer: string, response: Response): Promise<Provider> {
  const document: unknown = await response.json();
  if (!isRecord(document)) throw malformed(issuer, 'the document is not an object');
  const ownIssuer = document['issuer'];
  if (typeof ownIssuer !== 'string' || endpointProblem(ownIssuer) !== undefined)
    throw malformed(issuer, 'issuer is not a URL');
  // People often omit or add the trailing slash; nothing else may differ.
  const isSame = withoutSlash(ownIssuer) === withoutSlash(issuer);
  await processDiscoveryResponse(new URL(isSame ? ownIssuer : issuer), Response.json(document)).catch(
    (cause) => {
      throw malformed(issuer, `it calls itself ${JSON.stringify(ownIssuer)}`, cause);
    },
  );
  const endpoint = (field: string) => endpointIn(document, field, issuer);
  const tokenUrl = endpoint('token_endpoint');
  if (tokenUrl === undefined) throw malformed(issuer, 'token_endpoint is missing');
  return {
    issuer: ownIssuer,
    tokenUrl,
    authorizationUrl: endpoint('authorization_endpoint'),
    deviceAuthorizationUrl: endpoint('device_authorization_endpoint'),
    revocationUrl: endpoint('revocation_endpoint'),
    scopes: textsIn(document['scopes_supported']),
    clientAuthMethods: textsIn(document['token_endpoint_auth_methods_supported']),
    signingAlgorithms: textsIn(document['id_token_signing_alg_values_supported']),
    sendsIssuer: document['authorization_response_iss_parameter_supported'] === true,
  };
}

function withoutSlash(url: string): string {
  return new URL(url).href.replace(/\/$/, '');
}

function endpointIn(document: Readonly<Record<string, unknown>>, field: string, issuer: string) {
  const value = document[field];
  if (value === undefined || value === null) return undefined;
  // An encrypted issuer must not send tokens to an unencrypted endpoint.
  const isWeaker = () => isHttps(issuer) && !isHttps(String(value));
  const problem = endpointProblem(value) ?? (isWeaker() ? 'is not encrypted, and the issuer is' : undefined);
  if (problem !== undefined)
    throw malformed(issuer, `${field} ${problem}: ${clip(JSON.stringify(value), 200)}`);
  return String(value);
}

function isHttps(url: string): boolean {
  return new URL(url).protocol === 'https:';
}

/** `undefined` unless it is a list. */
function textsIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
}

function malformed(issuer: string, what: string, cause?: unknown): CliError {
  return new CliError('malformed_answer', `Could not find the endpoints of ${issuer}: ${what}.`, { cause });
}

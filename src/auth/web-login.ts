import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { CliError, messageOf } from '../model/errors.ts';
import { failurePage, openCallbackServer, type Page, successPage } from './callback-server.ts';
import { unlessAborted, withTimeLimit } from './credentials.ts';
import { loginFailed, loginRefused, loginTimeout, unsupportedLogin, untrustedRedirect } from './errors.ts';
import {
  asClient,
  type Granted,
  type GrantRequest,
  requestGrant,
  serverOf,
  tokenRequest,
} from './oauth-http.ts';

/** The page where the person logs in. */
export interface WebPage {
  readonly url: string;
  /** Whether a browser was started with it. */
  readonly isOpened: boolean;
  /** The port of the redirect on 127.0.0.1. */
  readonly port: number;
}

/** A login in the browser. */
export interface WebLogin extends GrantRequest {
  /** Default: any free port. */
  readonly redirectPort?: number | undefined;
  /** `World.openBrowser`. */
  readonly openBrowser: (url: string) => Promise<boolean>;
  /** Prints the URL, whether or not a browser was opened. */
  readonly tell: (page: WebPage) => Promise<void>;
  /** Runs before the browser shows success; what it throws is shown there too. */
  readonly keep?: ((granted: Granted) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

/** How long the person has. */
const LIMIT_MS = 5 * 60_000;

/** The parameters of the request that validate its answer. */
interface AuthorizationRequest {
  readonly state: string;
  readonly verifier: string;
  /** Expected in the ID token, if one is requested. */
  readonly nonce: string | undefined;
  readonly redirectUri: string;
}

/**
 * Logs a person in with the browser of this machine: authorization code with PKCE and a redirect to 127.0.0.1.
 *
 * @throws {CliError} exit 4 when it was refused (`login_refused`) or took too long (`login_timeout`); exit 2 when the port is
 * in use; errors.ts has the rest.
 */
export async function webLogin(login: WebLogin): Promise<Granted> {
  const { provider, scope, openBrowser, tell } = login;
  if (provider.authorizationUrl === undefined)
    throw unsupportedLogin('authorization endpoint', '--authorization-url', '--device');
  const { http, signal, keep } = login;
  const state = generateRandomState();
  const server = await openCallbackServer(state, login.redirectPort);
  const show = ({ status, html }: Page) => server.show({ status, html: http.redactor.text(html) });
  try {
    const { port, redirectUri } = server;
    const nonce = hasScope(scope, 'openid') ? generateRandomNonce() : undefined;
    const request = { state, verifier: generateRandomCodeVerifier(), nonce, redirectUri };
    http.redactor.add(request.verifier);
    const url = await pageUrl(provider.authorizationUrl, login, request);
    await tell({ url, isOpened: await openBrowser(url), port });
    const limits = { clock: http.clock, signal };
    const parameters = await withTimeLimit(LIMIT_MS, loginTimeout(LIMIT_MS), limits, (ending) =>
      unlessAborted(server.arrived, ending),
    );
    try {
      const granted = await exchange(parameters, login, request);
      await keep?.(granted);
      await show(successPage(granted.who));
      return granted;
    } catch (cause) {
      if (!signal.aborted) await show(failurePage(cause instanceof CliError ? cause : unexpected));
      throw cause;
    }
  } finally {
    server.close();
  }
}

/** An unexpected failure is reported in the terminal, with its stack. */
const unexpected = { message: 'Something went wrong. See the terminal for details.', hint: undefined };

function hasScope(scope: string | undefined, one: string): boolean {
  return scope?.split(/\s+/).includes(one) === true;
}

async function pageUrl(
  authorizationUrl: string,
  { client, scope }: WebLogin,
  { state, verifier, nonce, redirectUri }: AuthorizationRequest,
): Promise<string> {
  const url = new URL(authorizationUrl);
  const parameters = {
    client_id: client.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    // Required by OpenID Connect for a refresh token (Core, section 11).
    prompt: hasScope(scope, 'offline_access') ? 'consent' : undefined,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') url.searchParams.set(name, value);
  return url.href;
}

/** Exchanges the code, once; repeated only if it was certainly not sent, or after `invalid_client`. */
async function exchange(
  parameters: URLSearchParams,
  login: WebLogin,
  request: AuthorizationRequest,
): Promise<Granted> {
  const { redirectUri, verifier, nonce } = request;
  const checked = validated(parameters, login, request);
  const grant: Parameters<typeof requestGrant>[2] = {
    send: (server, client, auth, options) =>
      authorizationCodeGrantRequest(server, client, auth, checked, redirectUri, verifier, options),
    validate: processAuthorizationCodeResponse,
    nonce,
  };
  try {
    return await asClient(login, (clientAuth) => requestGrant(login, clientAuth, grant, login.signal));
  } catch (cause) {
    throw loginFailed(cause, tokenRequest(login));
  }
}

/** @throws {CliError} exit 4 when it is a refusal, or from another server (RFC 9207). */
function validated(
  parameters: URLSearchParams,
  { provider, client, http }: WebLogin,
  { state }: AuthorizationRequest,
) {
  for (const code of parameters.getAll('code')) http.redactor.add(code);
  const read = new URLSearchParams(parameters);
  // An unknown issuer cannot be checked.
  if (provider.issuer === undefined) read.delete('iss');
  try {
    return validateAuthResponse(serverOf(provider), { client_id: client.id }, read, state);
  } catch (cause) {
    if (cause instanceof AuthorizationResponseError)
      throw loginRefused(http.redactor.text(cause.error), http.redactor.text(cause.error_description ?? ''));
    throw untrustedRedirect(messageOf(cause), cause);
  }
}

import {
  type DeviceAuthorizationResponse,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
} from 'oauth4webapi';
import { endpointProblem } from '../config/urls.ts';
import { CliError } from '../model/errors.ts';
import { clip, neutraliseLine } from '../print/text.ts';
import { isLasting, WireFailure } from '../service/retry.ts';
import { loginFailed, loginRefused, loginTimeout, TokenRejected, unsupportedLogin } from './errors.ts';
import {
  asClient,
  type ClientAuth,
  type Granted,
  type GrantRequest,
  oauthClient,
  oauthOptions,
  requestGrant,
  serverOf,
  tokenRequest,
} from './oauth-http.ts';

/** The page where the person types the code, safe to print, and whether a browser was started with it. */
export type DevicePage = ReturnType<typeof pageIn> & { readonly isOpened: boolean };

/** A login on another device. */
export interface DeviceLogin extends GrantRequest {
  /** Without it no browser is opened. */
  readonly openBrowser?: ((url: string) => Promise<boolean>) | undefined;
  readonly tell: (page: DevicePage) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Seconds: the bounds and the default of the interval between polls, and the longest lifetime of a code. */
const interval = { min: 1, max: 60, fallback: 5 };
const MAX_LIFETIME = 1_800;

/** Seconds added to the polling interval by `slow_down` and by failures (RFC 8628, 3.5). */
const SLOW_DOWN_SECONDS = 5;

/**
 * Logs a person in on any device that has a browser (RFC 8628): shows a code, and polls the server until it was typed.
 *
 * @throws {CliError} exit 4 when it was refused (`login_refused`) or took too long (`login_timeout`); errors.ts has the rest.
 */
export async function deviceLogin(login: DeviceLogin): Promise<Granted> {
  const { provider, http, openBrowser, tell } = login;
  const url = provider.deviceAuthorizationUrl;
  if (url === undefined)
    throw unsupportedLogin('device authorization endpoint', '--device-authorization-url', '--web');
  const { answer, clientAuth } = await asClient(login, async (clientAuth) => {
    return { clientAuth, answer: await authorize(url, login, clientAuth) };
  }).catch((cause) => {
    throw loginFailed(cause, codeRequest(url));
  });
  http.redactor.add(answer.device_code);
  const page = pageIn(answer, url);
  const deadline = http.clock.monotonic() + page.lifetimeMs;
  const isOpened = (await openBrowser?.(page.completeUrl ?? page.url)) === true;
  await tell({ ...page, isOpened });
  return poll(login, answer, clientAuth, deadline, page.lifetimeMs);
}

function codeRequest(url: string) {
  return { tokenUrl: url, source: 'this login', does: 'get a code for this login' };
}

async function authorize(
  url: string,
  login: DeviceLogin,
  { auth }: ClientAuth,
): Promise<DeviceAuthorizationResponse> {
  const { scope, http, signal } = login;
  const [server, requester] = [serverOf(login.provider), oauthClient(login)];
  const parameters: Record<string, string> = scope === undefined || scope === '' ? {} : { scope };
  const options = oauthOptions(http, codeRequest(url), signal);
  const response = await deviceAuthorizationRequest(server, requester, auth, parameters, options);
  return processDeviceAuthorizationResponse(server, requester, response).catch((cause: Error) => {
    throw unusableAnswer(cause.message, url, cause);
  });
}

function unusableAnswer(what: string, url: string, cause?: unknown): CliError {
  return new CliError('malformed_answer', `Could not get a code for this login: ${what}.`, {
    cause,
    hint: `Check the URL ${url}, or log in with --web.`,
  });
}

function pageIn(
  { verification_uri, verification_uri_complete, user_code, expires_in }: DeviceAuthorizationResponse,
  url: string,
) {
  const problem = endpointProblem(verification_uri);
  if (problem !== undefined)
    throw unusableAnswer(`verification_uri ${problem}: ${JSON.stringify(clip(verification_uri, 200))}`, url);
  return {
    url: verification_uri,
    code: neutraliseLine(user_code.trim()),
    /** The same page with the code filled in, if the server has one. */
    completeUrl: endpointProblem(verification_uri_complete) ? undefined : verification_uri_complete,
    /** How long the code can be used. */
    lifetimeMs: Math.min(MAX_LIFETIME, expires_in) * 1_000,
  };
}

/** Polling may be repeated: only the answer with the tokens uses up the code. */
async function poll(
  login: DeviceLogin,
  { device_code, interval: seconds = interval.fallback }: DeviceAuthorizationResponse,
  clientAuth: ClientAuth,
  deadline: number,
  lifetimeMs: number,
): Promise<Granted> {
  const { clock } = login.http;
  let pause = Math.min(interval.max, Math.max(interval.min, seconds));
  for (;;) {
    await clock.sleep(pause * 1_000, login.signal);
    if (clock.monotonic() >= deadline) throw loginTimeout(lifetimeMs);
    const found = await ask(device_code, login, clientAuth).catch((cause) =>
      paceAfter(cause, login, lifetimeMs),
    );
    if (typeof found === 'object') return found;
    if (found === 'slower') pause = Math.min(interval.max, pause + SLOW_DOWN_SECONDS);
  }
}

function ask(deviceCode: string, login: DeviceLogin, clientAuth: ClientAuth): Promise<Granted> {
  const grant: Parameters<typeof requestGrant>[2] = {
    send: (server, client, auth, options) =>
      deviceCodeGrantRequest(server, client, auth, deviceCode, options),
    validate: processDeviceCodeResponse,
  };
  const once = { ...login, http: { ...login.http, maxAttempts: 1 } };
  return requestGrant(once, clientAuth, grant, login.signal);
}

/** How to continue polling after a failure. @throws {CliError} when the login has failed. */
function paceAfter(cause: unknown, login: DeviceLogin, lifetimeMs: number): 'same' | 'slower' {
  if (cause instanceof WireFailure && !isLasting(cause)) return 'slower';
  if (!(cause instanceof TokenRejected)) throw loginFailed(cause, tokenRequest(login));
  const { status, refusal } = cause.rejection;
  if (refusal.code === 'authorization_pending') return 'same';
  if (refusal.code === 'slow_down' || status === 429 || status >= 500) return 'slower';
  if (refusal.code === 'expired_token') throw loginTimeout(lifetimeMs);
  if (refusal.code === 'access_denied')
    throw loginRefused(refusal.code, login.http.redactor.text(refusal.messages.join('; ')));
  throw loginFailed(cause, tokenRequest(login));
}

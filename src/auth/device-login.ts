import {
  type DeviceAuthorizationResponse,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
} from 'oauth4webapi';
import { CliError } from '../cli/errors.ts';
import { endpointProblem } from '../config/urls.ts';
import { isRecord } from '../model/records.ts';
import { clip, neutraliseLine } from '../print/text.ts';
import { WireFailure } from '../service/failures.ts';
import { isLasting } from '../service/retry.ts';
import { loginFailed, loginRefused, loginTimeout, TokenRejected, unsupportedLogin } from './errors.ts';
import {
  asClient,
  type ClientAuth,
  type Granted,
  type LoginRequest,
  oauthClient,
  oauthOptions,
  readGranted,
  serverOf,
  tokenRequest,
} from './oauth-http.ts';

/** The page where the person types the code, safe to print, and whether a browser was started with it. */
export type DevicePage = ReturnType<typeof pageIn> & { readonly isOpened: boolean };

/** A login on another device. */
export interface DeviceLogin extends LoginRequest {
  /** Without it no browser is opened. */
  readonly openBrowser?: ((url: string) => Promise<boolean>) | undefined;
  readonly tell: (page: DevicePage) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Seconds: the bounds for the server's values, and the default for an invalid one. */
const interval = { min: 1, max: 60, fallback: 5 };
const lifetime = { min: 30, max: 1_800, fallback: 600 };

/** Seconds added to the polling interval by `slow_down` and by failures (RFC 8628, 3.5). */
const SLOW_DOWN_SECONDS = 5;

/** Code units; a longer code cannot be typed. */
const MAX_CODE_LENGTH = 64;

/**
 * Logs a person in on any device that has a browser (RFC 8628): shows a code, and polls the server until it was typed.
 *
 * @throws {CliError} exit 4 when it was refused (`login_refused`) or took too long (`login_timeout`); errors.ts has the rest.
 */
export async function deviceLogin(login: DeviceLogin): Promise<Granted> {
  const { provider, client, http, openBrowser, tell } = login;
  const url = provider.deviceAuthorizationUrl;
  if (url === undefined)
    throw unsupportedLogin('device authorization endpoint', '--device-authorization-url', '--web');
  const { answer, clientAuth } = await asClient(provider, client, async (clientAuth) => {
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
  { provider, client, scope, http, signal }: DeviceLogin,
  { auth }: ClientAuth,
): Promise<DeviceAuthorizationResponse> {
  const server = serverOf(provider);
  const requester = oauthClient(client, http);
  const parameters: Record<string, string> = scope === undefined || scope === '' ? {} : { scope };
  const options = oauthOptions(http, codeRequest(url), signal);
  const response = await deviceAuthorizationRequest(server, requester, auth, parameters, options);
  const body: unknown = await response.json();
  const { interval: pause, expires_in } = isRecord(body) ? body : {};
  const times = { interval: clamped(interval, pause), expires_in: clamped(lifetime, expires_in) };
  const bounded = isRecord(body) ? { ...body, ...times } : body;
  return processDeviceAuthorizationResponse(server, requester, Response.json(bounded)).catch(
    (cause: Error) => {
      throw unusableAnswer(cause.message, url, cause);
    },
  );
}

function clamped({ min, max, fallback }: typeof interval, value: unknown): number {
  const seconds = typeof value === 'string' ? Number(value) : value;
  if (typeof seconds !== 'number' || Number.isNaN(seconds) || seconds < 0) return fallback;
  return Math.min(max, Math.max(min, seconds));
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
  if (user_code.trim() === '' || user_code.length > MAX_CODE_LENGTH)
    throw unusableAnswer('user_code cannot be typed', url);
  return {
    url: verification_uri,
    code: neutraliseLine(user_code.trim()),
    /** The same page with the code filled in, if the server has one. */
    completeUrl: endpointProblem(verification_uri_complete) ? undefined : verification_uri_complete,
    /** How long the code can be used. */
    lifetimeMs: expires_in * 1_000,
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
  let pause = seconds;
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

async function ask(deviceCode: string, login: DeviceLogin, clientAuth: ClientAuth): Promise<Granted> {
  const { provider, client, http, signal } = login;
  const response = await deviceCodeGrantRequest(
    serverOf(provider),
    oauthClient(client, http),
    clientAuth.auth,
    deviceCode,
    oauthOptions({ ...http, maxAttempts: 1 }, tokenRequest(provider), signal),
  );
  return readGranted(response, login, clientAuth, processDeviceCodeResponse);
}

/** How to continue polling after a failure. @throws {CliError} when the login has failed. */
function paceAfter(cause: unknown, { provider, http }: DeviceLogin, lifetimeMs: number): 'same' | 'slower' {
  if (cause instanceof WireFailure && !isLasting(cause)) return 'slower';
  if (!(cause instanceof TokenRejected)) throw loginFailed(cause, tokenRequest(provider));
  const { status, refusal } = cause.rejection;
  if (refusal.code === 'authorization_pending') return 'same';
  if (refusal.code === 'slow_down' || status === 429 || status >= 500) return 'slower';
  if (refusal.code === 'expired_token') throw loginTimeout(lifetimeMs);
  if (refusal.code === 'access_denied')
    throw loginRefused(refusal.code, http.redactor.text(refusal.messages.join('; ')));
  throw loginFailed(cause, tokenRequest(provider));
}

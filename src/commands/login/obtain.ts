import type { DevicePage } from '../../auth/device-login.ts';
import { claimsOf, factsIn } from '../../auth/identity.ts';
import type { Client, Granted, OAuthHttp, Provider } from '../../auth/oauth-http.ts';
import type { WebPage } from '../../auth/web-login.ts';
import { defaultTokenUrl } from '../../config/binding.ts';
import { CliError } from '../../model/errors.ts';
import { withoutHoles } from '../../model/records.ts';
import type { LocalSession } from '../../session/session.ts';
import { authOf, type Given } from './given.ts';

/** A login: what was given, its server, and the place for its secrets. */
export interface LoginSetup extends Given {
  /** `undefined` without a server. */
  readonly provider: Provider | undefined;
  readonly scope: string | undefined;
  /** The keyring account for the secrets, `undefined` for the file. */
  readonly account: string | undefined;
}

/**
 * Logs in with the given method, and calls `keep` with the tokens before success is reported.
 *
 * @throws {CliError} without a token, and any error of `keep`.
 */
export async function obtain(
  login: LoginSetup,
  http: OAuthHttp,
  session: LocalSession,
  keep: (granted: Granted) => Promise<void>,
): Promise<void> {
  const { context, out } = session;
  const { signal, openBrowser } = context;
  const { provider, scope, method, redirectPort } = login;
  if (provider === undefined) return keep(givenToken(login));
  const client = clientOf(login);
  if (method === 'client-credentials') {
    const { requestToken } = await import('../../auth/token-request.ts');
    const { tokenUrl } = provider;
    const request = { provider: { tokenUrl }, client, scope, http, source: `client ${client.id}` };
    return keep(await requestToken(request, signal));
  }
  const asked = { provider, client, scope, http, openBrowser, signal };
  if (method === 'device') {
    const { deviceLogin } = await import('../../auth/device-login.ts');
    return keep(await deviceLogin({ ...asked, tell: (page) => out.note(deviceSentence(page)) }));
  }
  const { webLogin } = await import('../../auth/web-login.ts');
  await webLogin({ ...asked, redirectPort, tell: (page) => out.note(webSentence(page)), keep });
}

/** Asks a person to open the login page: the URL on its own line, and how a browser elsewhere reaches the redirect. */
export function webSentence({ url, isOpened, port }: WebPage): string {
  if (isOpened)
    return `A page to log in opens in your browser. If it does not, open it yourself:\n\n  ${url}\n`;
  const elsewhere = `With a browser on another machine, log in with --device, or forward the port first: ssh -L ${port}:127.0.0.1:${port}`;
  return `Open this page in a browser, and log in:\n\n  ${url}\n\n${elsewhere}\n`;
}

/** Asks a person to type the code. */
export function deviceSentence({ url, code, isOpened, lifetimeMs }: DevicePage): string {
  const where = isOpened
    ? 'A page opens in your browser. If it does not, open this one'
    : 'Open this page in a browser on any device';
  return `${where}, and type the code ${code} within ${Math.ceil(lifetimeMs / 60_000)} min:\n\n  ${url}\n`;
}

/** The client at the server. */
function clientOf({ values: { client_id = '', client_secret } }: Given): Client {
  return { id: client_id, secret: client_secret };
}

/** A given token and its claims. */
function givenToken({ values: { token: accessToken = '' } }: Given): Granted {
  const { who, scopes, expiresAt } = factsIn(claimsOf(accessToken));
  return { accessToken, expiresAt, scope: scopes?.join(' '), clientAuth: 'none', who };
}

/**
 * The OAuth server from the given endpoints, otherwise from its metadata.
 *
 * @throws {CliError} without metadata, except for a client, whose usual endpoint is known.
 */
export async function serverFor(given: Given, http: OAuthHttp, signal: AbortSignal): Promise<Provider> {
  const { endpoints, method } = given;
  const { token_url: tokenUrl } = given.values;
  const needed = {
    web: endpoints.authorizationUrl,
    device: endpoints.deviceAuthorizationUrl,
    'client-credentials': tokenUrl,
    token: tokenUrl,
  }[method];
  if (tokenUrl !== undefined && needed !== undefined) return { ...endpoints, tokenUrl };
  const { discover } = await import('../../auth/provider.ts');
  // One of them exists: it was prompted for.
  const issuer = given.values.issuer ?? given.values.identity_url ?? '';
  const found = await discover(issuer, http, signal).catch((error: unknown) => {
    const isKnown =
      method === 'client-credentials' && error instanceof CliError && error.code === 'no_discovery';
    if (isKnown) return { tokenUrl: defaultTokenUrl(issuer) };
    throw error;
  });
  return { ...found, ...withoutHoles(endpoints), ...(tokenUrl === undefined ? {} : { tokenUrl }) };
}

/** The given scopes, otherwise the usual ones that the server supports. */
export function scopeFor({ values, method }: Given, { scopes }: Provider): string | undefined {
  if (values.scope !== undefined || authOf(method) !== 'user') return values.scope;
  const usual = ['openid', 'profile', 'email', 'offline_access'];
  const known = usual.filter((scope) => scopes === undefined || scopes.includes(scope));
  return known.length === 0 ? undefined : known.join(' ');
}

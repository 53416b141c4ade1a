import type { DevicePage } from '../../auth/device-login.ts';
import { claimsOf, factsIn } from '../../auth/identity.ts';
import type { Client, Granted, OAuthHttp } from '../../auth/oauth-http.ts';
import type { Provider } from '../../auth/provider.ts';
import type { WebPage } from '../../auth/web-login.ts';
import { CliError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import type { LocalSession } from '../../cli/session.ts';
import { defaultTokenUrl } from '../../config/binding.ts';
import { withoutHoles } from '../../model/records.ts';
import { sameCommand, shellLine } from '../../print/text.ts';
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
    return keep(await requestToken({ tokenUrl, client, scope, source: `client ${client.id}`, http }, signal));
  }
  const asked = { provider, client, scope, http, openBrowser, signal };
  if (method === 'device') {
    const { deviceLogin } = await import('../../auth/device-login.ts');
    return keep(await deviceLogin({ ...asked, tell: (page) => out.note(deviceSentence(page)) }));
  }
  const { webLogin } = await import('../../auth/web-login.ts');
  await webLogin({ ...asked, redirectPort, tell: (page) => out.note(webSentence(page, context)), keep });
}

/** Asks a person to open the login page: the URL on its own line, and over SSH how to forward the redirect. */
export function webSentence(
  { url, isOpened, port }: WebPage,
  outside: Pick<Context, 'env' | 'argv'>,
): string {
  const where = isOpened
    ? 'A page to log in opens in your browser. If it does not, open it yourself:'
    : 'Open this page in a browser, and log in:';
  return [where, '', `  ${url}`, '', ...forwardingLines(port, isOpened, outside)].join('\n');
}

/** Asks a person to type the code. */
export function deviceSentence({ url, code, completeUrl, isOpened, lifetimeMs }: DevicePage): string {
  const minutes = Math.floor(lifetimeMs / 60_000);
  const time = minutes > 1 ? `${minutes} minutes` : `${Math.round(lifetimeMs / 1_000)} seconds`;
  const where = isOpened
    ? 'A page opens in your browser. If it does not, open this one'
    : 'Open this page in a browser on any device';
  return [
    `${where}, and type the code ${code} within ${time}:`,
    '',
    `  ${url}`,
    ...(completeUrl === undefined
      ? []
      : ['', 'Or this one, which has the code already:', '', `  ${completeUrl}`]),
    '',
  ].join('\n');
}

/** Over SSH the redirect goes to 127.0.0.1 of the machine with the browser: the port must be forwarded. */
function forwardingLines(
  port: number,
  isOpened: boolean,
  { env, argv }: Pick<Context, 'env' | 'argv'>,
): readonly string[] {
  const isRemote = [env['SSH_CONNECTION'], env['SSH_TTY']].some((each = '') => each !== '');
  if (isOpened || !isRemote) return [];
  // The fields of SSH_CONNECTION: the client's address and port, then the server's.
  const host = env['SSH_CONNECTION']?.split(' ')[2] ?? '<this machine>';
  const line = shellLine(['ssh', '-N', '-L', `${port}:127.0.0.1:${port}`, host]);
  return [
    'You are connected over SSH. Before you open the page, type this on the machine with the browser:',
    '',
    `  ${line}`,
    '',
    `Or log in with a code: ${sameCommand(withoutBrowser(argv), '--device')}`,
    '',
  ];
}

/** Removes the flags that --device does not accept. */
function withoutBrowser(argv: readonly string[]): readonly string[] {
  const port = '--redirect-port';
  return argv.filter((word, at) => {
    return word !== '--web' && word !== port && argv[at - 1] !== port && !word.startsWith(`${port}=`);
  });
}

/** The client at the server. */
export function clientOf({ values: { client_id = '', client_secret } }: Given): Client {
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
  if (tokenUrl !== undefined && needed !== undefined) return { ...endpoints, tokenUrl, sendsIssuer: false };
  const { discover } = await import('../../auth/provider.ts');
  // One of them exists: it was prompted for.
  const issuer = given.values.issuer ?? given.values.identity_url ?? '';
  const found = await discover(issuer, http, signal).catch((error: unknown) => {
    const isKnown =
      method === 'client-credentials' && error instanceof CliError && error.code === 'no_discovery';
    if (isKnown) return { tokenUrl: defaultTokenUrl(issuer), sendsIssuer: false };
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

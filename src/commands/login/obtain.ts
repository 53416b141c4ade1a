import { claimsOf, whoIn } from '../../auth/claims.ts';
import type { Client, Granted } from '../../auth/granted.ts';
import { deviceSentence, webSentence } from '../../auth/login-sentences.ts';
import type { OAuthHttp } from '../../auth/oauth-http.ts';
import type { Provider } from '../../auth/provider.ts';
import { momentIn } from '../../auth/told.ts';
import { settingTable } from '../../config/settings.ts';
import type { LocalSession } from '../../session.ts';
import { readEntry } from '../profiles/entries.ts';
import type { Way } from './compose.ts';
import type { Given } from './given.ts';

/**
 * Logs in, whatever the method, and hands on what that brought before anybody is told of a success.
 *
 * @throws {CliError} when there is no token, and what `keep` throws.
 */
export async function obtain(
  { given, provider, scope }: Pick<Way, 'given' | 'provider' | 'scope'>,
  http: OAuthHttp,
  session: LocalSession,
  keep: (granted: Granted) => Promise<void>,
): Promise<void> {
  const { context, out } = session;
  const { signal, openBrowser } = context;
  const client = clientOf(given);
  if (provider === undefined) return keep(givenToken(given));
  if (given.method === 'client-credentials')
    return keep(await clientGrant(given, provider, scope, http, signal));
  const login = { provider, client, scope, http, openBrowser, signal };
  if (given.method === 'device') {
    const { deviceLogin } = await import('../../auth/device-login.ts');
    return keep(await deviceLogin({ ...login, tell: (page) => out.note(deviceSentence(page)) }));
  }
  const { webLogin } = await import('../../auth/web-login.ts');
  const { redirectPort } = given;
  await webLogin({ ...login, redirectPort, tell: (page) => out.note(webSentence(page, context)), keep });
}

/** Who asks, as the server knows it. */
export function clientOf({ entries }: Given): Client {
  return {
    id: readEntry(entries, settingTable.client_id) ?? '',
    secret: readEntry(entries, settingTable.client_secret),
  };
}

/** A token that was made elsewhere, and what it says of itself. */
function givenToken({ entries }: Given): Granted {
  const accessToken = readEntry(entries, settingTable.token) ?? '';
  const claims = claimsOf(accessToken);
  const { exp, scope } = claims;
  return {
    accessToken,
    expiresAt: momentIn(exp),
    scope: typeof scope === 'string' && scope.length <= 4_096 ? scope : undefined,
    clientAuth: 'none',
    who: whoIn(claims),
  };
}

async function clientGrant(
  given: Given,
  { tokenUrl }: Provider,
  scope: string | undefined,
  http: OAuthHttp,
  signal: AbortSignal,
): Promise<Granted> {
  const { requestToken } = await import('../../auth/token-request.ts');
  const { id: clientId, secret: clientSecret = '' } = clientOf(given);
  const source = `client ${clientId}`;
  const asked = { tokenUrl, clientId, clientSecret, scope, source, http, cache: undefined };
  const issued = await requestToken({ ...asked, warn: async () => {} }, signal);
  const { accessToken, lifetimeMs, clientAuth } = issued;
  return {
    accessToken,
    expiresAt: lifetimeMs === undefined ? undefined : http.clock.now() + lifetimeMs,
    scope: issued.scope ?? scope,
    clientAuth,
    who: whoIn(claimsOf(accessToken)),
  };
}

import type { OAuthHttp } from '../../auth/oauth-http.ts';
import type { Provider } from '../../auth/provider.ts';
import { settingTable } from '../../config/settings.ts';
import { CliError } from '../../errors.ts';
import { withoutHoles } from '../../records.ts';
import { readEntry } from '../profiles/entries.ts';
import type { Given } from './given.ts';

/**
 * The server to log in at: as its endpoints were given, otherwise as it describes itself.
 *
 * @throws {CliError} when it does not, and nothing else is known of it.
 */
export async function serverFor(given: Given, http: OAuthHttp, signal: AbortSignal): Promise<Provider> {
  const { entries, endpoints, method } = given;
  const tokenUrl = readEntry(entries, settingTable.token_url);
  const needed = {
    web: endpoints.authorizationUrl,
    device: endpoints.deviceAuthorizationUrl,
    'client-credentials': tokenUrl,
    token: tokenUrl,
  }[method];
  if (tokenUrl !== undefined && needed !== undefined) return { ...endpoints, tokenUrl, sendsIssuer: false };
  const { discover } = await import('../../auth/provider.ts');
  const found = await discover(issuerOf(given), http, signal).catch((error: unknown) => {
    const usual = usualServer(given);
    if (error instanceof CliError && error.code === 'no_discovery' && usual !== undefined) return usual;
    throw error;
  });
  return { ...found, ...withoutHoles(endpoints), ...(tokenUrl === undefined ? {} : { tokenUrl }) };
}

/** What to ask for: what was given, otherwise what people usually need and the server knows. */
export function scopeFor({ entries, method }: Given, { scopes }: Provider): string | undefined {
  const given = readEntry(entries, settingTable.scope);
  if (given !== undefined || method === 'client-credentials' || method === 'token') return given;
  const usual = ['openid', 'profile', 'email', 'offline_access'];
  const known = usual.filter((scope) => scopes === undefined || scopes.includes(scope));
  return known.length === 0 ? undefined : known.join(' ');
}

/** Where the server that issues tokens is: the identity area, unless another one was named. */
function issuerOf({ entries }: Given): string {
  // One of them is never missing: it was asked for.
  return readEntry(entries, settingTable.issuer) ?? readEntry(entries, settingTable.identity_url) ?? '';
}

/** A server that does not describe itself: as its kind usually is. */
function usualServer(given: Given): Provider | undefined {
  const { preset, method } = given;
  const issuer = issuerOf(given);
  if (preset !== undefined) {
    return {
      authorizationUrl: `${issuer}${preset.paths.authorization}`,
      deviceAuthorizationUrl: `${issuer}${preset.paths.device}`,
      tokenUrl: `${issuer}${preset.paths.token}`,
      revocationUrl: `${issuer}${preset.paths.revocation}`,
      sendsIssuer: false,
    };
  }
  return method === 'client-credentials'
    ? { tokenUrl: `${issuer}/connect/token`, sendsIssuer: false }
    : undefined;
}

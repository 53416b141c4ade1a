import { checkBinding, tokenUrlOf } from '../config/binding.ts';
import type { Settings } from '../config/resolve.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import type { Context } from '../model/ports.ts';
import { type Credentials, type TracedOptions, tracedExchange } from '../service/exchange.ts';
import { bearerCredentials, cacheKey, clientCredentials, deferred } from './credentials.ts';
import { noCredential } from './errors.ts';
import type { OAuthHttp } from './oauth-http.ts';
import { openVault } from './vault.ts';

/** What credentials are opened from. */
interface CredentialSources {
  readonly settings: Settings;
  readonly context: Context;
  /** Where config.json and credentials.json are. */
  readonly folder: string;
  readonly http: OAuthHttp;
  readonly warn: (sentence: string) => Promise<void>;
}

/** The maximum size of a token answer. */
const MAX_TOKEN_BYTES = 1_048_576;

/**
 * The credentials in force, in order of precedence: the token of the environment, the client credentials of the environment
 * (their token URL is discovered if only the issuer is known), the profile, whose credential is bound to the origins it was given for.
 *
 * @throws {CliError} exit 4 when there are none, or when the profile's are bound to another origin.
 */
export function openCredentials(from: CredentialSources): Credentials {
  const { settings, context, http } = from;
  if (settings.token !== undefined) return bearer(settings.token.value, settings.token.source, context);
  const client = { clientId: settings.clientId?.value, scope: settings.scope?.value, http };
  const tokenUrl = tokenUrlOf(settings)?.value;
  if (settings.clientSecret !== undefined) {
    const { value, source } = settings.clientSecret;
    const grant = { ...client, source, secret: async () => value };
    const { issuer } = settings;
    if (issuer === undefined || settings.tokenUrl !== undefined || client.clientId === undefined)
      return clientCredentials({ ...grant, tokenUrl });
    return deferred(source, 'client-credentials', async (signal) => {
      const { discover } = await import('./provider.ts');
      return clientCredentials({ ...grant, tokenUrl: (await discover(issuer.value, http, signal)).tokenUrl });
    });
  }
  const profile = settings.profile?.value;
  if (profile === undefined)
    throw new CliError('not_logged_in', 'Not logged in.', {
      exitCode: ExitCode.notLoggedIn,
      hint: 'Log in (innctl login), set INNCTL_TOKEN, or INNCTL_CLIENT_ID and INNCTL_CLIENT_SECRET, or try it out with --sandbox.',
    });
  const vault = openVault(from.folder, profile, context);
  const facts = vault.facts();
  if (facts === undefined) throw noCredential(profile);
  checkBinding(profile, facts, settings);
  const source = `profile ${profile}`;
  const method = settings.auth?.value ?? 'token';
  return deferred(source, method, async () => {
    if (method === 'user') {
      const { userCredentials } = await import('./user-credentials.ts');
      return userCredentials(vault, http, from);
    }
    const stored = async (key: 'token' | 'client_secret') => {
      const secret = (await vault.secrets())[key];
      if (secret === undefined) throw noCredential(profile);
      return secret;
    };
    if (method === 'token') return bearer(await stored('token'), source, context);
    const cache = { vault, key: cacheKey(settings) };
    return clientCredentials({ ...client, source, secret: () => stored('client_secret'), tokenUrl, cache });
  });
}

function bearer(token: string, source: string, { redactor }: Context): Credentials {
  redactor.add(token);
  return bearerCredentials(token, source);
}

/** The HTTP client for OAuth servers in this run. */
export function oauthHttp({
  settings,
  context,
  transport,
  trace,
}: Pick<CredentialSources, 'settings' | 'context'> & Omit<TracedOptions, 'clock'>): OAuthHttp {
  const { clock, random, redactor, version } = context;
  return {
    request: (request) =>
      tracedExchange({ ...request, maxBytes: MAX_TOKEN_BYTES }, 1, { transport, trace, clock }),
    maxAttempts: settings.maxAttempts.value,
    userAgent: `innctl/${version}`,
    clock,
    random,
    redactor,
  };
}

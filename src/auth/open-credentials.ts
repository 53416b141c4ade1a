import { CliError, invalidInput } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Context, Transport } from '../cli/ports.ts';
import { checkBinding, defaultTokenUrl, refuseInsecure } from '../config/binding.ts';
import type { Settings, Sourced } from '../config/resolve.ts';
import { type Credentials, type Trace, tracedExchange } from '../service/exchange.ts';
import { cacheKey, clientCredentials } from './client-credentials.ts';
import { bearerCredentials, deferred } from './credentials.ts';
import { noCredential } from './errors.ts';
import type { OAuthHttp } from './oauth-http.ts';
import { openVault, type Vault } from './vault.ts';

/** What credentials are opened from. */
export interface CredentialSources {
  readonly settings: Settings;
  readonly context: Context;
  /** Where config.json and credentials.json are. */
  readonly folder: string;
  readonly transport: Transport;
  readonly trace: Trace;
  readonly warn: (sentence: string) => Promise<void>;
}

/** The maximum size of a token answer. */
const MAX_TOKEN_BYTES = 1_048_576;

/**
 * The credentials in force, in order of precedence: the token of the environment, the client credentials of the environment,
 * the profile, whose credential is bound to the origins it was given for.
 *
 * @throws {CliError} exit 4 when there are none, or when the profile's are bound to another origin.
 */
export function openCredentials(from: CredentialSources): Credentials {
  const { settings, context } = from;
  if (settings.token !== undefined) return bearer(settings.token.value, settings.token.source, context);
  if (settings.clientSecret !== undefined) return fromEnvironment(settings.clientSecret, from);
  if (settings.clientId?.source.startsWith('INNCTL_') && settings.profile === undefined)
    throw notLoggedIn(
      'INNCTL_CLIENT_ID is set, and INNCTL_CLIENT_SECRET is missing.',
      'Set INNCTL_CLIENT_SECRET.',
    );
  const profile = settings.profile?.value;
  if (profile === undefined)
    throw notLoggedIn(
      'Not logged in.',
      'Log in (innctl login), set INNCTL_TOKEN, or try it out with --sandbox.',
    );
  const vault = openVault(from.folder, profile, context);
  const facts = vault.facts();
  if (facts === undefined) throw noCredential(profile);
  checkBinding(profile, facts, settings);
  const source = `profile ${profile}`;
  refuseInsecure(`The credential of ${source}`, settings);
  const method = settings.auth?.value ?? 'token';
  return deferred(source, method, async () => {
    if (method === 'user') {
      const { userCredentials } = await import('./user-credentials.ts');
      return userCredentials(vault, oauthHttp(from), from);
    }
    const stored = async (key: 'token' | 'client_secret') => {
      const secret = (await vault.secrets())[key];
      if (secret === undefined) throw noCredential(profile);
      return secret;
    };
    if (method === 'token') return bearer(await stored('token'), source, context);
    const cache = { vault, key: cacheKey(settings) };
    return clientGrant(() => stored('client_secret'), source, from, tokenUrlOf(settings), cache);
  });
}

/** The client of the environment. Its token URL is discovered if only the issuer is known. */
function fromEnvironment({ value, source }: Sourced<string>, from: CredentialSources): Credentials {
  const { issuer, tokenUrl, clientId } = from.settings;
  const secret = async () => value;
  if (issuer === undefined || tokenUrl !== undefined || clientId === undefined)
    return clientGrant(secret, source, from, tokenUrlOf(from.settings));
  return deferred(source, 'client-credentials', async (signal) => {
    const { discover } = await import('./provider.ts');
    const provider = await discover(issuer.value, oauthHttp(from), signal);
    return clientGrant(secret, source, from, provider.tokenUrl);
  });
}

function bearer(token: string, source: string, { redactor }: Context): Credentials {
  redactor.add(token);
  return bearerCredentials(token, source);
}

function clientGrant(
  secret: () => Promise<string>,
  source: string,
  from: CredentialSources,
  tokenUrl: string | undefined,
  cache?: { readonly vault: Vault; readonly key: string },
): Credentials {
  const { settings, warn } = from;
  const clientId = settings.clientId?.value;
  if (clientId === undefined || tokenUrl === undefined)
    throw invalidInput([{ field: 'INNCTL_CLIENT_ID', reason: 'is missing: client credentials need it' }]);
  const asked = { tokenUrl, clientId, secret, scope: settings.scope?.value, source };
  return clientCredentials({ ...asked, http: oauthHttp(from), cache, warn });
}

/** The HTTP client for OAuth servers in this run. */
export function oauthHttp({
  settings,
  context,
  transport,
  trace,
}: Pick<CredentialSources, 'settings' | 'context' | 'transport' | 'trace'>): OAuthHttp {
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

/** The configured token URL, or the default one; `undefined` without an identity URL. */
export function tokenUrlOf({ tokenUrl, identityUrl }: Pick<Settings, 'tokenUrl' | 'identityUrl'>) {
  return tokenUrl?.value ?? (identityUrl && defaultTokenUrl(identityUrl.value));
}

function notLoggedIn(sentence: string, hint: string): CliError {
  return new CliError('not_logged_in', sentence, { exitCode: ExitCode.notLoggedIn, hint });
}

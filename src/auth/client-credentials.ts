import { CliError, messageOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Settings } from '../config/resolve.ts';
import type { Credentials } from '../service/exchange.ts';
import { type Issue, isSendable, MARGIN_MS, renewAtOf, renewable } from './credentials.ts';
import type { ClientTokenRequest } from './token-request.ts';
import type { Vault } from './vault.ts';

/** The parameters of the client credentials grant. */
interface ClientCredentialsOptions extends Omit<ClientTokenRequest, 'client'> {
  readonly clientId: string;
  /** Read when a token is fetched, because a keyring may be slow. */
  readonly secret: () => Promise<string>;
  /** The settings that the cached token must have been fetched with, and the vault that keeps it. */
  readonly cache?: { readonly vault: Pick<Vault, 'facts' | 'note'>; readonly key: string } | undefined;
  readonly warn: (sentence: string) => Promise<void>;
}

/**
 * The OAuth 2.0 client credentials grant. A token is fetched when it is first needed, shortly before it expires, and
 * after a 401. Once the server has refused the client, no further request is sent in this run.
 */
export function clientCredentials(options: ClientCredentialsOptions): Credentials {
  const { source, http } = options;
  const { clock } = http;
  let refusal: CliError | undefined;
  const obtain = async (stale: string | undefined, signal: AbortSignal): Promise<Issue> => {
    if (refusal !== undefined) throw refusal;
    const kept = cachedIssue(options);
    if (kept !== undefined && kept.header !== stale && clock.now() < kept.renewAt) return kept;
    try {
      return await fetchToken(options, signal);
    } catch (cause) {
      if (cause instanceof CliError && cause.exitCode === ExitCode.notLoggedIn) refusal = cause;
      throw cause;
    }
  };
  return { source, grant: 'client-credentials', ...renewable(obtain, clock) };
}

function cachedIssue({ cache }: ClientCredentialsOptions): Issue | undefined {
  const { access_token: token = '', expires_at: expiresAt, key } = cache?.vault.facts()?.cached_token ?? {};
  // The file may have been edited: such a token cannot be sent in a header.
  if (expiresAt === undefined || key !== cache?.key || !isSendable(token)) return undefined;
  return { header: `Bearer ${token}`, renewAt: expiresAt - MARGIN_MS, expiresAt };
}

async function fetchToken(options: ClientCredentialsOptions, signal: AbortSignal): Promise<Issue> {
  const { cache, clientId: id, http, source, warn } = options;
  const { requestToken } = await import('./token-request.ts');
  const origins = `${cache?.vault.facts()?.origins}`;
  const secret = await options.secret();
  http.redactor.add(secret);
  const { accessToken, expiresAt } = await requestToken({ ...options, client: { id, secret } }, signal);
  const header = `Bearer ${accessToken}`;
  if (expiresAt === undefined) return { header, renewAt: Number.POSITIVE_INFINITY };
  const cached_token = { access_token: accessToken, expires_at: expiresAt, key: cache?.key };
  // Does not undo a logout in the meantime, and gives a login at another server nothing.
  await cache?.vault
    .note((facts) => (`${facts.origins}` === origins ? { ...facts, cached_token } : facts), signal)
    .catch(async (cause) => {
      signal.throwIfAborted();
      await warn(`The token of ${source} cannot be kept, the next run fetches another: ${messageOf(cause)}`);
    });
  return { header, renewAt: renewAtOf(expiresAt, http.clock.now()), expiresAt };
}

/** What a token is fetched with: client, scope and server. */
export function cacheKey({ tokenUrl, clientId, scope }: Settings): string {
  return JSON.stringify([tokenUrl?.value, clientId?.value, scope?.value]);
}

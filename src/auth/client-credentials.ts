import { createHash } from 'node:crypto';
import { CliError, messageOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Settings } from '../config/resolve.ts';
import type { Credentials } from '../service/exchange.ts';
import { type Issue, isSendable, MARGIN_MS, renewAtOf, renewable } from './credentials.ts';
import type { ClientTokenRequest } from './token-request.ts';
import type { Vault } from './vault.ts';

/** The parameters of the client credentials grant. */
export interface ClientCredentialsOptions extends ClientTokenRequest {
  readonly cache: TokenCache | undefined;
  readonly warn: (sentence: string) => Promise<void>;
}

/**
 * The OAuth 2.0 client credentials grant. A token is fetched when it is first needed, shortly before it expires, and
 * after a 401. Once the server has refused the client, no further request is sent in this run.
 */
export function clientCredentials(options: ClientCredentialsOptions): Credentials {
  const { source, http, client } = options;
  const { clock } = http;
  if (client.secret !== undefined) http.redactor.add(client.secret);
  let refusal: CliError | undefined;
  const obtain = async (stale: string | undefined, signal: AbortSignal): Promise<Issue> => {
    if (refusal !== undefined) throw refusal;
    const kept = await readCache(options);
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

async function fetchToken(options: ClientCredentialsOptions, signal: AbortSignal): Promise<Issue> {
  const { requestToken } = await import('./token-request.ts');
  const { accessToken, expiresAt } = await requestToken(options, signal);
  const header = `Bearer ${accessToken}`;
  if (expiresAt === undefined) return { header, renewAt: Number.POSITIVE_INFINITY };
  const renewAt = renewAtOf(expiresAt, options.http.clock.now());
  await writeCache({ access_token: accessToken, expires_at: expiresAt }, options, signal);
  return { header, renewAt, expiresAt };
}

async function readCache({ cache, http, source, warn }: ClientCredentialsOptions) {
  if (cache === undefined) return undefined;
  try {
    const stored = await cache.read();
    // The file may have been edited: such a token cannot be sent in a header.
    if (stored === undefined || !isSendable(stored.access_token)) return undefined;
    http.redactor.add(stored.access_token);
    const { access_token, expires_at: expiresAt } = stored;
    return { header: `Bearer ${access_token}`, renewAt: expiresAt - MARGIN_MS, expiresAt };
  } catch (cause) {
    await warn(`The cached token of ${source} cannot be read, a new one is fetched: ${messageOf(cause)}`);
    return undefined;
  }
}

async function writeCache(
  token: StoredToken,
  { cache, source, warn }: ClientCredentialsOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    await cache?.write(token, signal);
  } catch (cause) {
    signal.throwIfAborted();
    await warn(`The token of ${source} cannot be kept, the next run fetches another: ${messageOf(cause)}`);
  }
}

/** An access token in the cache. */
export interface StoredToken {
  readonly access_token: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

/** The token cache of a profile. */
export type TokenCache = ReturnType<typeof openTokenCache>;

/** The token cache beside the secret of a profile, for the same client, scope and server. */
export function openTokenCache(vault: Vault, secret: string, settings: Settings) {
  const key = cacheKey(settings, secret);
  return {
    read: async (): Promise<StoredToken | undefined> => {
      const kept = (await vault.secrets()).cached_token;
      return kept?.key === key ? kept : undefined;
    },
    /** Does not undo a logout or login in the meantime. @param signal cancels the wait for the lock. */
    write: (token: StoredToken, signal: AbortSignal) =>
      vault.locked(signal, () =>
        vault.change(
          (before) =>
            before.client_secret === secret ? { ...before, cached_token: { ...token, key } } : before,
          signal,
        ),
      ),
  };
}

/** A digest of what a cached token was fetched with: client, scope and server. */
export function cacheKey({ tokenUrl, clientId, scope }: Settings, secret: string): string {
  const asked = JSON.stringify([tokenUrl?.value, clientId?.value, scope?.value, secret]);
  return createHash('sha256').update(asked).digest('hex');
}

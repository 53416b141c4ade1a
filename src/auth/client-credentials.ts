import { CliError, messageOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Credentials } from '../service/exchange.ts';
import {
  type Issue,
  isSendable,
  MARGIN_MS,
  renewAtOf,
  renewable,
  type StoredToken,
  type TokenCache,
} from './credentials.ts';
import type { ClientTokenRequest } from './token-request.ts';

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
  const { source, http, clientSecret } = options;
  const { clock } = http;
  http.redactor.add(clientSecret);
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

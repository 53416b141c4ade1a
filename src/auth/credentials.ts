import type { Facts } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import { CliError, ExitCode, invalidInput, usageError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { withoutHoles } from '../model/records.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import { bare, isSendable } from './identity.ts';
import type { Granted, GrantRequest } from './oauth-http.ts';
import type { Vault } from './vault.ts';

/**
 * A fixed token, which cannot be renewed.
 *
 * @throws {CliError} `usage` when it is no valid header value: empty, with blanks, control or non-ASCII characters.
 */
export function bearerCredentials(token: string, source: string): Credentials {
  if (!isSendable(token))
    throw usageError(
      `The token of ${source} ${token === '' ? 'is empty' : 'holds blanks, line breaks or characters outside ASCII'}.`,
      'Give the bare token, without "Bearer" and without quotes.',
    );
  return {
    source,
    grant: 'token',
    current: async () => ({ header: `Bearer ${token}`, generation: 1 }),
    renew: async () => undefined,
  };
}

/**
 * Credentials that are opened when a token is first needed, because a keyring may be slow. An aborted caller stops waiting.
 *
 * @param open called once; again only if it failed or every caller was aborted.
 */
export function deferred(
  source: string,
  grant: Credentials['grant'],
  open: (signal: AbortSignal) => Promise<Credentials>,
): Credentials {
  let opened: Credentials | undefined;
  const opening = singleFlight(async (signal) => {
    opened = await open(signal);
    return opened;
  });
  const credentials = async (signal: AbortSignal) => opened ?? opening(signal);
  return {
    source,
    grant,
    current: async (signal) => (await credentials(signal)).current(signal),
    renew: async (stale, signal) => (await credentials(signal)).renew(stale, signal),
    settled: async () => opened?.settled?.(),
  };
}

/**
 * Deduplicates concurrent calls.
 * Rejects with the reason of the caller's signal when that is aborted; the work is aborted once all callers are.
 */
function singleFlight<Result>(
  start: (signal: AbortSignal) => Promise<Result>,
): (signal: AbortSignal) => Promise<Result> {
  let current:
    | { readonly work: Promise<Result>; readonly stop: AbortController; waiting: number }
    | undefined;
  return async (signal) => {
    signal.throwIfAborted();
    const stop = new AbortController();
    const flight = current ?? { work: start(stop.signal), stop, waiting: 0 };
    const clear = () => {
      if (current === flight) current = undefined;
    };
    if (current === undefined) flight.work.then(clear, clear);
    current = flight;
    flight.waiting += 1;
    try {
      return await unlessAborted(flight.work, signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        clear();
        flight.stop.abort(signal.reason);
      }
    }
  };
}

/** An access token and how long it may be used; its times are milliseconds since the epoch, an unknown expiry is infinite. */
export type Issue = ReturnType<typeof issueOf>;

/** A token is not sent this shortly before it expires: requests take time, and clocks differ. */
const MARGIN_MS = 30_000;

/** The stored access token; an empty one if there is none. */
export function issueOf({ access_token: token = '', expires_at, renew_at }: CachedToken = {}) {
  const expiresAt = expires_at ?? Number.POSITIVE_INFINITY;
  return { token, expiresAt, renewAt: Math.min(renew_at ?? expiresAt - MARGIN_MS, expiresAt) };
}

type CachedToken = NonNullable<Facts['cached_token']>;

/** An access token as it is stored. It is renewed 30 s, or a tenth of a short lifetime, before it expires. */
export function cachedToken({ accessToken, expiresAt }: Granted, now: number, key?: string): CachedToken {
  const renew_at = expiresAt && expiresAt - Math.max(0, Math.min(MARGIN_MS, (expiresAt - now) / 10));
  return { access_token: accessToken, ...withoutHoles({ expires_at: expiresAt, renew_at, key }) };
}

/** Whether a token may be used until then. The file may have been edited: not every text is a valid header. */
export function isUsable({ token }: Issue, until: number, now: number, refused?: string): boolean {
  return isSendable(token) && now < until && token !== refused;
}

/**
 * Holds the newest issue of a token and counts its generations.
 *
 * @param obtain fetches a new issue; `refused` is the token that it replaces, if the service refused that.
 */
export function renewable(
  obtain: (refused: string | undefined, signal: AbortSignal) => Promise<Issue>,
  clock: Clock,
): Pick<Credentials, 'current' | 'renew'> {
  let held: { readonly token: Token; readonly renewAt: number } | undefined;
  /** The newest generation that the service refused. */
  let refused = 0;
  const replace = singleFlight(async (signal) => {
    const { generation = 0 } = held?.token ?? {};
    const before = held === undefined || generation > refused ? undefined : bare(held.token);
    const { token, renewAt, expiresAt } = await obtain(before, signal);
    const expiry = Number.isFinite(expiresAt) ? expiresAt : undefined;
    held = { token: { header: `Bearer ${token}`, generation: generation + 1, expiresAt: expiry }, renewAt };
    return held.token;
  });
  const current = async (signal: AbortSignal) => {
    const isUsable = held !== undefined && held.token.generation > refused && clock.now() < held.renewAt;
    return isUsable && held !== undefined ? held.token : replace(signal);
  };
  return {
    current,
    renew(stale, signal) {
      refused = Math.max(refused, stale.generation);
      return current(signal);
    },
  };
}

/** How a client gets tokens. */
interface ClientGrant extends Omit<GrantRequest, 'provider' | 'client' | 'source'> {
  readonly source: string;
  readonly tokenUrl: string | undefined;
  readonly clientId: string | undefined;
  /** Read when a token is fetched, because a keyring may be slow. */
  readonly secret: () => Promise<string>;
  /** The settings that the cached token must have been fetched with, and the vault that keeps it. */
  readonly cache?: { readonly vault: Pick<Vault, 'facts' | 'note'>; readonly key: string } | undefined;
}

/**
 * The OAuth 2.0 client credentials grant. A token is fetched when it is first needed, shortly before it expires, and
 * after a 401. Once the server has refused the client, no further request is sent in this run.
 *
 * @throws {CliError} exit 2 without a client id or a token URL.
 */
export function clientCredentials(options: ClientGrant): Credentials {
  const { source, cache, clientId, tokenUrl } = options;
  if (clientId === undefined || tokenUrl === undefined)
    throw invalidInput([{ field: 'INNCTL_CLIENT_ID', reason: 'is missing: client credentials need it' }]);
  const { clock } = options.http;
  let refusal: CliError | undefined;
  const obtain = async (refused: string | undefined, signal: AbortSignal): Promise<Issue> => {
    if (refusal !== undefined) throw refusal;
    const { cached_token } = cache?.vault.facts() ?? {};
    const kept = issueOf(cached_token);
    const isOurs = cached_token?.expires_at !== undefined && cached_token.key === cache?.key;
    if (isOurs && isUsable(kept, kept.renewAt, clock.now(), refused)) return kept;
    return fetchToken({ ...options, clientId, tokenUrl }, signal).catch((cause) => {
      if (cause instanceof CliError && cause.exitCode === ExitCode.notLoggedIn) refusal = cause;
      throw cause;
    });
  };
  return { source, grant: 'client-credentials', ...renewable(obtain, clock) };
}

async function fetchToken(
  options: ClientGrant & { readonly clientId: string; readonly tokenUrl: string },
  signal: AbortSignal,
): Promise<Issue> {
  const { cache, clientId: id, tokenUrl, http } = options;
  const { requestToken } = await import('./token-request.ts');
  const origins = `${cache?.vault.facts()?.origins}`;
  const secret = await options.secret();
  http.redactor.add(secret);
  const request = { ...options, provider: { tokenUrl }, client: { id, secret } };
  const granted = await requestToken(request, signal);
  const cached_token = cachedToken(granted, http.clock.now(), cache?.key);
  // Does not undo a logout in the meantime, and gives a login at another server nothing.
  if (granted.expiresAt !== undefined)
    await cache?.vault
      .note((facts) => (`${facts.origins}` === origins ? { ...facts, cached_token } : facts), signal)
      // Otherwise the next run fetches another.
      .catch(() => signal.throwIfAborted());
  return issueOf(cached_token);
}

/** What a token is fetched with: client, scope and server. */
export function cacheKey({ tokenUrl, clientId, scope }: Settings): string {
  return JSON.stringify([tokenUrl?.value, clientId?.value, scope?.value]);
}

/**
 * Runs work with a signal that is also aborted when the time is over.
 *
 * @param error the reason of that signal then.
 */
export async function withTimeLimit<Result>(
  limitMs: number,
  error: Error,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [over, done] = [new AbortController(), new AbortController()];
  clock.sleep(limitMs, AbortSignal.any([signal, done.signal])).then(
    () => over.abort(error),
    () => {},
  );
  try {
    return await work(AbortSignal.any([signal, over.signal]));
  } finally {
    done.abort();
  }
}

/** Waits for work until the signal is aborted. @throws the signal's reason; what the work throws. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

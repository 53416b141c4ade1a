import { createHash } from 'node:crypto';
import { CliError } from '../cli/errors.ts';
import type { WireRequest } from '../cli/ports.ts';
import { checkBinding } from '../config/binding.ts';
import type { Facts, Login, Secrets } from '../config/credentials.ts';
import { reasonOf } from '../fs/read.ts';
import { withoutHoles } from '../model/records.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import { WireFailure } from '../service/failures.ts';
import { failureError } from '../service/refusal.ts';
import { retryAfterMs } from '../service/retry.ts';
import { type Issue, isSendable, MARGIN_MS, renewAtOf, renewable } from './credentials.ts';
import {
  loginAgain,
  noCredential,
  rejectedToken,
  TokenRejected,
  type TokenRequest,
  taskOf,
} from './errors.ts';
import type { OAuthHttp, Tokens } from './oauth-http.ts';
import { type CredentialSources, tokenUrlOf } from './open-credentials.ts';
import type { Vault } from './vault.ts';

/**
 * The credentials of a login: the stored access token while it is valid, then a refreshed one. A refresh token is sent once,
 * by one process at a time, and its successor is stored before it is used. Once it is sent, aborting the callers does not
 * cancel the exchange; `settled` waits for it.
 *
 * @throws {CliError} exit 4 when the profile does not say which client refreshes them.
 */
export function userCredentials(
  vault: Vault,
  http: OAuthHttp,
  { settings, warn }: Pick<CredentialSources, 'settings' | 'warn'>,
): Credentials {
  const { profile } = vault;
  const clientId = vault.facts()?.login?.client_id ?? settings.clientId?.value;
  if (clientId === undefined)
    throw loginAgain(profile, 'not_logged_in', `Profile ${profile} has a login and no client_id.`);
  const { clock } = http;
  const place = { vault, warn };
  const source = `profile ${profile}`;
  const refused = new Set<string>();
  let subject: string | undefined;
  let last: Kept | undefined;
  /** A refresh that failed: its error is thrown again, without a request, until then, or until the login has another token. */
  let failed: { token: string | undefined; error: unknown; until: number } | undefined;
  let pending: Promise<Kept> | undefined;

  const isUsable = ({ token }: Kept, until: number): boolean =>
    token !== undefined && isSendable(token) && clock.now() < until && !refused.has(`Bearer ${token}`);
  /** Reads the file each time: another process may have refreshed or replaced the login. */
  const read = (): Kept => {
    const facts = vault.facts();
    if (facts === undefined) throw noCredential(profile);
    checkBinding(profile, facts, settings);
    const found = facts.login?.who?.['subject'];
    if (subject !== undefined && found !== undefined && found !== subject)
      throw loginAgain(
        profile,
        'account_changed',
        `Profile ${profile} was logged in as another user in the meantime.`,
      );
    subject ??= found;
    last = keptIn(facts);
    return last;
  };
  const exchange = async (kept: Kept, secrets: Secrets, signal: AbortSignal): Promise<Kept> => {
    const { refresh_token: refreshToken } = secrets;
    if (refreshToken === undefined) throw notRenewable(profile, 'it has no refresh token');
    const digest = digestOf(refreshToken);
    if (kept.login?.refresh_begun === digest) throw answerLost(profile);
    const { client_auth: clientAuth, token_url: tokenUrl = tokenUrlOf(settings) } = kept.login ?? {};
    if (tokenUrl === undefined) throw notRenewable(profile, 'the token URL of its server is unknown');
    const client = { id: clientId, secret: secrets.client_secret };
    const asked = { client, clientAuth, refreshToken, tokenUrl, source };
    const { requestRefresh } = await import('./token-request.ts');
    await markSent(vault, digest);
    const sending = untilSent(http, signal);
    const refreshed = await requestRefresh({ ...asked, http: sending.http }, sending.signal).catch(
      async (cause) => {
        const now = clock.now();
        const { error, isLost, blockedMs } = classify(cause, { sent: sending.isSent(), now }, asked, profile);
        failed = { token: kept.token, error, until: now + blockedMs };
        if (!isLost) await unmarkSent(place, digest);
        throw error;
      },
    );
    // The old token must not hide that the new ones are not stored.
    last = undefined;
    return storeTokens(place, refreshToken, refreshed, clock.now());
  };
  const refreshLocked = async (signal: AbortSignal): Promise<Kept> => {
    const kept = read();
    // Another process was faster.
    if (isUsable(kept, kept.renewAt)) return kept;
    const secrets = await vault.secrets();
    signal.throwIfAborted();
    last = await exchange(kept, secrets, signal);
    // A token that was just issued is tried, even if it equals a refused one.
    refused.delete(`Bearer ${last.token}`);
    return last;
  };
  const obtain = async (_: string | undefined, signal: AbortSignal): Promise<Issue> => {
    // A refresh may continue after all its callers were aborted.
    await pending?.catch(() => undefined);
    signal.throwIfAborted();
    try {
      const kept = read();
      if (isUsable(kept, kept.renewAt)) return issueOf(kept, kept.renewAt);
      if (failed !== undefined && failed.token === kept.token && clock.now() < failed.until)
        throw failed.error;
      pending = vault.locked(signal, () => refreshLocked(signal)).catch(notStorable(profile));
      const fresh = await pending;
      return issueOf(fresh, fresh.renewAt);
    } catch (cause) {
      if (signal.aborted || last === undefined || !isUsable(last, last.expiresAt)) throw cause;
      return issueOf(last, last.expiresAt);
    }
  };
  const held = renewable(obtain, clock);
  /** A refused token may be issued again under another generation, when no other is available. */
  const unlessRefused = async (token: Token | undefined, signal: AbortSignal) =>
    token !== undefined && refused.has(token.header) ? held.renew(token, signal) : token;
  return {
    source,
    grant: 'user',
    async current(signal) {
      const token = await held.current(signal);
      return (await unlessRefused(token, signal)) ?? token;
    },
    async renew(stale, signal) {
      refused.add(stale.header);
      return unlessRefused(await held.renew(stale, signal), signal);
    },
    settled: async () => {
      await pending?.catch(() => undefined);
    },
  };
}

function issueOf({ token }: Kept, renewAt: number): Issue {
  return { header: `Bearer ${token}`, renewAt };
}

function notRenewable(profile: string, why: string) {
  return loginAgain(profile, 'login_ended', `The login of profile ${profile} has ended, and ${why}.`);
}

/** For `catch`: neither the lock nor the mark could be written, and nothing was sent. */
function notStorable(profile: string) {
  return (cause: unknown): never => {
    if (!(cause instanceof CliError) || cause.code !== 'config_not_written') throw cause;
    const what = `Did not refresh the login of profile ${profile}: the new tokens could not be stored.`;
    throw cause.with({ message: `${what} ${cause.message}` });
  };
}

/** Forwards aborts of the signal until something is sent. @returns also whether the last request may have left this machine. */
function untilSent(http: OAuthHttp, signal: AbortSignal) {
  const stop = new AbortController();
  let sent = false;
  signal.addEventListener('abort', () => {
    if (!sent) stop.abort(signal.reason);
  });
  return {
    http: {
      ...http,
      request: async (request: WireRequest) => {
        signal.throwIfAborted();
        sent = false;
        const onSent = () => {
          sent = true;
          request.onSent?.();
        };
        return http.request({ ...request, onSent });
      },
    },
    signal: stop.signal,
    isSent: () => sent,
  };
}

const FOREVER = Number.POSITIVE_INFINITY;

/** How long to wait for a busy server without Retry-After. */
const BUSY_MS = 30_000;

/**
 * Classifies a failed refresh by what it means for the refresh token. With `isLost` it may have been used up without a
 * successor, and must never be sent again. For `blockedMs` milliseconds another attempt would fail the same way.
 *
 * @param sent whether the request may have left this machine.
 * @param now milliseconds since the epoch.
 */
function classify(
  cause: unknown,
  { sent, now }: { readonly sent: boolean; readonly now: number },
  asked: TokenRequest,
  profile: string,
) {
  if (cause instanceof TokenRejected) {
    const { status, headers } = cause.rejection;
    // After 429 and 503 the refresh token is still valid: a long run tries again.
    const isBusy = status === 429 || status === 503;
    const blockedMs = isBusy ? (retryAfterMs(headers, now) ?? BUSY_MS) : FOREVER;
    // Another 2xx is not a refusal.
    return { error: refusedRefresh(cause, asked, profile), isLost: status < 300, blockedMs };
  }
  if (cause instanceof WireFailure) {
    const error = failureError(cause, taskOf(asked));
    if (!cause.sent) return { error, isLost: false, blockedMs: 0 };
    return { error: answerLost(profile, error), isLost: true, blockedMs: FOREVER };
  }
  return { error: cause, isLost: sent, blockedMs: cause instanceof CliError ? FOREVER : 0 };
}

/** A refresh token was sent and no answer was received, in this run (`failure` is its error) or in an earlier one. */
function answerLost(profile: string, failure?: CliError): CliError {
  const what = failure?.message ?? `The answer to the last refresh of profile ${profile} was lost.`;
  const why =
    'Its refresh token may be used up and is not sent again: a server that sees it twice ends the whole login.';
  return loginAgain(profile, 'login_lost', `${what} ${why}`, failure);
}

function refusedRefresh(cause: TokenRejected, asked: TokenRequest, profile: string): CliError {
  const error = rejectedToken(cause, asked);
  if (cause.rejection.refusal.code !== 'invalid_grant') return error;
  return loginAgain(
    profile,
    'login_ended',
    `The login of profile ${profile} has ended: ${error.message}`,
    error,
  );
}

/** Where the tokens of a profile are kept. */
type Place = { readonly vault: Vault } & Pick<CredentialSources, 'warn'>;

/** Writes are finished even when the caller is interrupted. */
const neverAborted = () => new AbortController().signal;

/** Identifies a refresh token without revealing it. */
function digestOf(refreshToken: string | undefined): string {
  return createHash('sha256')
    .update(refreshToken ?? '')
    .digest('hex');
}

/** The stored access token of a person. */
type Kept = ReturnType<typeof keptIn>;

/** Its times are milliseconds since the epoch; an unknown expiry is infinite. */
function keptIn({ login, cached_token }: Facts) {
  const {
    access_token: token,
    expires_at: expiresAt = Number.POSITIVE_INFINITY,
    renew_at,
  } = cached_token ?? {};
  return { login, token, expiresAt, renewAt: Math.min(renew_at ?? expiresAt - MARGIN_MS, expiresAt) };
}

/** Marks the refresh token on the disk as sent, before it is sent. */
async function markSent(vault: Vault, digest: string): Promise<void> {
  await vault.note((facts) => {
    const login = facts.login ?? { method: 'web' as const };
    return { ...facts, login: { ...login, refresh_begun: digest } };
  }, neverAborted());
}

/** Removes the mark: the server answered, and did not use up the refresh token. */
async function unmarkSent({ vault, warn }: Place, digest: string): Promise<void> {
  await changeMarked(vault, digest, (facts) => facts).catch((cause) =>
    warn(
      `The answer to the refresh of profile ${vault.profile} could not be recorded, and later runs will report it as lost: ${reasonOf(cause)}`,
    ),
  );
}

/**
 * Stores new tokens in place of those of the refresh token that was sent; a login in the meantime stays.
 *
 * @throws {CliError} exit 4, `login_lost`, if disk or keyring refuse a new refresh token: the stored one is used up.
 */
async function storeTokens({ vault, warn }: Place, sent: string, tokens: Tokens, now: number): Promise<Kept> {
  const { profile } = vault;
  const { accessToken, refreshToken: refresh_token = sent, expiresAt, scope } = tokens;
  if (refresh_token !== sent)
    await vault
      .change(
        (before) => (before.refresh_token === sent ? { ...before, refresh_token } : before),
        neverAborted(),
      )
      .catch((cause) => {
        throw answerNotStored(profile, cause);
      });
  const times = { expires_at: expiresAt, renew_at: expiresAt && renewAtOf(expiresAt, now) };
  const cached_token = { access_token: accessToken, ...withoutHoles(times) };
  await changeMarked(vault, digestOf(sent), ({ login, ...facts }) => ({
    ...facts,
    login: login && { ...login, ...withoutHoles({ scope }) },
    cached_token,
  })).catch((cause) =>
    warn(`The new access token of profile ${profile} could not be stored: ${reasonOf(cause)}`),
  );
  return keptIn({ origins: [], cached_token });
}

/** Changes the login whose refresh token is marked, and removes the mark; another login is left as it is. */
async function changeMarked(vault: Vault, digest: string, change: (facts: Facts) => Facts): Promise<void> {
  await vault.note((facts) => {
    const { refresh_begun, ...login } = facts.login ?? {};
    // A marked login has its method.
    return refresh_begun === digest ? change({ ...facts, login: login as Login }) : facts;
  }, neverAborted());
}

function answerNotStored(profile: string, cause: unknown): CliError {
  const what = `The new tokens of profile ${profile} could not be stored: ${reasonOf(cause)}`;
  return loginAgain(profile, 'login_lost', `${what} The stored refresh token is used up.`, cause);
}

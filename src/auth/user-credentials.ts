import { createHash } from 'node:crypto';
import { checkBinding, tokenUrlOf } from '../config/binding.ts';
import type { Facts, Login } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import { reasonOf } from '../fs/read.ts';
import { CliError } from '../model/errors.ts';
import type { WireRequest } from '../model/ports.ts';
import { withoutHoles } from '../model/records.ts';
import type { Credentials } from '../service/exchange.ts';
import { failureError } from '../service/refusal.ts';
import { retryAfterMs, WireFailure } from '../service/retry.ts';
import type { Issue } from './credentials.ts';
import { cachedToken, issueOf, isUsable, renewable } from './credentials.ts';
import {
  loginAgain,
  noCredential,
  rejectedToken,
  TokenRejected,
  type TokenRequest,
  taskOf,
} from './errors.ts';
import type { Granted, OAuthHttp } from './oauth-http.ts';
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
  { settings, warn }: { readonly settings: Settings; readonly warn: Warn },
): Credentials {
  const { profile } = vault;
  const clientId = vault.facts()?.login?.client_id ?? settings.clientId?.value;
  if (clientId === undefined)
    throw loginAgain(profile, 'not_logged_in', `Profile ${profile} has a login and no client_id.`);
  const { clock } = http;
  const source = `profile ${profile}`;
  let subject: string | undefined;
  /** The last stored token, which is used until it expires if there is no other. */
  let last: Kept | undefined;
  /** A refresh that failed: its error is thrown again, without a request, until then, or until the login has another token. */
  let failed: { token: string; error: unknown; until: number } | undefined;
  let pending: Promise<Kept> | undefined;

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
    last = { login: facts.login, ...issueOf(facts.cached_token) };
    return last;
  };
  const refresh = async ({ login, token }: Kept, signal: AbortSignal): Promise<Kept> => {
    const { refresh_token: refreshToken, client_secret: secret } = await vault.secrets();
    signal.throwIfAborted();
    if (refreshToken === undefined) throw notRenewable(profile, 'it has no refresh token');
    const digest = digestOf(refreshToken);
    if (login?.refresh_begun === digest) throw answerLost(profile);
    const { client_auth, token_url: tokenUrl = tokenUrlOf(settings)?.value } = login ?? {};
    if (tokenUrl === undefined) throw notRenewable(profile, 'the token URL of its server is unknown');
    const { requestRefresh } = await import('./token-request.ts');
    await markSent(vault, digest);
    const sending = untilSent(http, signal);
    const request = { provider: { tokenUrl }, client: { id: clientId, secret }, source, http: sending.http };
    const tokens = await requestRefresh(request, refreshToken, client_auth, sending.signal).catch(
      async (cause) => {
        const now = clock.now();
        const failure = classify(cause, { sent: sending.isSent(), now }, { tokenUrl, source }, profile);
        failed = { token, error: failure.error, until: now + failure.blockedMs };
        if (!failure.isLost) await unmarkSent(vault, digest, warn);
        throw failure.error;
      },
    );
    // The old token must not hide that the new ones are not stored.
    last = undefined;
    last = await storeTokens(vault, refreshToken, tokens, clock.now(), warn);
    return last;
  };
  const obtain = async (refused: string | undefined, signal: AbortSignal): Promise<Issue> => {
    const isGood = (kept: Kept, until = kept.renewAt) => isUsable(kept, until, clock.now(), refused);
    // A refresh may continue after all its callers were aborted.
    await pending?.catch(() => undefined);
    signal.throwIfAborted();
    try {
      const kept = read();
      if (isGood(kept)) return kept;
      if (failed !== undefined && failed.token === kept.token && clock.now() < failed.until)
        throw failed.error;
      pending = vault.locked(signal, async () => {
        const newest = read();
        // Another process was faster.
        return isGood(newest) ? newest : refresh(newest, signal);
      });
      return await pending;
    } catch (cause) {
      if (signal.aborted || last === undefined || !isGood(last, last.expiresAt)) throw cause;
      return { ...last, renewAt: last.expiresAt };
    }
  };
  return {
    source,
    grant: 'user',
    ...renewable(obtain, clock),
    settled: async () => {
      await pending?.catch(() => undefined);
    },
  };
}

function notRenewable(profile: string, why: string) {
  return loginAgain(profile, 'login_ended', `The login of profile ${profile} has ended, and ${why}.`);
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

type Warn = (sentence: string) => Promise<void>;

/** Writes are finished even when the caller is interrupted. */
const neverAborted = () => new AbortController().signal;

/** Identifies a refresh token without revealing it. */
function digestOf(refreshToken: string): string {
  return createHash('sha256').update(refreshToken).digest('hex');
}

/** The stored access token of a person, and the login. */
type Kept = Issue & Pick<Facts, 'login'>;

/** Marks the refresh token on the disk as sent, before it is sent. */
async function markSent(vault: Vault, refresh_begun: string): Promise<void> {
  await vault.note(
    ({ login, ...facts }) => ({ ...facts, login: { ...(login ?? { method: 'web' }), refresh_begun } }),
    neverAborted(),
  );
}

/** Removes the mark: the server answered, and did not use up the refresh token. */
async function unmarkSent(vault: Vault, digest: string, warn: Warn): Promise<void> {
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
async function storeTokens(
  vault: Vault,
  sent: string,
  tokens: Granted,
  now: number,
  warn: Warn,
): Promise<Kept> {
  const { profile } = vault;
  const { refreshToken: refresh_token = sent, scope } = tokens;
  if (refresh_token !== sent)
    await vault
      .change(
        (before) => (before.refresh_token === sent ? { ...before, refresh_token } : before),
        neverAborted(),
      )
      .catch((cause) => {
        const what = `The new tokens of profile ${profile} could not be stored: ${reasonOf(cause)}`;
        throw loginAgain(profile, 'login_lost', `${what} The stored refresh token is used up.`, cause);
      });
  const cached_token = cachedToken(tokens, now);
  await changeMarked(vault, digestOf(sent), ({ login, ...facts }) => ({
    ...facts,
    login: login && { ...login, ...withoutHoles({ scope }) },
    cached_token,
  })).catch((cause) =>
    warn(`The new access token of profile ${profile} could not be stored: ${reasonOf(cause)}`),
  );
  return { login: undefined, ...issueOf(cached_token) };
}

/** Changes the login whose refresh token is marked, and removes the mark; another login is left as it is. */
async function changeMarked(vault: Vault, digest: string, change: (facts: Facts) => Facts): Promise<void> {
  await vault.note((facts) => {
    const { refresh_begun, ...login } = facts.login ?? {};
    // A marked login has its method.
    return refresh_begun === digest ? change({ ...facts, login: login as Login }) : facts;
  }, neverAborted());
}

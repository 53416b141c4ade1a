import { createHash } from 'node:crypto';
import { CliError } from '../cli/errors.ts';
import type { WireRequest } from '../cli/ports.ts';
import { checkBinding } from '../config/binding.ts';
import type { Login, Secrets } from '../config/credentials.ts';
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
  /** A refresh that failed: its error is thrown again, without a request, until then. */
  let failed: { digest: string | undefined; error: unknown; until: number } | undefined;
  let pending: Promise<Kept> | undefined;

  const isUsable = ({ secrets: { token } }: Kept, until: number): boolean =>
    token !== undefined && isSendable(token) && clock.now() < until && !refused.has(`Bearer ${token}`);
  /** Reads the vault each time: another process may have refreshed or replaced the login. */
  const read = async (): Promise<Kept> => {
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
    last = keptIn(await vault.secrets(), facts.login);
    return last;
  };
  const exchange = async (kept: Kept, refreshToken: string, signal: AbortSignal): Promise<Kept> => {
    const { client_auth: clientAuth, token_url: tokenUrl = tokenUrlOf(settings) } = kept.login ?? {};
    if (tokenUrl === undefined) throw notRenewable(profile, 'the token URL of its server is unknown');
    const client = { id: clientId, secret: kept.secrets.client_secret };
    const asked = { client, clientAuth, refreshToken, tokenUrl, source };
    const { requestRefresh } = await import('./token-request.ts');
    await markSent(place, kept);
    const sending = untilSent(http, signal);
    const refreshed = await requestRefresh({ ...asked, http: sending.http }, sending.signal).catch(
      async (cause) => {
        const now = clock.now();
        const { error, isLost, blockedMs } = classify(cause, { sent: sending.isSent(), now }, asked, profile);
        failed = { digest: digestOf(refreshToken), error, until: now + blockedMs };
        if (!isLost) await unmarkSent(place, kept);
        throw error;
      },
    );
    // The old token must not hide that the new ones are not stored.
    last = undefined;
    return storeTokens(place, kept, refreshed, clock.now());
  };
  const refreshLocked = async (signal: AbortSignal): Promise<Kept> => {
    const kept = await read();
    signal.throwIfAborted();
    // Another process was faster.
    if (isUsable(kept, kept.renewAt)) return kept;
    const { refresh_token: refreshToken } = kept.secrets;
    if (refreshToken === undefined) throw notRenewable(profile, 'it has no refresh token');
    if (kept.login?.refresh_begun === digestOf(refreshToken)) throw answerLost(profile);
    last = await exchange(kept, refreshToken, signal);
    // A token that was just issued is tried, even if it equals a refused one.
    refused.delete(`Bearer ${last.secrets.token}`);
    return last;
  };
  const obtain = async (_: string | undefined, signal: AbortSignal): Promise<Issue> => {
    // A refresh may continue after all its callers were aborted.
    await pending?.catch(() => undefined);
    signal.throwIfAborted();
    try {
      const kept = await read();
      if (isUsable(kept, kept.renewAt)) return issueOf(kept, kept.renewAt);
      const isSame = failed?.digest === digestOf(kept.secrets.refresh_token);
      if (failed !== undefined && isSame && clock.now() < failed.until) throw failed.error;
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

function issueOf({ secrets: { token = '' } }: Kept, renewAt: number): Issue {
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
    // Another 2xx is not a refusal.
    const isLost = cause.rejection.status < 300;
    return { error: refusedRefresh(cause, asked, profile), isLost, blockedMs: blockedFor(cause, now) };
  }
  if (cause instanceof WireFailure) {
    const error = failureError(cause, taskOf(asked));
    if (!cause.sent) return { error, isLost: false, blockedMs: 0 };
    return { error: answerLost(profile, error), isLost: true, blockedMs: FOREVER };
  }
  return { error: cause, isLost: sent, blockedMs: cause instanceof CliError ? FOREVER : 0 };
}

/** After 429 and 503 the refresh token is still valid: a long run tries again. */
function blockedFor({ rejection: { status, headers } }: TokenRejected, now: number): number {
  return status === 429 || status === 503 ? (retryAfterMs(headers, now) ?? BUSY_MS) : FOREVER;
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

/** The stored tokens of a person. */
type Kept = ReturnType<typeof keptIn>;

/** Where the tokens of a profile are kept. */
export interface Place {
  readonly vault: Vault;
  readonly warn: (sentence: string) => Promise<void>;
}

/** Writes are finished even when the caller is interrupted. */
const neverAborted = () => new AbortController().signal;

/** Identifies a refresh token without revealing it. */
function digestOf(token: string | undefined): string | undefined {
  return token === undefined ? undefined : createHash('sha256').update(token).digest('hex');
}

/** The tokens with their times in milliseconds since the epoch; an unknown expiry is infinite. */
function keptIn(secrets: Secrets, login: Login | undefined) {
  const expiresAt = login?.expires_at ?? Number.POSITIVE_INFINITY;
  const renewAt = Math.min(login?.renew_at ?? expiresAt - MARGIN_MS, expiresAt);
  return { secrets, login, expiresAt, renewAt };
}

/** Marks the refresh token on the disk as sent, before it is sent. */
async function markSent({ vault }: Place, { secrets }: Kept): Promise<void> {
  await vault.note((facts) => {
    const login = facts.login ?? { method: 'web' as const };
    return { ...facts, login: { ...login, refresh_begun: digestOf(secrets.refresh_token) } };
  }, neverAborted());
}

/** Removes the mark: the server answered, and did not use up the refresh token. */
async function unmarkSent(place: Place, kept: Kept): Promise<void> {
  await changeLogin(place, kept, withoutMark).catch((cause) =>
    place.warn(
      `The answer to the refresh of profile ${place.vault.profile} could not be recorded, and later runs will report it as lost: ${reasonOf(cause)}`,
    ),
  );
}

/**
 * Stores new tokens in place of `kept`.
 *
 * @throws {CliError} what disk or keyring refuse; exit 4, `login_lost`, if the stored refresh token is used up by then.
 */
async function storeTokens(place: Place, kept: Kept, tokens: Tokens, now: number): Promise<Kept> {
  const { vault, warn } = place;
  const { profile } = vault;
  const fresh = withoutHoles({ token: tokens.accessToken, refresh_token: tokens.refreshToken });
  const { expiresAt = Number.POSITIVE_INFINITY } = tokens;
  const renewAt = renewAtOf(expiresAt, now);
  const renewed = { ...kept, secrets: { ...kept.secrets, ...fresh }, expiresAt, renewAt };
  const digest = digestOf(kept.secrets.refresh_token);
  try {
    // A login in the meantime stays.
    await vault.change(
      (before) => (digestOf(before.refresh_token) === digest ? { ...before, ...fresh } : before),
      neverAborted(),
    );
  } catch (cause) {
    if (renewed.secrets.refresh_token !== kept.secrets.refresh_token) throw answerNotStored(profile, cause);
    await unmarkSent(place, kept);
    throw cause;
  }
  // JSON has no infinity.
  const times = Number.isFinite(expiresAt) ? { expires_at: expiresAt, renew_at: renewAt } : {};
  const facts = { ...withoutHoles({ scope: tokens.scope }), ...times };
  await changeLogin(place, kept, ({ expires_at: _, renew_at: __, ...login }) => ({
    ...withoutMark(login),
    ...facts,
  })).catch((cause) =>
    warn(`The expiry of the token of profile ${profile} could not be stored: ${reasonOf(cause)}`),
  );
  return renewed;
}

/** Changes the login whose refresh token is marked; another login is left as it is. */
async function changeLogin(
  { vault }: Place,
  { secrets }: Kept,
  change: (login: Login) => Login,
): Promise<void> {
  const digest = digestOf(secrets.refresh_token);
  await vault.note((facts) => {
    const { login } = facts;
    const isMarked = login !== undefined && login.refresh_begun === digest;
    return isMarked ? { ...facts, login: change(login) } : facts;
  }, neverAborted());
}

function withoutMark({ refresh_begun: _, ...login }: Login): Login {
  return login;
}

function answerNotStored(profile: string, cause: unknown): CliError {
  const what = `The new tokens of profile ${profile} could not be stored: ${reasonOf(cause)}`;
  return loginAgain(profile, 'login_lost', `${what} The stored refresh token is used up.`, cause);
}

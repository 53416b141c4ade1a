import { CliError } from '../cli/errors.ts';
import type { Ending } from '../cli/ports.ts';
import { checkBinding } from '../config/binding.ts';
import type { Facts } from '../config/credentials.ts';
import type { Credentials, Token } from '../service/exchange.ts';
import { WireFailure } from '../service/failures.ts';
import { failureError } from '../service/refusal.ts';
import { retryAfterMs } from '../service/retry.ts';
import { type Issue, isSendable, renewable } from './credentials.ts';
import { getToken, loginAgain, rejectedToken, type TokenAsked, TokenRejected } from './errors.ts';
import { createKeptTokens, digestOf, type Kept } from './kept-tokens.ts';
import type { OAuthHttp } from './oauth-http.ts';
import { type CredentialSources, defaultTokenUrl } from './open-credentials.ts';
import { lockLogin, type Vault } from './vault.ts';

/** Whose login, and how it is kept up. */
export interface UserCredentialsOptions {
  readonly profile: string;
  readonly clientId: string;
  /** Absolute URL of the token endpoint, for a login that does not say its own; `undefined` when unknown. */
  readonly tokenUrl: string | undefined;
  readonly vault: Vault;
  /** Waits for other processes that refresh the same login. @returns lets go again. */
  readonly lock: (signal: AbortSignal) => Promise<() => void>;
  /** Holds the facts against where the run is going to. @throws {CliError} exit 4. */
  readonly check: (facts: Facts) => void;
  readonly http: OAuthHttp;
  readonly warn: (sentence: string) => Promise<void>;
}

/**
 * What a person logged in with: the stored token as long as it is valid, then what its refresh token brings. That one is
 * sent once, by one process at a time, and what comes in its place is stored before it is used. Once it is sent, no caller
 * who leaves ends the exchange; `settled` waits for it.
 */
export function userCredentials(options: UserCredentialsOptions): Credentials {
  const { profile, http, lock } = options;
  const { clock } = http;
  const source = `profile ${profile}`;
  const tokens = createKeptTokens({ ...options, now: clock.now });
  const refused = new Set<string>();
  let last: Kept | undefined;
  let ended:
    | { readonly digest: string | undefined; readonly error: unknown; readonly until: number }
    | undefined;
  let underWay: Promise<Kept> | undefined;

  const isAlive = ({ accessToken }: Kept, until: number): boolean =>
    isUsable(accessToken) && clock.now() < until && !refused.has(headerOf(accessToken));
  const read = async () => {
    last = await tokens.read();
    return last;
  };
  const exchange = async (kept: Kept, refreshToken: string, signal: AbortSignal): Promise<Kept> => {
    const { clientSecret, login } = kept;
    const { client_auth: clientAuth, token_url: tokenUrl = options.tokenUrl } = login ?? {};
    if (tokenUrl === undefined) throw notRenewable(profile, 'the token URL of its server is unknown');
    const asked = { clientId: options.clientId, clientAuth, clientSecret, refreshToken, tokenUrl, source };
    const { requestRefresh } = await import('./token-request.ts');
    await tokens.begin(kept);
    const sending = untilSent(http, signal);
    const refreshed = await requestRefresh({ ...asked, http: sending.http }, sending.signal).catch(
      async (cause) => {
        const seen = { sent: sending.isSent(), now: clock.now() };
        const { error, isLost, staysMs } = judge(cause, seen, asked, profile);
        ended = { digest: digestOf(refreshToken), error, until: seen.now + staysMs };
        if (!isLost) await tokens.unmark(kept);
        throw error;
      },
    );
    return tokens.replace(kept, refreshed);
  };
  const refresh = async (signal: AbortSignal): Promise<Kept> => {
    const release = await lock(signal);
    try {
      const kept = await read();
      signal.throwIfAborted();
      // Another process was faster.
      if (isAlive(kept, kept.renewAt)) return kept;
      const { refreshToken, login } = kept;
      if (refreshToken === undefined) throw notRenewable(profile, 'it has no refresh token');
      if (login?.refresh_begun === digestOf(refreshToken)) throw answerLost(profile);
      last = await exchange(kept, refreshToken, signal);
      // What was just issued is to be tried, even if it is the same again.
      refused.delete(headerOf(last.accessToken ?? ''));
      return last;
    } finally {
      release();
    }
  };
  const obtain = async (_: string | undefined, signal: AbortSignal): Promise<Issue> => {
    // All who asked for it have left, and it is not over.
    await underWay?.catch(() => undefined);
    signal.throwIfAborted();
    try {
      const kept = await read();
      if (isAlive(kept, kept.renewAt)) return issueOf(kept, kept.renewAt);
      if (ended !== undefined && ended.digest === digestOf(kept.refreshToken) && clock.now() < ended.until)
        throw ended.error;
      underWay = refresh(signal);
      const fresh = await underWay;
      return issueOf(fresh, fresh.renewAt);
    } catch (cause) {
      if (signal.aborted || last === undefined || !isAlive(last, last.expiresAt)) throw cause;
      return issueOf(last, last.expiresAt);
    }
  };
  const held = renewable(obtain, clock);
  /** A token is handed out again where no other could be had, and its generation is another one then. */
  const unlessRefused = async (token: Token | undefined, signal: Ending) =>
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
      await underWay?.catch(() => undefined);
    },
  };
}

function issueOf({ accessToken = '' }: Kept, renewAt: number): Issue {
  return { header: headerOf(accessToken), renewAt };
}

function headerOf(accessToken: string): string {
  return `Bearer ${accessToken}`;
}

/** A file can be edited or damaged; such a token could not even be sent. */
function isUsable(accessToken: string | undefined): accessToken is string {
  return accessToken !== undefined && isSendable(accessToken);
}

function notRenewable(profile: string, why: string) {
  return loginAgain(profile, 'login_ended', `The login of profile ${profile} is over, and ${why}.`);
}

/**
 * The credentials of a person who logged in.
 *
 * @throws {CliError} exit 4 when the profile does not say which client refreshes them.
 */
export function openUserCredentials(
  profile: string,
  vault: Vault,
  http: OAuthHttp,
  { settings, folder, warn }: CredentialSources,
): Credentials {
  const clientId = vault.facts()?.login?.client_id ?? settings.clientId?.value;
  if (clientId === undefined) {
    throw loginAgain(profile, 'not_logged_in', `Profile ${profile} has a login and no client_id.`);
  }
  return userCredentials({
    profile,
    clientId,
    tokenUrl: settings.tokenUrl?.value ?? defaultTokenUrl(settings),
    vault,
    lock: (signal) => lockLogin(folder, profile, signal).catch(notLocked(profile)),
    check: (facts) => checkBinding(facts, { ...settings, profile }),
    http,
    warn,
  });
}

/** For `catch`. */
function notLocked(profile: string) {
  return (cause: unknown): never => {
    if (!(cause instanceof CliError) || cause.code !== 'config_not_written') throw cause;
    const { code, message, hint } = cause;
    const sentence = `Did not refresh the login of profile ${profile}: what comes could not be stored. ${message}`;
    throw new CliError(code, sentence, { cause, hint });
  };
}

/** An exchange that callers can no longer cancel once something was sent. */
interface UntilSent {
  readonly http: OAuthHttp;
  readonly signal: AbortSignal;
  /** Whether the last request may have left this machine. */
  isSent(): boolean;
}

/** Follows the signal as long as nothing was sent. */
function untilSent(http: OAuthHttp, signal: AbortSignal): UntilSent {
  const stop = new AbortController();
  let sent = false;
  signal.addEventListener('abort', () => {
    if (!sent) stop.abort(signal.reason);
  });
  return {
    http: {
      ...http,
      request: async (request) => {
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

const forEver = Number.POSITIVE_INFINITY;

/** How long a server is left alone that is busy and does not say for how long. */
const BUSY_MS = 30_000;

/** What the end of a refresh means for the token that was sent. */
export interface Verdict {
  readonly error: unknown;
  /** It may have been used up, and its successor was not received: it must never be sent again. */
  readonly isLost: boolean;
  /** Milliseconds for which trying again would bring the same; infinite: in this run always. */
  readonly staysMs: number;
}

/**
 * Judges why a refresh brought no token.
 *
 * @param sent whether the request may have left this machine.
 * @param now milliseconds since the epoch.
 */
function judge(
  cause: unknown,
  { sent, now }: { readonly sent: boolean; readonly now: number },
  asked: TokenAsked,
  profile: string,
): Verdict {
  if (cause instanceof TokenRejected) {
    // A success of another kind is no refusal.
    const isLost = cause.rejection.status < 300;
    return { error: refused(cause, asked, profile), isLost, staysMs: staysOf(cause, now) };
  }
  if (cause instanceof WireFailure) {
    const error = failureError(cause, { safety: 'once', does: getToken(asked) });
    if (!cause.sent) return { error, isLost: false, staysMs: 0 };
    return { error: answerLost(profile, error), isLost: true, staysMs: forEver };
  }
  return { error: cause, isLost: sent, staysMs: cause instanceof CliError ? forEver : 0 };
}

/** A server that is busy or away says so itself, and used nothing up: a long run asks it again. */
function staysOf({ rejection: { status, headers } }: TokenRejected, now: number): number {
  return status === 429 || status === 503 ? (retryAfterMs(headers, now) ?? BUSY_MS) : forEver;
}

/** A refresh token was sent and no answer was received: in this run, with its error, or in an earlier one. */
function answerLost(profile: string, met?: CliError): CliError {
  const what = met?.message ?? `The answer to the last refresh of profile ${profile} was lost.`;
  const why =
    'Its refresh token may be used up and is not sent again: a server that sees it twice ends the whole login.';
  return loginAgain(profile, 'login_lost', `${what} ${why}`, met);
}

function refused(cause: TokenRejected, asked: TokenAsked, profile: string): CliError {
  const error = rejectedToken(cause, asked);
  if (cause.rejection.refusal.code !== 'invalid_grant') return error;
  return loginAgain(
    profile,
    'login_ended',
    `The login of profile ${profile} has ended: ${error.message}`,
    error,
  );
}

import type { Facts } from '../config/credentials.ts';
import type { Credentials, Token } from '../http/authorization.ts';
import type { Ending } from '../transport.ts';
import { isSendable } from './credentials.ts';
import { createKeptTokens, digestOf, type Kept } from './kept-tokens.ts';
import type { OAuthHttp } from './oauth-http.ts';
import { answerLost, judge, loginAgain } from './refresh-errors.ts';
import { type Issue, renewable } from './renewable.ts';
import { untilSent } from './until-sent.ts';
import type { Vault } from './vault.ts';

/** Whose login, and how it is kept up. */
export interface UserCredentialsOptions {
  readonly profile: string;
  readonly clientId: string;
  /** Absolute URL of the token endpoint, for a login that does not say its own; `undefined` when nobody knows. */
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
    if (tokenUrl === undefined) throw notRenewable(profile, 'nobody knows the token URL of its server');
    const asked = { clientId: options.clientId, clientAuth, clientSecret, refreshToken, tokenUrl, source };
    const { requestRefresh } = await import('./refresh-request.ts');
    await tokens.begin(kept);
    const sending = untilSent(http, signal);
    const refreshed = await requestRefresh({ ...asked, http: sending.http }, sending.signal).catch(
      async (cause) => {
        const seen = { sent: sending.isSent(), now: clock.now() };
        const { error, isLost, staysMs } = judge(cause, seen, asked, profile);
        ended = { digest: digestOf(refreshToken), error, until: seen.now + staysMs };
        if (!isLost) await tokens.forgo(kept);
        throw error;
      },
    );
    return tokens.replace(kept, refreshed);
  };
  const refresh = async (signal: AbortSignal): Promise<Kept> => {
    const release = tokens.isAlone() ? () => {} : await lock(signal);
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

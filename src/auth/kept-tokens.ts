import { createHash } from 'node:crypto';
import type { Facts, Login, Secrets } from '../config/credentials.ts';
import { reasonOf } from '../fs/read.ts';
import { MARGIN_MS } from './credentials.ts';
import { loginAgain } from './errors.ts';
import type { Tokens } from './oauth-http.ts';
import type { Vault } from './vault.ts';

/** The stored tokens of a person. */
export interface Kept {
  readonly accessToken: string | undefined;
  /** Milliseconds since the epoch; infinite when unknown. */
  readonly expiresAt: number;
  /** When to renew, milliseconds since the epoch. */
  readonly renewAt: number;
  readonly refreshToken: string | undefined;
  readonly clientSecret: string | undefined;
  readonly login: Login | undefined;
  /** The digest of `refreshToken`, as the vault marks it. */
  readonly digest: string | undefined;
}

/** Reads and stores the tokens of one profile. */
export interface KeptTokens {
  /** Reads the vault each time. @throws {CliError} exit 4 when there are no tokens. */
  read(): Promise<Kept>;
  /** Marks the refresh token on the disk as sent, before it is sent. */
  begin(kept: Kept): Promise<void>;
  /** Removes the mark: the server answered, and did not use up the refresh token. */
  unmark(kept: Kept): Promise<void>;
  /** Stores the new tokens in place of `kept`. Where that fails, this run may use the new access token until it expires. */
  replace(kept: Kept, refreshed: Tokens): Promise<Kept>;
}

/** What `createKeptTokens` needs. */
export interface KeptTokensOptions {
  readonly profile: string;
  readonly vault: Vault;
  /** Checks the origins of the facts against the URLs of the run. @throws {CliError} exit 4. */
  readonly check: (facts: Facts) => void;
  readonly now: () => number;
  readonly warn: (sentence: string) => Promise<void>;
}

/** Nothing is stored or read yet. */
export function createKeptTokens({ profile, vault, check, now, warn }: KeptTokensOptions): KeptTokens {
  let subject: string | undefined;
  // Never aborted: a write is finished even when the caller is interrupted.
  const { signal } = new AbortController();

  const stored = async (): Promise<Kept> => {
    const facts = vault.facts();
    if (facts === undefined)
      throw loginAgain(profile, 'not_logged_in', `Profile ${profile} has no credential.`);
    check(facts);
    const found = facts.login?.who?.['subject'];
    if (subject !== undefined && found !== undefined && found !== subject) throw otherUser(profile);
    subject ??= found;
    return keptIn(await vault.secrets(), facts.login);
  };
  const noteLogin = (digest: string | undefined, change: (login: Login) => Login) =>
    vault.note((facts) => {
      const { login } = facts;
      return login?.refresh_begun !== digest || login === undefined
        ? facts
        : { ...facts, login: change(login) };
    }, signal);
  const unmark: KeptTokens['unmark'] = async ({ digest }) => {
    await noteLogin(digest, withoutMark).catch((cause) =>
      warn(
        `The answer to the refresh of profile ${profile} could not be recorded, and later runs will report it as lost: ${reasonOf(cause)}`,
      ),
    );
  };
  return {
    read: stored,
    async begin({ digest }) {
      await vault.note((facts) => {
        const login = facts.login ?? { method: 'web' as const };
        return { ...facts, login: { ...login, refresh_begun: digest } };
      }, signal);
    },
    unmark,
    async replace(kept, refreshed) {
      const renewed = { ...kept, ...renewal(refreshed, kept, now()) };
      try {
        await vault.change((before) => {
          if (digestOf(before.refresh_token) !== kept.digest) return before;
          return { ...before, ...secretsOf(renewed) };
        }, signal);
      } catch (cause) {
        const isSpent = renewed.refreshToken !== kept.refreshToken;
        if (!isSpent) await unmark(kept);
        await warn(notStored(profile, cause, isSpent));
        return renewed;
      }
      await noteLogin(kept.digest, (login) => withTimes(withoutMark(login), renewed)).catch((cause) =>
        warn(`The expiry of the token of profile ${profile} could not be stored: ${reasonOf(cause)}`),
      );
      return renewed;
    },
  };
}

/** Identifies a refresh token without revealing it. */
export function digestOf(token: string | undefined): string | undefined {
  return token === undefined ? undefined : createHash('sha256').update(token).digest('hex');
}

function keptIn(secrets: Secrets, login: Login | undefined): Kept {
  const expiresAt = login?.expires_at ?? Number.POSITIVE_INFINITY;
  return {
    accessToken: secrets.token,
    expiresAt,
    renewAt: Math.min(login?.renew_at ?? expiresAt - MARGIN_MS, expiresAt),
    refreshToken: secrets.refresh_token,
    clientSecret: secrets.client_secret,
    login,
    digest: digestOf(secrets.refresh_token),
  };
}

function renewal({ accessToken, refreshToken, lifetimeMs, scope }: Tokens, kept: Kept, now: number) {
  const expiresAt = lifetimeMs === undefined ? Number.POSITIVE_INFINITY : now + lifetimeMs;
  const margin = lifetimeMs === undefined ? 0 : Math.min(MARGIN_MS, lifetimeMs / 10);
  const login = kept.login && { ...kept.login, ...(scope !== undefined && { scope }) };
  return {
    accessToken,
    refreshToken: refreshToken ?? kept.refreshToken,
    expiresAt,
    renewAt: expiresAt - margin,
    login,
  };
}

function secretsOf({ accessToken, refreshToken }: Kept): Secrets {
  return {
    ...(accessToken !== undefined && { token: accessToken }),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  };
}

function withoutMark({ refresh_begun: _, ...login }: Login): Login {
  return login;
}

/** An unknown expiry is left out; JSON has no infinity. */
function withTimes(
  { expires_at: _, renew_at: __, ...login }: Login,
  { expiresAt, renewAt, login: known }: Kept,
): Login {
  const scope = known?.scope;
  return {
    ...login,
    ...(scope !== undefined && { scope }),
    ...(Number.isFinite(expiresAt) && { expires_at: expiresAt, renew_at: renewAt }),
  };
}

function notStored(profile: string, cause: unknown, isSpent: boolean): string {
  const what = `The new tokens of profile ${profile} could not be stored: ${reasonOf(cause)} This run uses the access token until it expires.`;
  return isSpent
    ? `${what} The stored refresh token is used up; log in again: innctl login --profile ${profile}`
    : what;
}

function otherUser(profile: string) {
  return loginAgain(
    profile,
    'account_changed',
    `Profile ${profile} was logged in as another user in the meantime.`,
  );
}

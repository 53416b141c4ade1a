import { createHash } from 'node:crypto';
import type { Login, Secrets } from '../config/credentials.ts';
import { reasonOf } from '../fs/read.ts';
import { withoutHoles } from '../model/records.ts';
import { MARGIN_MS, renewAtOf } from './credentials.ts';
import type { Tokens } from './oauth-http.ts';
import type { Vault } from './vault.ts';

/** The stored tokens of a person. */
export interface Kept {
  readonly secrets: Secrets;
  readonly login: Login | undefined;
  /** Milliseconds since the epoch; infinite when unknown. */
  readonly expiresAt: number;
  /** When to renew, milliseconds since the epoch. */
  readonly renewAt: number;
}

/** Where the tokens of a profile are kept. */
export interface Place {
  readonly profile: string;
  readonly vault: Vault;
  readonly warn: (sentence: string) => Promise<void>;
}

/** Writes are finished even when the caller is interrupted. */
const neverAborted = () => new AbortController().signal;

/** Identifies a refresh token without revealing it. */
export function digestOf(token: string | undefined): string | undefined {
  return token === undefined ? undefined : createHash('sha256').update(token).digest('hex');
}

/** The tokens with their times. */
export function keptIn(secrets: Secrets, login: Login | undefined): Kept {
  const expiresAt = login?.expires_at ?? Number.POSITIVE_INFINITY;
  const renewAt = Math.min(login?.renew_at ?? expiresAt - MARGIN_MS, expiresAt);
  return { secrets, login, expiresAt, renewAt };
}

/** Marks the refresh token on the disk as sent, before it is sent. */
export async function markSent({ vault }: Place, { secrets }: Kept): Promise<void> {
  await vault.note((facts) => {
    const login = facts.login ?? { method: 'web' as const };
    return { ...facts, login: { ...login, refresh_begun: digestOf(secrets.refresh_token) } };
  }, neverAborted());
}

/** Removes the mark: the server answered, and did not use up the refresh token. */
export async function unmarkSent(place: Place, kept: Kept): Promise<void> {
  await changeLogin(place, kept, withoutMark).catch((cause) =>
    place.warn(
      `The answer to the refresh of profile ${place.profile} could not be recorded, and later runs will report it as lost: ${reasonOf(cause)}`,
    ),
  );
}

/** Stores new tokens in place of `kept`. Where that fails, this run may use the new access token until it expires. */
export async function storeTokens(place: Place, kept: Kept, tokens: Tokens, now: number): Promise<Kept> {
  const { profile, vault, warn } = place;
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
    const isSpent = renewed.secrets.refresh_token !== kept.secrets.refresh_token;
    if (!isSpent) await unmarkSent(place, kept);
    await warn(notStored(profile, cause, isSpent));
    return renewed;
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

function notStored(profile: string, cause: unknown, isSpent: boolean): string {
  const what = `The new tokens of profile ${profile} could not be stored: ${reasonOf(cause)} This run uses the access token until it expires.`;
  return isSpent
    ? `${what} The stored refresh token is used up; log in again: innctl login --profile ${profile}`
    : what;
}

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import {
  type Credential,
  changeCredential,
  credentialsPath,
  type Facts,
  readCredential,
  type Secrets,
  secretsSchema,
} from '../config/credentials.ts';
import { foldersOf } from '../config/file.ts';
import { writingFailed } from '../config/stored-file.ts';
import { reasonOf } from '../fs/read.ts';
import { CliError, ExitCode, messageOf } from '../model/errors.ts';
import { parsedJson } from '../model/json-text.ts';
import { type Context, KeyringFailure } from '../model/ports.ts';
import { withoutHoles } from '../model/records.ts';

/** A refresh in another process may take all its attempts to connect, and a minute for the request. */
const limits = { waitMs: 150_000, staleMs: 30_000 };

/** The stored credential of one profile: its facts in credentials.json, its secrets there or in the keyring. */
export type Vault = ReturnType<typeof openVault>;

/** A credential to store. */
export interface StoredCredential {
  readonly facts: Facts;
  readonly secrets: Secrets;
}

/**
 * Opens the vault of a profile; nothing is read yet.
 *
 * @param folder where credentials.json is.
 */
export function openVault(
  folder: string,
  profile: string,
  { keyring, redactor }: Pick<Context, 'keyring' | 'redactor'>,
) {
  const stored = () => readCredential(folder, profile);
  const masked = <Stored extends Partial<Credential>>(credential: Stored): Stored => {
    const { token, client_secret, refresh_token, cached_token } = credential;
    for (const secret of [token, client_secret, refresh_token, cached_token?.access_token])
      if (secret !== undefined) redactor.add(secret);
    return credential;
  };
  /** For `catch`. */
  const unavailable = (cause: unknown): never => {
    throw cause instanceof KeyringFailure ? keyringUnavailable(profile, cause) : cause;
  };
  const writeRing = (account: string, secrets: Secrets) =>
    keyring.write(account, JSON.stringify(masked(secrets))).catch(unavailable);
  const secrets = async (): Promise<Secrets> => {
    const credential = stored();
    if (credential?.keyring === undefined)
      return masked(credential === undefined ? {} : secretsOf(credential));
    const text = await keyring.read(credential.keyring).catch(unavailable);
    // An invalid entry has no secrets.
    const { success, output } = v.safeParse(secretsSchema, parsedJson(text ?? '{}'));
    return masked(success ? output : {});
  };
  /** @param change gets and returns `undefined` for none. */
  const writeFile = (change: Parameters<typeof changeCredential>[2], signal: AbortSignal) =>
    changeCredential(folder, profile, change, signal);
  const save = async ({ facts, secrets: fresh }: StoredCredential, signal: AbortSignal) => {
    if (facts.keyring !== undefined) await writeRing(facts.keyring, fresh);
    const credential = masked(facts.keyring === undefined ? { ...fresh, ...facts } : facts);
    await writeFile(() => credential, signal);
  };
  const forget = async (signal: AbortSignal) => {
    const account = stored()?.keyring;
    if (account !== undefined) await keyring.remove(account).catch(unavailable);
    await writeFile(() => undefined, signal);
  };
  const locked = async <Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> => {
    const { acquireLock } = await import('../fs/lock.ts');
    // The name starts like our other files, which is how `prepareFolder` recognizes our folder.
    const path = join(folder, `credentials.json.refresh-${profile}`);
    const release = await acquireLock(path, { signal, ...limits }).catch((cause: unknown) => {
      throw writingFailed(credentialsPath(folder), cause);
    });
    try {
      return await work();
    } finally {
      release();
    }
  };
  /** Rolls back, even after an interruption. @param account the entry of the keyring that changed, if any, and what it held. */
  const restore = async (before?: Credential, account?: string, entry?: string) => {
    try {
      if (!isDeepStrictEqual(stored(), before)) await writeFile(() => before, new AbortController().signal);
    } finally {
      if (account !== undefined)
        await (entry === undefined ? keyring.remove(account) : keyring.write(account, entry));
    }
  };
  return {
    profile,
    /** Read anew each time; `undefined` when nothing is stored. @throws {CliError} exit 2 when the file is corrupt. */
    facts: () => {
      const credential = stored();
      return credential && factsOf(masked(credential));
    },
    /** Masks them. @throws {CliError} exit 4, `keyring_unavailable`. */
    secrets,
    /** Changes the stored secrets. */
    async change(change: (before: Secrets) => Secrets, signal: AbortSignal) {
      const account = stored()?.keyring;
      if (account === undefined)
        return writeFile(
          (before) => before && { ...masked(change(secretsOf(before))), ...factsOf(before) },
          signal,
        );
      const before = await secrets();
      const after = change(before);
      if (after !== before) await writeRing(account, after);
    },
    /** Changes the stored facts without access to the keyring. */
    note: (change: (before: Facts) => Facts, signal: AbortSignal) =>
      writeFile((before) => before && { ...secretsOf(before), ...change(factsOf(before)) }, signal),
    /**
     * Deletes facts and secrets, the keyring entry first: if that fails, the facts stay for another attempt.
     *
     * @throws {CliError} exit 4, `keyring_unavailable`.
     */
    forget,
    /**
     * Runs `work` under the lock of this login; waits while other processes refresh or end it.
     *
     * @throws {CliError} `config_not_written` when the lock cannot be written; otherwise like `acquireLock`; what `work` throws.
     */
    locked,
    /**
     * Replaces the credential, then runs `work`; rolls back file and keyring when anything fails. The login lock is held: a
     * concurrent refresh must not bring the old tokens back, and two logins must not mix their secrets and URLs.
     *
     * @param next `undefined` deletes the credential.
     * @param work stores or removes the profile.
     * @returns why the old entry of the keyring could not be removed; `undefined` when none is left.
     * @throws {CliError} `keyring_unavailable`; `credential_lost` when the rollback fails; what `work` throws.
     */
    replace: (next: StoredCredential | undefined, work: () => Promise<void>, signal: AbortSignal) =>
      locked(signal, async () => {
        const before = stored();
        const old = before?.keyring;
        const account = next === undefined ? old : next.facts.keyring;
        const entry = account === undefined ? undefined : await keyring.read(account).catch(unavailable);
        try {
          // If this process is killed, new secrets must not be left with the origins of the old ones.
          if (next !== undefined && old !== undefined && `${before?.origins}` !== `${next.facts.origins}`)
            await writeFile(() => undefined, signal);
          await (next === undefined ? forget(signal) : save(next, signal));
          await work();
        } catch (error) {
          await restore(before, account, entry).catch((cause: unknown) => {
            throw credentialLost(profile, error, cause);
          });
          throw error;
        }
        if (old === undefined || old === account) return undefined;
        return keyring.remove(old).then(() => undefined, messageOf);
      }),
  };
}

function factsOf(credential: Credential): Facts {
  const { token: _, client_secret: __, refresh_token: ___, ...facts } = credential;
  return facts;
}

function secretsOf({ token, client_secret, refresh_token }: Credential): Secrets {
  return withoutHoles({ token, client_secret, refresh_token });
}

function keyringUnavailable(profile: string, cause: KeyringFailure): CliError {
  return new CliError('keyring_unavailable', `The keyring of this system ${cause.message}.`, {
    cause,
    exitCode: ExitCode.notLoggedIn,
    hint: `Unlock it, or keep the credential in a file: innctl login --profile ${profile} --insecure-storage`,
  });
}

/** The work failed, and the rollback failed too. */
function credentialLost(profile: string, error: unknown, cause: unknown): CliError {
  return new CliError(
    'credential_lost',
    `${reasonOf(error)} The credential of profile ${profile} could not be restored: ${reasonOf(cause)}`,
    {
      cause,
      exitCode: error instanceof CliError ? error.exitCode : undefined,
      hint: `innctl login --profile ${profile}`,
    },
  );
}

/** The account of a profile in the keyring: its name, and a config folder other than the default one, for all share one keyring. */
export function keyringAccount(
  profile: string,
  folder: string,
  { env, platform, home }: Pick<Context, 'env' | 'platform' | 'home'>,
): string {
  const { APPDATA, LOCALAPPDATA } = env;
  const isUsual =
    home !== undefined && foldersOf({ env: { APPDATA, LOCALAPPDATA }, platform, home }).config === folder;
  return isUsual ? profile : `${profile} in ${folder}`;
}

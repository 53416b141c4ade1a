import { join } from 'node:path';
import * as v from 'valibot';
import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type Context, KeyringFailure } from '../cli/ports.ts';
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
import { parsedJson } from '../model/json-text.ts';
import { withoutHoles } from '../model/records.ts';

/** A refresh in another process may take all its attempts to connect, and a minute for the request. */
const limits = { waitMs: 150_000, staleMs: 30_000 };

/** The stored credential of one profile: its facts in credentials.json, its secrets there or in the keyring. */
export type Vault = ReturnType<typeof openVault>;

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
  const masked = <Stored extends Secrets & Pick<Partial<Facts>, 'cached_token'>>(
    credential: Stored,
  ): Stored => {
    const { token, client_secret, refresh_token, cached_token } = credential;
    for (const secret of [token, client_secret, refresh_token, cached_token?.access_token])
      if (secret !== undefined) redactor.add(secret);
    return credential;
  };
  const write = (account: string, secrets: Secrets) =>
    keyring.write(account, JSON.stringify(masked(secrets))).catch(unavailable(profile));
  const secrets = async (): Promise<Secrets> => {
    const credential = stored();
    if (credential?.keyring === undefined)
      return masked(credential === undefined ? {} : secretsOf(credential));
    const text = await keyring.read(credential.keyring).catch(unavailable(profile));
    // An invalid entry has no secrets.
    const { success, output } = v.safeParse(secretsSchema, parsedJson(text ?? '{}'));
    return masked(success ? output : {});
  };
  const changeFile = (change: (before: Credential) => Credential, signal: AbortSignal) =>
    changeCredential(folder, profile, (before) => before && change(before), signal);
  return {
    profile,
    /** Read anew each time; `undefined` when nothing is stored. @throws {CliError} exit 2 when the file is corrupt. */
    facts: () => {
      const credential = stored();
      return credential && factsOf(masked(credential));
    },
    /** Masks them. @throws {CliError} exit 4, `keyring_unavailable`. */
    secrets,
    /** Replaces facts and secrets; writes the keyring first. */
    async save(facts: Facts, fresh: Secrets, signal: AbortSignal) {
      if (facts.keyring !== undefined) await write(facts.keyring, fresh);
      const credential = masked(facts.keyring === undefined ? { ...fresh, ...facts } : facts);
      await changeCredential(folder, profile, () => credential, signal);
    },
    /** Changes the stored secrets. */
    async change(change: (before: Secrets) => Secrets, signal: AbortSignal) {
      const account = stored()?.keyring;
      if (account === undefined)
        return changeFile((before) => ({ ...masked(change(secretsOf(before))), ...factsOf(before) }), signal);
      const before = await secrets();
      const after = change(before);
      if (after !== before) await write(account, after);
    },
    /** Changes the stored facts without access to the keyring. */
    note: (change: (before: Facts) => Facts, signal: AbortSignal) =>
      changeFile((before) => ({ ...secretsOf(before), ...change(factsOf(before)) }), signal),
    /**
     * Deletes facts and secrets, the keyring entry first: if that fails, the facts stay for another attempt.
     *
     * @throws {CliError} exit 4, `keyring_unavailable`.
     */
    async forget(signal: AbortSignal) {
      const account = stored()?.keyring;
      if (account !== undefined) await keyring.remove(account).catch(unavailable(profile));
      await changeCredential(folder, profile, () => undefined, signal);
    },
    /**
     * Runs `work` under the lock of this login; waits while other processes refresh or end it.
     *
     * @throws {CliError} `config_not_written` when the lock cannot be written; otherwise like `acquireLock`; what `work` throws.
     */
    async locked<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
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
    },
  };
}

function factsOf(credential: Credential): Facts {
  const { token: _, client_secret: __, refresh_token: ___, ...facts } = credential;
  return facts;
}

function secretsOf({ token, client_secret, refresh_token }: Credential): Secrets {
  return withoutHoles({ token, client_secret, refresh_token });
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

/** For `catch`: turns a `KeyringFailure` into an error with a hint. */
export function unavailable(profile: string) {
  return (cause: unknown): never => {
    if (!(cause instanceof KeyringFailure)) throw cause;
    throw new CliError('keyring_unavailable', `The keyring of this system ${cause.message}.`, {
      cause,
      exitCode: ExitCode.notLoggedIn,
      hint: `To keep the credential in a file instead: innctl login --profile ${profile} --insecure-storage`,
    });
  };
}

/**
 * The command that replaces the credential of a profile: `login`, or `profiles add` if it was added that way.
 *
 * @param folder where credentials.json is.
 */
export function newCredential(folder: string, profile: string): string {
  const before = readCredential(folder, profile);
  return before === undefined || before.login !== undefined
    ? `innctl login --profile ${profile}`
    : `innctl profiles add ${profile}`;
}

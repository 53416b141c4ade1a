import { join } from 'node:path';
import * as v from 'valibot';
import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type Context, KeyringFailure, type KeyringTrouble } from '../cli/ports.ts';
import {
  type Credential,
  changeCredential,
  credentialsPath,
  type Facts,
  readCredential,
  removeCredential,
  type Secrets,
  saveCredential,
  secretsSchema,
} from '../config/credentials.ts';
import { foldersOf } from '../config/paths.ts';
import { withoutHoles } from '../model/records.ts';

/** Where the credential of one profile is kept: its facts in credentials.json, its secrets there or in the keyring. */
export interface Vault {
  /** Read anew each time; `undefined` when nothing is stored. @throws {CliError} exit 2 when the file is corrupt. */
  facts(): Facts | undefined;
  /** Masked from now on. @throws {CliError} exit 4, `keyring_unavailable`. */
  secrets(): Promise<Secrets>;
  /** Keeps both in place of what was there; the keyring first. */
  save(facts: Facts, secrets: Secrets, signal: AbortSignal): Promise<void>;
  /** Changes secrets that are there. */
  change(change: (before: Secrets) => Secrets, signal: AbortSignal): Promise<void>;
  /** Changes the facts that are there, and leaves the keyring alone. */
  note(change: (before: Facts) => Facts, signal: AbortSignal): Promise<void>;
  /**
   * Forgets both, the entry in the keyring first: where that fails the facts stay, for it to be tried again.
   *
   * @throws {CliError} exit 4, `keyring_unavailable`.
   */
  forget(signal: AbortSignal): Promise<void>;
}

type Surroundings = Pick<Context, 'keyring' | 'redactor'>;

/**
 * Opens the vault of a profile; nothing is read yet.
 *
 * @param folder where credentials.json is.
 * @param read `lookUpCredential` leaves the file as it is.
 */
export function openVault(
  folder: string,
  profile: string,
  { keyring, redactor }: Surroundings,
  read: typeof readCredential = readCredential,
): Vault {
  const stored = () => read(folder, profile);
  const secrets = async (): Promise<Secrets> => {
    const credential = stored();
    if (credential === undefined) return {};
    const { facts, secrets: inFile } = parted(credential);
    const account = facts.keyring;
    const found =
      account === undefined ? inFile : await keyring.read(account).then(secretsIn, unavailable(profile));
    mask(found, redactor);
    return found;
  };
  const save: Vault['save'] = async (facts, fresh, signal) => {
    mask(fresh, redactor);
    if (facts.keyring === undefined) {
      await saveCredential(folder, profile, { ...fresh, ...facts }, signal);
      return;
    }
    await keyring.write(facts.keyring, JSON.stringify(fresh)).catch(unavailable(profile));
    await saveCredential(folder, profile, facts, signal);
  };
  return {
    facts: () => {
      const credential = stored();
      return credential && parted(credential).facts;
    },
    secrets,
    save,
    async change(change, signal) {
      const account = stored()?.keyring;
      if (account !== undefined) {
        const before = await secrets();
        const after = change(before);
        if (after === before) return;
        mask(after, redactor);
        await keyring.write(account, JSON.stringify(after)).catch(unavailable(profile));
        return;
      }
      await changeCredential(
        folder,
        profile,
        (before) => {
          const { facts, secrets: inFile } = parted(before);
          const after = change(inFile);
          mask(after, redactor);
          return { ...after, ...facts };
        },
        signal,
      );
    },
    async note(change, signal) {
      await changeCredential(
        folder,
        profile,
        (before) => {
          const { facts, secrets: inFile } = parted(before);
          return { ...inFile, ...change(facts) };
        },
        signal,
      );
    },
    async forget(signal) {
      const account = stored()?.keyring;
      if (account !== undefined) await keyring.remove(account).catch(unavailable(profile));
      await removeCredential(folder, profile, signal);
    },
  };
}

interface Parted {
  readonly facts: Facts;
  readonly secrets: Secrets;
}

function parted(credential: Credential): Parted {
  const { token, client_secret, refresh_token, cached_token, ...facts } = credential;
  const secrets = { token, client_secret, refresh_token, cached_token };
  return { facts, secrets: withoutHoles(secrets) };
}

/** What is in the entry; one that is not ours, or was changed, holds none. */
function secretsIn(text: string | undefined): Secrets {
  try {
    const { success, output } = v.safeParse(secretsSchema, JSON.parse(text ?? '{}'));
    return success ? output : {};
  } catch {
    return {};
  }
}

function mask({ token, client_secret, refresh_token, cached_token }: Secrets, redactor: Context['redactor']) {
  for (const secret of [token, client_secret, refresh_token, cached_token?.access_token])
    if (secret !== undefined) redactor.add(secret);
}

/**
 * The account of a profile in the keyring: its name, and where the settings are in no usual folder that folder too, for all
 * folders of a person share one keyring.
 */
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

/** For `catch`: what is wrong with the keyring, as an error with something to do about it. */
export function unavailable(profile: string) {
  return (cause: unknown): never => {
    if (!(cause instanceof KeyringFailure)) throw cause;
    throw new CliError('keyring_unavailable', `The keyring of this system ${cause.message}.`, {
      cause,
      exitCode: ExitCode.notLoggedIn,
      hint: `${remedies[cause.trouble]} the credential in a file: innctl login --profile ${profile} --insecure-storage`,
    });
  };
}

const remedies: Readonly<Record<KeyringTrouble, string>> = {
  missing: 'Start it, or keep',
  locked: 'Unlock it and try again, or keep',
  silent: 'Try again when it answers, or keep',
  refused: 'Keep',
};

/** A refresh in another process may take its attempts to connect, and a minute for the request that is sent. */
const limits = { waitMs: 150_000, staleMs: 30_000 };

/**
 * Waits for other processes that refresh or end the login of a profile.
 *
 * @param folder where credentials.json is.
 * @returns releases the lock.
 * @throws {CliError} `config_not_written` where the disk refuses; otherwise like `acquireLock`.
 */
export async function lockLogin(folder: string, profile: string, signal: AbortSignal): Promise<() => void> {
  const { acquireLock } = await import('../fs/lock.ts');
  const { writingFailed } = await import('../config/rewrite.ts');
  // The name begins as those of our other files do, by which a folder of settings is known.
  const path = join(folder, `credentials.json.refresh-${profile}`);
  return acquireLock(path, { signal, ...limits }).catch((cause: unknown) => {
    throw writingFailed(credentialsPath(folder), cause);
  });
}

/**
 * The command that gives a profile another credential, the way it got the one before.
 *
 * @param folder where credentials.json is.
 */
export function newCredential(folder: string, profile: string): string {
  const before = readCredential(folder, profile);
  return before === undefined || before.login !== undefined
    ? `innctl login --profile ${profile}`
    : `innctl profiles add ${profile}`;
}

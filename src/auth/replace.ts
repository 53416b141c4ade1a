import { isDeepStrictEqual } from 'node:util';
import { CliError, messageOf } from '../cli/errors.ts';
import type { Context } from '../cli/ports.ts';
import {
  type Credential,
  changeCredential,
  type Facts,
  readCredential,
  type Secrets,
} from '../config/credentials.ts';
import { reasonOf } from '../fs/read.ts';
import { shellLine } from '../print/text.ts';
import { openVault, unavailable } from './vault.ts';

/** The profile that owns a credential. */
export interface Owner {
  /** Where credentials.json is. */
  readonly folder: string;
  readonly profile: string;
  readonly context: Pick<Context, 'keyring' | 'redactor' | 'signal'>;
}

/**
 * Replaces the credential of a profile, then runs `work`; rolls back file and keyring when anything fails. The login lock is
 * held: a concurrent refresh must not bring the old tokens back, and two logins must not mix their secrets and URLs.
 *
 * @param next `undefined` deletes the credential.
 * @param work stores or removes the profile.
 * @returns why the old entry of the keyring could not be removed; `undefined` when none is left.
 * @throws {CliError} `keyring_unavailable`; `credential_lost` when the rollback fails; what `work` throws.
 */
export function replaceCredential(
  owner: Owner,
  next: { readonly facts: Facts; readonly secrets: Secrets } | undefined,
  work: () => Promise<void>,
): Promise<string | undefined> {
  const { folder, profile, context } = owner;
  const { keyring, signal } = context;
  const vault = openVault(folder, profile, context);
  return vault.locked(signal, async () => {
    const credential = readCredential(folder, profile);
    const account = next === undefined ? credential?.keyring : next.facts.keyring;
    const entry = account === undefined ? undefined : await keyring.read(account).catch(unavailable(profile));
    try {
      if (next === undefined) await vault.forget(signal);
      else {
        // If this process is killed, new secrets must not be left with the origins of the old ones.
        if (credential?.keyring !== undefined && `${credential.origins}` !== `${next.facts.origins}`)
          await changeCredential(folder, profile, () => undefined, signal);
        await vault.save(next.facts, next.secrets, signal);
      }
      await work();
    } catch (error) {
      await restore(owner, credential, account, entry).catch((cause: unknown) => {
        throw credentialLost(profile, error, cause);
      });
      throw error;
    }
    const old = credential?.keyring;
    if (old === undefined || old === account) return undefined;
    return keyring.remove(old).then(() => undefined, messageOf);
  });
}

/** Rolls back, even after an interruption. @param account the entry of the keyring that changed, if any, and what it held. */
async function restore(
  { folder, profile, context: { keyring } }: Owner,
  credential: Credential | undefined,
  account: string | undefined,
  entry: string | undefined,
): Promise<void> {
  const { signal } = new AbortController();
  try {
    if (!isDeepStrictEqual(readCredential(folder, profile), credential))
      await changeCredential(folder, profile, () => credential, signal);
  } finally {
    if (account !== undefined)
      await (entry === undefined ? keyring.remove(account) : keyring.write(account, entry));
  }
}

/** The work failed, and the rollback failed too. */
function credentialLost(profile: string, error: unknown, cause: unknown): CliError {
  return new CliError(
    'credential_lost',
    `${reasonOf(error)} The credential of profile ${profile} could not be restored: ${reasonOf(cause)}`,
    {
      cause,
      exitCode: error instanceof CliError ? error.exitCode : undefined,
      hint: `Store it again: ${shellLine(['innctl', 'profiles', 'add', profile])}`,
    },
  );
}

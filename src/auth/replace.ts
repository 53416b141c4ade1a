import { messageOf } from '../cli/errors.ts';
import type { Context } from '../cli/ports.ts';
import {
  credentialLost,
  type Facts,
  readCredential,
  removeCredential,
  type Secrets,
  withCredentialPutBack,
} from '../config/credentials.ts';
import { openVault, unavailable, withLoginLock } from './vault.ts';

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
 * @param work stores the profile.
 * @returns why the old entry of the keyring could not be removed; `undefined` when none is left.
 * @throws {CliError} `keyring_unavailable`; `credential_lost` when the rollback fails; what `work` throws.
 */
export function replaceCredential(
  owner: Owner,
  next: { readonly facts: Facts; readonly secrets: Secrets },
  work: () => Promise<void>,
): Promise<string | undefined> {
  const { folder, profile, context } = owner;
  return withLoginLock(folder, profile, context.signal, () => replace(owner, next, work));
}

/**
 * Deletes the credential of a profile from the keyring and the file, then runs `work`; rolls back when anything fails.
 *
 * @throws {CliError} like `replaceCredential`.
 */
export function forgetCredential(owner: Owner, work: () => Promise<void>): Promise<void> {
  const { folder, profile, context } = owner;
  return withLoginLock(folder, profile, context.signal, () => forget(owner, work));
}

async function replace(
  owner: Owner,
  { facts, secrets }: { readonly facts: Facts; readonly secrets: Secrets },
  work: () => Promise<void>,
): Promise<string | undefined> {
  const { folder, profile, context } = owner;
  const { keyring, signal } = context;
  const before = readCredential(folder, profile);
  await withEntryPutBack(facts.keyring, owner, () =>
    withCredentialPutBack(
      owner,
      // If this process is killed, new secrets must not be left with the origins of the old ones.
      () => (isElsewhere(before, facts) ? removeCredential(folder, profile, signal) : Promise.resolve()),
      async () => {
        await openVault(folder, profile, context).save(facts, secrets, signal);
        await work();
      },
    ),
  );
  const old = before?.keyring;
  if (old === undefined || old === facts.keyring) return undefined;
  return keyring.remove(old).then(() => undefined, messageOf);
}

async function forget(owner: Owner, work: () => Promise<void>): Promise<void> {
  const { folder, profile, context } = owner;
  const account = readCredential(folder, profile)?.keyring;
  await withEntryPutBack(account, owner, async () => {
    if (account !== undefined) await context.keyring.remove(account).catch(unavailable(profile));
    await withCredentialPutBack(owner, () => removeCredential(folder, profile, context.signal), work);
  });
}

async function withEntryPutBack(
  account: string | undefined,
  { profile, context: { keyring } }: Owner,
  work: () => Promise<void>,
): Promise<void> {
  if (account === undefined) return work();
  const before = await keyring.read(account).catch(unavailable(profile));
  try {
    await work();
  } catch (error) {
    const back = before === undefined ? keyring.remove(account) : keyring.write(account, before);
    await back.catch((cause: unknown) => {
      throw credentialLost(profile, error, cause);
    });
    throw error;
  }
}

function isElsewhere(before: Facts | undefined, { origins }: Facts): boolean {
  return before?.keyring !== undefined && before.origins.toString() !== origins.toString();
}

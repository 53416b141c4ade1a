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
import { lockLogin, openVault, unavailable } from './vault.ts';

/** Whose credential it is, and where it is kept. */
export interface Owner {
  /** Where credentials.json is. */
  readonly folder: string;
  readonly profile: string;
  readonly context: Pick<Context, 'keyring' | 'redactor' | 'signal'>;
}

/**
 * Keeps a credential in place of the one that a profile has, and then does what belongs to it. Where anything fails, file and
 * keyring are put back as they were. Afterwards nothing of the old one is left.
 *
 * @param work stores the profile.
 * @returns why an entry of the keyring that is not used any more could not be removed; `undefined` when none is left.
 * @throws {CliError} `keyring_unavailable`; `credential_lost` when it cannot be put back; what `work` throws.
 */
export function replaceCredential(
  owner: Owner,
  next: { readonly facts: Facts; readonly secrets: Secrets },
  work: () => Promise<void>,
): Promise<string | undefined> {
  return withoutRefresh(owner, () => replace(owner, next, work));
}

/**
 * Forgets the credential of a profile, in the keyring and in the file, and then does what belongs to it. Where anything fails,
 * all is put back.
 *
 * @throws {CliError} like `replaceCredential`.
 */
export function forgetCredential(owner: Owner, work: () => Promise<void>): Promise<void> {
  return withoutRefresh(owner, () => forget(owner, work));
}

/**
 * What another process is refreshing just now must not come back after it was replaced, and of two who log in at once the
 * secrets of the one must not stand beside the addresses of the other.
 */
async function withoutRefresh<Result>(
  { folder, profile, context }: Owner,
  work: () => Promise<Result>,
): Promise<Result> {
  const release = await lockLogin(folder, profile, context.signal);
  try {
    return await work();
  } finally {
    release();
  }
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
      // A process that is killed in between must not leave new secrets beside the addresses of old ones.
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

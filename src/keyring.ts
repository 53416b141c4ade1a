/** Why a keyring cannot be used: there is none, it is locked, it does not answer in time, or it says no. */
export type KeyringTrouble = 'missing' | 'locked' | 'silent' | 'refused';

/**
 * The operating system's keyring, with the entries of the service `innctl` in it.
 * Every method rejects with a `KeyringFailure` where the keyring cannot be used, at the latest after 3 s.
 */
export interface Keyring {
  /** The secret of this account; `undefined` where there is none. */
  read(account: string): Promise<string | undefined>;
  /** Keeps a secret in place of the one before. */
  write(account: string, secret: string): Promise<void>;
  /** Forgets a secret; there need not be one. */
  remove(account: string): Promise<void>;
}

/** The keyring cannot be used. The message ends a sentence that begins with `the keyring`. */
export class KeyringFailure extends Error {
  override readonly name = 'KeyringFailure';
  readonly trouble: KeyringTrouble;

  constructor(trouble: KeyringTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

/**
 * Finds out whether a secret could be kept for this account: one that is locked may well say that it has none, and say so only
 * when it is given one. What is there stays; nothing new does.
 */
export async function tryOut(keyring: Keyring, account: string): Promise<void> {
  if ((await keyring.read(account)) !== undefined) return;
  await keyring.write(account, '{}');
  await keyring.remove(account);
}

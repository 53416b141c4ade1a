import type { Keyring } from '../keyring.ts';
export function splitKeyring(keyring: Keyring): Keyring {
  return keyring;
}

import { createRequire } from 'node:module';
import type * as Library from '@napi-rs/keyring';
import { messageOf } from '../cli/errors.ts';
import { type Keyring, KeyringFailure, type KeyringTrouble } from '../cli/ports.ts';
import { isStandalone } from '../fs/standalone.ts';
import {
  callInChild,
  DID_NOT_ANSWER,
  type KeyringAnswer,
  type KeyringCall,
  type Surroundings,
} from './keyring-child.ts';
import { isUnlocked } from './secret-service.ts';
import { splitKeyring } from './split-keyring.ts';

/** The name under which the platform's own tools show our entries. */
const SERVICE = 'innctl';

/** The keyring of this system. Loads nothing until it is used. */
export function systemKeyring(surroundings: Surroundings): Keyring {
  const keyring: Keyring = {
    read: (account) => ask(surroundings, { verb: 'read', account }),
    write: async (account, secret) => {
      // A keyring changes text that is not valid Unicode.
      if (!secret.isWellFormed()) throw new KeyringFailure('refused', 'stores valid Unicode only');
      await ask(surroundings, { verb: 'write', account, secret });
    },
    remove: async (account) => {
      await ask(surroundings, { verb: 'remove', account });
    },
  };
  return surroundings.platform === 'win32' ? splitKeyring(keyring) : keyring;
}

/** Characters; longer than any secret. */
const MAX_SECRET = 4_194_304;

/** Calls the library from here if the entry is known to be unlocked, otherwise in a process that can be killed. */
async function ask(
  surroundings: Surroundings,
  given: Omit<KeyringCall, 'service'>,
): Promise<string | undefined> {
  if (isStandalone())
    throw new KeyringFailure(
      'missing',
      'cannot be reached: there is no keyring in the standalone executable',
    );
  const call = { service: SERVICE, ...given };
  const isSafe = await isUnlocked(surroundings.env, { service: SERVICE, username: call.account });
  const { secret, error } = isSafe ? await callHere(call) : await callInChild(surroundings, call);
  if (error !== undefined) throw failureIn(error);
  if ((secret?.length ?? 0) > MAX_SECRET) throw new KeyringFailure('refused', 'did not answer with a secret');
  return secret ?? undefined;
}

/** Calls the library from here: it connects when the entry is made, and calls in a thread. */
async function callHere({ service, account, verb, secret = '' }: KeyringCall): Promise<KeyringAnswer> {
  try {
    const { AsyncEntry }: typeof Library = createRequire(import.meta.url)('@napi-rs/keyring');
    const entry = new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
    if (verb === 'read') return { secret: await entry.getPassword() };
    if (verb === 'write') await entry.setPassword(secret);
    else await entry.deleteCredential();
    return {};
  } catch (cause) {
    return { error: messageOf(cause) };
  }
}

/**
 * Messages of the library, most of them from D-Bus, and our failure for each; the first match counts. All were observed on
 * Linux (test/real/keyring.test.ts), except Apple's text for a locked keychain.
 */
const failures: readonly (readonly [said: RegExp, trouble: KeyringTrouble, message: string])[] = [
  [
    /^Cannot find (?:module|native binding)|^Failed to load native binding/,
    'missing',
    'cannot be reached: the optional package @napi-rs/keyring is not installed, or does not support this system',
  ],
  [/Did not receive a reply/, 'silent', DID_NOT_ANSWER],
  [/prompt was dismissed|User interaction is not allowed/, 'locked', 'is locked'],
  [/no result found/, 'missing', 'has no collection that could hold a secret'],
  [
    /not provided by any|Process \S+ exited with/,
    'missing',
    'cannot be reached: no program here keeps secrets for the session (Secret Service)',
  ],
  [/Rejected send message/, 'refused', 'does not let innctl in'],
  [/DBus error/, 'missing', 'cannot be reached over the session bus (D-Bus)'],
  [/matched by \d+ credentials/, 'refused', 'has several entries of innctl for the same account'],
  [/not valid UTF-8/, 'refused', 'contains an entry for this account that is not text'],
];

/** Translates a message of the library, which may quote secrets. */
function failureIn(said: string): KeyringFailure {
  const [, trouble, message] = failures.find(([pattern]) => pattern.test(said)) ?? [];
  return new KeyringFailure(trouble ?? 'refused', message ?? 'refused the call');
}

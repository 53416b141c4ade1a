import { KeyringFailure, type KeyringTrouble } from '../keyring.ts';
import { DID_NOT_ANSWER } from './keyring-answer.ts';

/**
 * What the library says, most of it in the words of D-Bus, and what is to be made of it; the first that fits counts. Each was
 * seen on a Linux in that state (test/real/keyring.test.ts), but for the one of macOS, which is Apple's text for a locked keychain.
 */
const failures: readonly (readonly [said: RegExp, trouble: KeyringTrouble, message: string])[] = [
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
  [/not valid UTF-8/, 'refused', 'holds something for this account that is no text'],
];

/** Says it in words of ours: those of the library quote what they are about. */
export function failureIn(said: string): KeyringFailure {
  const [, trouble, message] = failures.find(([pattern]) => pattern.test(said)) ?? [];
  return new KeyringFailure(trouble ?? 'refused', message ?? 'refused the call');
}

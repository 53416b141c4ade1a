import { systemKeyring } from '../../src/auth/keyring.ts';
import type { Answer, Call } from './keyring-calls.ts';

const keyring = systemKeyring(process);

/** Makes a call of the keyring of this process for each message. Ends when the parent disconnects. */
process.on('message', async ({ id, verb, account, secret = '' }: Call) => {
  const answer: Answer = await keyring[verb](account, secret).then(
    (value) => ({ id, value: value ?? undefined }),
    ({ message }) => ({ id, failure: message }),
  );
  process.send?.(answer);
});

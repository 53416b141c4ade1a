import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Keyring, KeyringFailure } from '../../src/cli/ports.ts';
import { bundled } from '../helpers/bundled.ts';

export interface Call {
  readonly id: number;
  readonly verb: keyof Keyring;
  readonly account: string;
  readonly secret?: string;
}

export interface Answer {
  readonly id: number;
  readonly value?: string | undefined;
  readonly failure?: string;
}

const program = await bundled(join(import.meta.dirname, 'keyring-caller.ts'));

/**
 * The keyring of a process in this environment: libraries of the system see only the real environment, and only its first state.
 * Disposal waits until that process has ended by itself.
 */
export async function openKeyring(env: Readonly<Record<string, string>>): Promise<Keyring & AsyncDisposable> {
  const child = fork(program, { env: { PATH: process.env['PATH'], ...env } });
  child.setMaxListeners(0);
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  let calls = 0;
  const ask = (call: Omit<Call, 'id'>) =>
    new Promise<string | undefined>((resolve, reject) => {
      calls += 1;
      const id = calls;
      child.on('message', ({ id: answered, value, failure }: Answer) => {
        if (answered !== id) return;
        if (failure === undefined) resolve(value);
        else reject(new KeyringFailure(failure));
      });
      child.send({ id, ...call });
    });
  return {
    read: (account) => ask({ verb: 'read', account }),
    write: async (account, secret) => void (await ask({ verb: 'write', account, secret })),
    remove: async (account) => void (await ask({ verb: 'remove', account })),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}

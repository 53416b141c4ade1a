import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { type Keyring, KeyringFailure, type KeyringTrouble } from '../keyring.ts';
import { keyringCall } from './keyring-call.ts';

/** The name under which the platform's own tools show our entries. */
const SERVICE = 'innctl';

const LIMIT_MS = 3_000;

interface Told {
  readonly secret?: string;
  readonly error?: string;
}

/**
 * The keyring of this system. Nothing is loaded and nobody is asked before it is used.
 *
 * @param node the executable that runs each call.
 */
export function systemKeyring(node: string): Keyring {
  return {
    read: async (account) => (await ask(node, ['read', account])).secret,
    write: async (account, secret) => {
      await ask(node, ['write', account], secret);
    },
    remove: async (account) => {
      await ask(node, ['remove', account]);
    },
  };
}

async function ask(
  node: string,
  [verb, account]: readonly ['read' | 'write' | 'remove', string],
  secret = '',
): Promise<Told> {
  const told = await answerOf([node, '-e', keyringCall, libraryPath(), verb, SERVICE, account], secret);
  if (told.error !== undefined) throw new KeyringFailure(troubleIn(told.error), `said: ${told.error}`);
  return told;
}

function libraryPath(): string {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    throw new KeyringFailure('missing', 'cannot be reached: the package @napi-rs/keyring is not installed');
  }
}

function answerOf([program = '', ...args]: readonly string[], secret: string): Promise<Told> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    let said = '';
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, LIMIT_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.stdin.on('error', () => {}).end(secret);
    child.once('error', (cause) =>
      reject(new KeyringFailure('missing', `cannot be reached: ${cause.message}`)),
    );
    child.once('close', () => {
      clearTimeout(timer);
      if (isLate) reject(new KeyringFailure('silent', `did not answer within ${LIMIT_MS / 1_000} s`));
      else if (said === '') reject(new KeyringFailure('missing', 'cannot be reached on this system'));
      else resolve(JSON.parse(said));
    });
  });
}

function troubleIn(error: string): KeyringTrouble {
  if (/locked|prompt/i.test(error)) return 'locked';
  return /no secret service|unavailable|not (?:found|available)|connect|dbus|D-Bus/i.test(error)
    ? 'missing'
    : 'refused';
}

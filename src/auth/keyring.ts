import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isStandalone } from '../config/places.ts';
import { messageOf } from '../model/errors.ts';
import { parsedJson } from '../model/json-text.ts';
import { type Keyring, KeyringFailure } from '../model/ports.ts';
import { isRecord } from '../model/records.ts';

/** What a call needs of this process: the executable, and the environment that leads to the keyring. */
type Surroundings = Pick<NodeJS.Process, 'execPath' | 'env' | 'platform'>;

/** One call of the library. */
interface Call {
  readonly verb: 'read' | 'write' | 'remove';
  readonly account: string;
  readonly secret?: string;
}

/** Windows keeps 2,560 bytes of UTF-16 in one entry of its Credential Manager. */
const MAX_WINDOWS = 1_280;

/** The keyring of this system. Starts nothing until it is used. */
export function systemKeyring(surroundings: Surroundings): Keyring {
  return {
    read: (account) => call(surroundings, { verb: 'read', account }),
    async write(account, secret) {
      // A keyring changes text that is not valid Unicode.
      if (!secret.isWellFormed()) throw new KeyringFailure('stores valid Unicode only');
      if (surroundings.platform === 'win32' && secret.length > MAX_WINDOWS)
        throw new KeyringFailure(`stores no secret longer than ${MAX_WINDOWS} characters`);
      await call(surroundings, { verb: 'write', account, secret });
    },
    async remove(account) {
      await call(surroundings, { verb: 'remove', account });
    },
  };
}

const LIMIT_MS = 3_000;

const DID_NOT_ANSWER = `did not answer within ${LIMIT_MS / 1_000} s`;

/**
 * The program of one call: reads it as JSON from stdin until end of input, and writes the answer. Kills itself
 * after the limit, in case its parent was killed. Synchronous reads and writes save a tenth of the time.
 */
export const keyringProgram = `
const { readFileSync, writeFileSync } = require('node:fs');
const { from, verb, service, account, secret, limitMs } = JSON.parse(readFileSync(0, 'utf8'));
const kill = () => process.kill(process.pid, 'SIGKILL');
setTimeout(kill, limitMs);
const call = async () => {
  const { AsyncEntry } = require('node:module').createRequire(from)('@napi-rs/keyring');
  const entry = new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  if (verb === 'read') return { secret: await entry.getPassword() };
  if (verb === 'write') await entry.setPassword(secret);
  else await entry.deleteCredential();
  return {};
};
call().catch((error) => ({ error: String(error.message) })).then((answer) => {
  writeFileSync(1, JSON.stringify(answer));
  kill();
});
`;

/** The variables by which D-Bus, macOS and Windows find the keyring, and Node its libraries. None of them is secret. */
const keptVariables =
  /^(?:DBUS_\w+|XDG_\w+|HOME|USER|LOGNAME|PATH|LANG|LC_\w+|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|DYLD_\w+|__CF_\w+|SYSTEMROOT|SYSTEMDRIVE|WINDIR|USERPROFILE|USERNAME|USERDOMAIN|APPDATA|LOCALAPPDATA|PROGRAMDATA)$/i;

/** The name under which the platform's own tools show our entries. */
const SERVICE = 'innctl';

/**
 * Calls the library in a process that can be killed: a call that hangs or prompts blocks a thread, and Node cannot exit before
 * that thread returns. `detached` protects it from ^C, so that a write is finished.
 *
 * @throws {KeyringFailure} when there is no answer within 3 s, or the library fails.
 */
async function call({ execPath, env, platform }: Surroundings, asked: Call): Promise<string | undefined> {
  if (isStandalone())
    throw new KeyringFailure('cannot be reached: there is no keyring in the standalone executable');
  const from = fileURLToPath(import.meta.url);
  const child = spawn(execPath, ['-e', keyringProgram], {
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    cwd: dirname(from),
    env: Object.fromEntries(Object.entries(env).filter(([name]) => keptVariables.test(name))),
    detached: platform !== 'win32',
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  child.stdin
    .on('error', () => {})
    .end(JSON.stringify({ ...asked, service: SERVICE, from, limitMs: LIMIT_MS }));
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]).catch((cause) => {
    throw new KeyringFailure(`cannot be reached: ${messageOf(cause)}`);
  });
  const answer = parsedJson(said);
  if (isRecord(answer)) return secretIn(answer);
  if (child.killed) throw new KeyringFailure(DID_NOT_ANSWER);
  const how = child.signalCode ?? child.exitCode;
  throw new KeyringFailure(`cannot be reached: the program that asks it ended with ${how}`);
}

/** The secret, if there is one. @throws {KeyringFailure} for the error message of the library, which may quote secrets. */
function secretIn({ secret, error }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof error !== 'string') return typeof secret === 'string' ? secret : undefined;
  const [, message] = failures.find(([pattern]) => pattern.test(error)) ?? [];
  throw new KeyringFailure(message ?? 'refused the call');
}

/**
 * Messages of the library, most of them from D-Bus, and our failure for each; the first match counts. All were observed on
 * Linux (test/real/keyring.test.ts), except Apple's text for a locked keychain.
 */
const failures: readonly (readonly [said: RegExp, message: string])[] = [
  [
    /^Cannot find (?:module|native binding)|^Failed to load native binding/,

    'cannot be reached: the optional package @napi-rs/keyring is not installed, or does not support this system',
  ],
  [/Did not receive a reply/, DID_NOT_ANSWER],
  [/prompt was dismissed|User interaction is not allowed/, 'is locked'],
  [/no result found/, 'has no collection that could hold a secret'],
  [
    /not provided by any|Process \S+ exited with/,

    'cannot be reached: no program here keeps secrets for the session (Secret Service)',
  ],
  [/Rejected send message/, 'does not let innctl in'],
  [/DBus error/, 'cannot be reached over the session bus (D-Bus)'],
];

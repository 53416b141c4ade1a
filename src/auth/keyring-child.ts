import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../cli/errors.ts';
import { KeyringFailure } from '../cli/ports.ts';
import { parsedJson } from '../model/json-text.ts';
import { isRecord } from '../model/records.ts';

/** What a call needs of this process: the executable, and the environment that leads to the keyring. */
export interface Surroundings {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** One call of the library. */
export interface KeyringCall {
  readonly verb: 'read' | 'write' | 'remove';
  readonly service: string;
  readonly account: string;
  readonly secret?: string | undefined;
}

/** The secret, if there is one, or the error message of the library, which may quote secrets. */
export interface KeyringAnswer {
  readonly secret?: string | null;
  readonly error?: string;
}

const LIMIT_MS = 3_000;

/** The message for a timeout. */
export const DID_NOT_ANSWER = `did not answer within ${LIMIT_MS / 1_000} s`;

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

/**
 * Makes a call in a process that can be killed: a call that hangs or prompts blocks a thread, and Node cannot exit before that
 * thread returns. `detached` protects it from ^C, so that a write is finished.
 *
 * @throws {KeyringFailure} when there is no answer within 3 s.
 */
export async function callInChild(
  { execPath, env, platform }: Surroundings,
  call: KeyringCall,
): Promise<KeyringAnswer> {
  const from = fileURLToPath(import.meta.url);
  try {
    const child = spawn(execPath, ['-e', keyringProgram], {
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      cwd: dirname(from),
      env: Object.fromEntries(Object.entries(env).filter(([name]) => keptVariables.test(name))),
      detached: platform !== 'win32',
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    child.stdin.on('error', () => {}).end(JSON.stringify({ ...call, from, limitMs: LIMIT_MS }));
    const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const answer = parsedJson(said);
    // The program wrote the object itself.
    if (isRecord(answer)) return answer as KeyringAnswer;
    if (child.killed) throw new KeyringFailure('silent', DID_NOT_ANSWER);
    throw new Error(`the program that asks it ended with ${child.signalCode ?? child.exitCode}`);
  } catch (cause) {
    if (cause instanceof KeyringFailure) throw cause;
    throw new KeyringFailure('missing', `cannot be reached: ${messageOf(cause)}`);
  }
}

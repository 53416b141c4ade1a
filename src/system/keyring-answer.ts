import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../error-code.ts';
import { KeyringFailure } from '../keyring.ts';
import { keyringCall } from './keyring-call.ts';

const LIMIT_MS = 3_000;

/** What is said of a keyring that is silent. */
export const DID_NOT_ANSWER = `did not answer within ${LIMIT_MS / 1_000} s`;

/** Characters; nobody keeps a secret of that length. */
const LONGEST_ANSWER = 4_194_304;

/** What a call answers: the secret that is there, if any; or why not. */
export interface Answer {
  readonly secret?: string;
  /** In the words of the library. */
  readonly error?: string;
  /** The library does not load. */
  readonly isUnloadable?: true;
}

/** How the process of a call is started. */
export interface Start extends Pick<SpawnOptions, 'cwd' | 'detached'> {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes one call in a process of its own. One that is `detached` does not hear ^C: a secret that is on its way into the
 * keyring gets there.
 *
 * @throws {KeyringFailure} when there is no answer, at the latest after 3 s.
 */
export function answerOf(call: object, start: Start): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = started(start);
    let said = '';
    // Whether it has answered or not, there is nothing left that it should do.
    const end = () => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      child.stdout.destroy();
    };
    const fail = (failure: KeyringFailure) => {
      end();
      reject(failure);
    };
    const timer = setTimeout(() => fail(new KeyringFailure('silent', DID_NOT_ANSWER)), LIMIT_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      // Only what is new is searched: an answer without an end is read as fast as it comes.
      const isWhole = text.includes('\n');
      if (!isWhole && said.length <= LONGEST_ANSWER) return;
      const answer = isWhole ? answerIn(said.slice(0, said.indexOf('\n'))) : undefined;
      if (answer === undefined)
        return fail(new KeyringFailure('refused', 'answered with something else than a secret'));
      end();
      resolve(answer);
    });
    child.stdin.on('error', () => {}).end(JSON.stringify({ ...call, limitMs: LIMIT_MS }));
    child.once('error', (cause) => fail(unreachable(cause)));
    child.once('close', (exitCode, signal) =>
      fail(unreachable(new Error(`the program that asks it ended with ${signal ?? exitCode}`))),
    );
  });
}

type Child = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

function started({ execPath, ...options }: Start): Child {
  try {
    return spawn(execPath, ['-e', keyringCall], {
      ...options,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
  } catch (cause) {
    throw unreachable(cause);
  }
}

function unreachable(cause: unknown): KeyringFailure {
  return new KeyringFailure('missing', `cannot be reached: ${messageOf(cause)}`);
}

/** `undefined` for what no call of ours says. */
function answerIn(line: string): Answer | undefined {
  try {
    const { secret, error, isUnloadable }: Readonly<Record<string, unknown>> = JSON.parse(line);
    if (isUnloadable === true) return { isUnloadable };
    if (typeof error === 'string') return { error };
    if (typeof secret === 'string') return { secret };
    return secret === null ? {} : undefined;
  } catch {
    return undefined;
  }
}

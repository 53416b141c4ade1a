import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { platform } from 'node:os';
import { isatty } from 'node:tty';
import type { World } from '../cli/ports.ts';

/** The exit code of a shell for a program that is not found. */
const NOT_FOUND = 127;

/**
 * Runs an editor on a file, on the terminal of this process, and waits until it ends.
 *
 * @param command as in EDITOR: a command line for the shell, to which the file is appended.
 * @param options its whole environment; the signal terminates the editor, or the shell between it and us.
 * @returns its exit code, `undefined` when a signal ended it.
 */
export async function runEditor(
  command: string,
  file: string,
  { env, signal }: Pick<World, 'env' | 'signal'>,
): Promise<number | undefined> {
  if (signal.aborted) return undefined;
  const child = start(command, file, env);
  return new Promise((resolve) => {
    const end = () => {
      child.kill('SIGTERM');
      resolve(undefined);
    };
    signal.addEventListener('abort', end, { once: true });
    child.once('error', () => resolve(NOT_FOUND));
    child.once('close', (exitCode) => {
      signal.removeEventListener('abort', end);
      resolve(exitCode ?? undefined);
    });
  });
}

/** stdout is for the result: where it is not a terminal, the editor gets stderr instead. */
function start(command: string, file: string, env: World['env']): ChildProcess {
  const options: SpawnOptions = { stdio: ['inherit', isatty(1) ? 1 : 2, 'inherit'], env: { ...env } };
  if (platform() === 'win32') return spawn(`${command} "${file}"`, { ...options, shell: true });
  return spawn('sh', ['-c', shellText(command), command, file], options);
}

/**
 * ^C also reaches the processes between us and the editor. So the shell is replaced by the editor; where the command line
 * is more than a program and its arguments, the shell stays and ignores ^C.
 */
function shellText(command: string): string {
  const isPlain = /^\s*(?!\w+=)[\w./~"'$][^|&;<>()`\n#]*$/.test(command);
  return isPlain ? `exec ${command} "$@"` : `trap : INT\n${command} "$@"`;
}

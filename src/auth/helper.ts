import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Helped, HelperOptions } from '../cli/ports.ts';

/** Time for a terminated helper to clean up: one that asks for a password has switched off the terminal's echo. */
const GRACE_MS = 1_000;

/** Time in which the system reports the ^C that ended a helper; a busy one may report the end first. */
const CAUSE_MS = 50;

/** Runs a command line with the shell of this system. It can prompt by opening /dev/tty. */
export async function runHelper(
  command: string,
  { env, signal, limitMs, maxBytes, say }: HelperOptions,
): Promise<Helped> {
  signal.throwIfAborted();
  const shell = platform() === 'win32' ? true : 'sh';
  const child = spawn(command, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env },
    windowsHide: true,
    shell,
  });
  let cut: Helped['cut'];
  let killing: NodeJS.Timeout | undefined;
  const stop = (why?: Helped['cut']) => {
    cut ??= why;
    child.kill('SIGTERM');
    killing ??= setTimeout(() => {
      child.kill('SIGKILL');
      // What the helper started may hold them open.
      child.stdout.destroy();
      child.stderr.destroy();
    }, GRACE_MS);
  };
  const interrupt = () => stop();
  const timer = setTimeout(stop, limitMs, 'late');
  signal.addEventListener('abort', interrupt);
  const parts: Buffer[] = [];
  let length = 0;
  child.stdout.on('data', (part: Buffer) => {
    length += part.length;
    if (length > maxBytes) stop('too-long');
    else parts.push(part);
  });
  child.stderr.setEncoding('utf8').on('data', say);
  const exitCode = await new Promise<number | undefined>((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code ?? undefined));
  });
  clearTimeout(timer);
  clearTimeout(killing);
  signal.removeEventListener('abort', interrupt);
  if (exitCode !== 0 && cut === undefined) await pause(CAUSE_MS, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
  return { exitCode: cut === undefined ? exitCode : undefined, stdout: Buffer.concat(parts), cut };
}

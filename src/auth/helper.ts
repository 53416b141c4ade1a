import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { platform } from 'node:os';
import type { Helped, HelperOptions } from '../cli/ports.ts';

/** Time for a terminated helper to clean up: one that asks for a password has switched off the terminal's echo. */
const GRACE_MS = 1_000;

/** Runs a command line with the shell of this system. It can prompt by opening /dev/tty. */
export async function runHelper(command: string, options: HelperOptions): Promise<Helped> {
  options.signal.throwIfAborted();
  const child = start(command, options);
  const parts: Buffer[] = [];
  const ended = new Promise<number | undefined>((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('close', (exitCode) => resolve(exitCode ?? undefined));
  });
  child.stderr?.setEncoding('utf8').on('data', options.say);
  const { why, leave } = collect(child, parts, options);
  const cut = await Promise.race([ended, why]);
  leave();
  if (typeof cut === 'string') await terminate(child, ended);
  if (cut === 'interrupted') throw options.signal.reason;
  const stdout = Buffer.concat(parts);
  return typeof cut === 'string' ? { exitCode: undefined, stdout, cut } : { exitCode: cut, stdout };
}

function start(command: string, { env }: HelperOptions): ChildProcess {
  const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env }, windowsHide: true };
  if (platform() === 'win32') return spawn(command, { ...options, shell: true });
  return spawn('sh', ['-c', command], options);
}

/** Collects stdout, and resolves when the helper must be terminated. */
function collect(child: ChildProcess, parts: Buffer[], { signal, limitMs, maxBytes }: HelperOptions) {
  let leave = () => {};
  const why = new Promise<'late' | 'too-long' | 'interrupted'>((resolve) => {
    const interrupt = () => resolve('interrupted');
    const timer = setTimeout(() => resolve('late'), limitMs);
    signal.addEventListener('abort', interrupt, { once: true });
    leave = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
    };
    let length = 0;
    child.stdout?.on('data', (part: Buffer) => {
      length += part.length;
      if (length > maxBytes) resolve('too-long');
      else parts.push(part);
    });
  });
  return { why, leave };
}

async function terminate(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise((resolve) => {
    timer = setTimeout(resolve, GRACE_MS);
  });
  await Promise.race([ended, grace]);
  clearTimeout(timer);
  child.kill('SIGKILL');
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

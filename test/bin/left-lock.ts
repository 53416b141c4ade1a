import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from '../helpers/bundled.ts';

const holder = await bundled(join(import.meta.dirname, 'holder.ts'));

/** Kills a process that holds the lock of a file. @returns the name of its claim. */
export async function leaveLock(path: string): Promise<string> {
  const child = spawn(process.execPath, [holder, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  return readdirSync(`${path}.lock`).join();
}

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../src/fs/lock.ts';

const VERSION = '5.14.2';
const MINUTES_MS = 60_000;

const cache = join(import.meta.dirname, '../../node_modules/.cache');

/**
 * Installs Prism if it is missing, in a folder that all test files and runs share.
 *
 * @returns the file to run.
 */
export async function installPrism(): Promise<string> {
  const folder = join(cache, `prism-${VERSION}`);
  mkdirSync(cache, { recursive: true });
  const install = async () => {
    // A folder with this name is complete, because it is renamed at the end.
    if (!existsSync(folder)) await installInto(folder);
  };
  await withLock(folder, install, { waitMs: 5 * MINUTES_MS });
  return join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js');
}

async function installInto(folder: string): Promise<void> {
  const unfinished = `${folder}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  await npm(unfinished).catch(() => npm(unfinished));
  renameSync(unfinished, folder);
}

async function npm(folder: string): Promise<void> {
  const quietly = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'];
  const command = ['install', ...quietly, '--prefix', folder, `@stoplight/prism-cli@${VERSION}`];
  await promisify(execFile)('npm', command, { cwd: folder, timeout: 2 * MINUTES_MS });
}

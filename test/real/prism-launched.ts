import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../src/fs/lock.ts';

/** A running Prism. Ends on disposal. */
export interface Launched extends AsyncDisposable {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
}

/**
 * Starts Prism as a mock on a free port, and waits until it listens.
 *
 * @param program the JavaScript file of Prism.
 * @param document the text of the API description.
 * @throws {Error} with its output, if it ends instead.
 */
export async function launchPrism(program: string, document: string): Promise<Launched> {
  const folder = mkdtempSync(join(tmpdir(), 'innctl-prism-'));
  writeFileSync(join(folder, 'document.json'), document);
  const child = spawn(process.execPath, [program, 'mock', 'document.json', '--port', '0'], {
    cwd: folder,
    env: { ...process.env, FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => ended(child, folder);
  const origin = await listening(child).catch(async (cause) => {
    await end();
    throw cause;
  });
  return { origin, [Symbol.asyncDispose]: end };
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (text: string) => {
      output += text;
      const origin = /listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(output)?.[1];
      if (origin === undefined) return;
      // It logs each request, so its output must be drained.
      for (const stream of streams) stream?.off('data', read).resume();
      resolve(origin);
    };
    const streams = [child.stdout, child.stderr];
    for (const stream of streams) stream?.setEncoding('utf8').on('data', read);
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`Prism ended with ${code}: ${output}`)));
  });
}

async function ended(child: ChildProcess, folder: string): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  rmSync(folder, { recursive: true });
}

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

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedPort } from '../helpers/servers.ts';

/** Where a program keeps its files, and the port that it listens on. */
export interface Place {
  readonly folder: string;
  readonly port: number;
}

/** A running program of the system. Ends on disposal. */
export interface Started extends Place, AsyncDisposable {}

/** What to start: files by name, and the command line. */
export interface Recipe {
  readonly files?: Readonly<Record<string, string>>;
  readonly command: readonly [program: string, ...args: string[]];
}

/** Another process may take the port before the program listens on it. */
const LAUNCHES = 3;

/** Starts a program on a free port and waits until the port is open. */
export async function start(recipe: (place: Place) => Recipe): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'innctl-real-'));
  // Some of these programs drop root before they read their files.
  chmodSync(folder, 0o755);
  for (let launch = 1; ; launch += 1) {
    const place = { folder, port: await closedPort() };
    const { child, output } = await launched(recipe(place), folder);
    if (await opens(place.port, child)) return { ...place, [Symbol.asyncDispose]: () => end(child, folder) };
    if (launch === LAUNCHES) throw new Error(`${child.spawnfile} ended with ${child.exitCode}: ${output()}`);
  }
}

async function launched({ files = {}, command }: Recipe, folder: string) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const child = spawn(command[0], command.slice(1), {
    cwd: folder,
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin`, HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await once(child, 'spawn');
  return { child, output: () => stderr };
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  rmSync(folder, { recursive: true });
}

async function opens(port: number, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null) if (await isOpen(port)) return true;
  return false;
}

async function isOpen(port: number): Promise<boolean> {
  // From another address, because with the same one the socket could connect to itself.
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return open;
}

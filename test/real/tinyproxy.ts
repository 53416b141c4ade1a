import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedPort } from '../helpers/servers.ts';

/** A real proxy on this machine that ends with its scope. */
export interface RealProxy extends AsyncDisposable {
  readonly port: number;
}

/**
 * Starts tinyproxy, which must be installed.
 *
 * @param settings further lines of its configuration.
 */
export async function startTinyproxy(...settings: readonly string[]): Promise<RealProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'innctl-tinyproxy-'));
  const port = await closedPort();
  const lines = [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 20', 'MaxClients 20', ...settings, ''];
  writeFileSync(join(folder, 'tinyproxy.conf'), lines.join('\n'));
  const child = spawn('tinyproxy', ['-d', '-c', join(folder, 'tinyproxy.conf')], { stdio: 'ignore' });
  await once(child, 'spawn');
  await listening(port, child);
  return {
    port,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (open) return;
  }
  throw new Error(`tinyproxy ended with ${child.exitCode}`);
}

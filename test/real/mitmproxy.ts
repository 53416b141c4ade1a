import { join } from 'node:path';
import { type Started, start } from './started.ts';

/** An intercepting proxy: it presents certificates of its own authority to clients. */
export interface Mitmproxy extends Started {
  /** PEM file of that authority. */
  readonly authority: string;
}

/**
 * Starts mitmdump, which must be installed.
 *
 * @param trusted PEM file of the authorities that it trusts.
 */
export async function startMitmproxy(trusted: string): Promise<Mitmproxy> {
  const started = await start(({ folder, port }) => ({
    command: [
      'mitmdump',
      ...['--quiet', '--listen-host', '127.0.0.1', '--listen-port', `${port}`],
      ...['--set', `confdir=${folder}`, '--set', `ssl_verify_upstream_trusted_ca=${trusted}`],
    ],
  }));
  return { ...started, authority: join(started.folder, 'mitmproxy-ca-cert.pem') };
}

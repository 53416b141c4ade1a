import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../src/sandbox/server.ts';

/**
 * The sandbox in the dialect apaleo, behind a door that counts requests. Each message of the process that forked it is
 * answered with a `Seen`; then it begins anew.
 */
export interface Seen {
  readonly origin: string;
  readonly token: string;
  /** Requests since the last message. */
  readonly requests: number;
  /** Units of the hotels with codes H01, H02 and so on. */
  readonly units: number;
}

const LAST_HOTEL = 10;

let requests = 0;
let sandbox = await fresh();

async function fresh(): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'innctl-bench-sandbox-'));
  const started = await startSandbox({ folder, now: Date.now, dialect: 'apaleo' });
  return {
    ...started,
    close: async () => {
      await started.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const door = createServer((incoming, outgoing) => {
  requests += 1;
  const { method, headers, url: path } = incoming;
  const inner = request(new URL(path ?? '/', sandbox.url), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(inner);
});

async function unitsOf(property: string): Promise<number> {
  const headers = { authorization: `Bearer ${sandbox.token}` };
  const url = `${sandbox.url}/inventory/v1/units/$count?propertyId=${property}`;
  const { count } = (await (await fetch(url, { headers })).json()) as { readonly count: number };
  return count;
}

door.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has an address with a port.
  const { port } = door.address() as AddressInfo;
  process.on('message', async () => {
    let units = 0;
    for (let number = 1; number <= LAST_HOTEL; number += 1)
      units += await unitsOf(`H${String(number).padStart(2, '0')}`);
    const seen = requests;
    await sandbox.close();
    sandbox = await fresh();
    requests = 0;
    process.send?.({ origin: `http://127.0.0.1:${port}`, token: sandbox.token, requests: seen, units });
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
});

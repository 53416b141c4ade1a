import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createGate } from '../../src/http/gate.ts';
import type { Pacing } from '../../src/http/pace.ts';
import { createSend } from '../../src/http/send.ts';
import { createShelter } from '../../src/http/shelter.ts';
import { silentTrace } from '../../src/http/trace.ts';
import { parseFault } from '../../src/sandbox/faults.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import type { Transport } from '../../src/transport.ts';
import { httpServer } from '../helpers/servers.ts';
import { openTransport } from '../helpers/wire.ts';

/** Reads with the real clock, over the real transport, through a gate with a pace. */
function reader(transport: Transport, token: string, pacing: Pacing) {
  const clock = {
    now: Date.now,
    sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
  };
  const gate = createGate(clock);
  gate.pace(pacing);
  const send = createSend({
    transport,
    credentials: {
      source: 'a test',
      grant: 'token',
      current: async () => ({ header: `Bearer ${token}`, generation: 1 }),
      renew: async () => undefined,
    },
    trace: silentTrace,
    clock,
    gate,
    random: Math.random,
    signal: createShelter(new AbortController().signal).signal,
    deadline: undefined,
    maxAttempts: 5,
    maxBytes: 1_000_000,
    attemptTimeoutMs: 10_000,
    userAgent: 'innctl/test',
    dryRun: false,
    clean: (text) => text,
    guard: () => {},
    beforeWrite: async () => {},
  });
  return async (url: string) => {
    const { status } = await send({ method: 'GET', safety: 'read', url, ids: [], does: 'read' });
    return status;
  };
}

test('no request starts before the time that was asked for, and no more than the limit are open at once', async () => {
  const arrivals: number[] = [];
  const open = { now: 0, most: 0 };
  let told = 0;
  const throttled: (() => void)[] = [];
  await using server = await httpServer((_, response) => {
    arrivals.push(performance.now());
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    const answer = (status: number) => {
      open.now -= 1;
      response.writeHead(status, { 'retry-after': '1', 'content-type': 'application/json' }).end('{}');
    };
    if (arrivals.length > 3) setTimeout(answer, 20, 200);
    else throttled.push(() => answer(429));
    if (arrivals.length !== 3) return;
    told = performance.now();
    for (const tell of throttled) tell();
  });
  await using transport = await openTransport();
  const read = reader(transport, 'token-of-ana', { concurrency: 3 });

  const statuses = await Promise.all(Array.from({ length: 9 }, () => read(`${server.origin}/properties`)));

  expect(statuses).toEqual(Array.from({ length: 9 }, () => 200));
  expect({ requests: arrivals.length, most: open.most }).toEqual({ requests: 12, most: 3 });
  expect(arrivals.slice(3).filter((at) => at < told + 1_000)).toEqual([]);
});

test('requests keep the distance that was asked for', async () => {
  const arrivals: number[] = [];
  await using server = await httpServer((_, response) => {
    arrivals.push(performance.now());
    response.writeHead(204).end();
  });
  await using transport = await openTransport();
  const read = reader(transport, 'token-of-ana', { concurrency: 8, maxRps: 20 });

  await Promise.all(Array.from({ length: 11 }, () => read(`${server.origin}/properties`)));

  const [first = 0, ...others] = arrivals;
  expect((others.at(-1) ?? 0) - first).toBeGreaterThan(450);
});

test('a service that throttles at random is read to the end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const faults = ['429:rate=0.4,times=4,retry-after=1'].map(parseFault);
  const sandbox = await startSandbox({ folder, now: Date.now, faults });
  await using transport = await openTransport();
  const read = reader(transport, sandbox.token, { concurrency: 8 });

  const statuses = await Promise.all(
    Array.from({ length: 30 }, () => read(`${sandbox.url}/inventory/v1/properties`)),
  );

  await sandbox.close();
  await rm(folder, { recursive: true });
  expect(new Set(statuses)).toEqual(new Set([200]));
});

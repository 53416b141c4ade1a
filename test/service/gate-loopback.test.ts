import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { Transport } from '../../src/cli/ports.ts';
import { createGate, type Pacing } from '../../src/service/gate.ts';
import { httpServer } from '../helpers/servers.ts';
import { fetchText, get, openTransport } from '../helpers/wire.ts';
import { sendWith } from './sending.ts';
import { standingClock } from './standing-clock.ts';

/** Reads over the real transport, through a gate with a rate limit. */
async function reader(transport: Transport, pacing: Pacing) {
  const clock = standingClock();
  const gate = createGate(clock);
  await gate.pace(pacing);
  const send = sendWith({ transport, clock, gate });
  return async (url: string) => {
    const sent = await send({
      method: 'GET',
      safety: 'read',
      url,
      ids: [],
      effect: 'reads',
      does: 'read',
    });
    return 'past' in sent ? undefined : sent.status;
  };
}

test('no more requests than the limit are in flight at once', async () => {
  const held: ServerResponse[] = [];
  const service = new EventEmitter();
  await using server = await httpServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url === '/probe') {
      response.end('{}');
      return;
    }
    held.push(response);
    if (held.length === 3) service.emit('full');
  });
  await using transport = await openTransport();
  const read = await reader(transport, { concurrency: 3 });

  let full = once(service, 'full');
  const reading = Promise.all(Array.from({ length: 9 }, () => read(`${server.origin}/properties`)));
  for (let round = 0; round < 3; round += 1) {
    await full;
    // Any other request would have arrived by the time these are answered.
    for (let probes = 0; probes < 20; probes += 1) await fetchText(transport, get(`${server.origin}/probe`));
    expect(held).toHaveLength(3);
    full = once(service, 'full');
    for (const response of held.splice(0)) response.end('{}');
  }

  expect(await reading).toEqual(Array.from({ length: 9 }, () => 200));
});

import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { CancelToken } from '../../src/service/budget.ts';
import { carry } from '../../src/service/wire/carry.ts';
import { type Connection, createConnections } from '../../src/service/wire/undici.ts';
import { httpServer, rawServer } from '../helpers/servers.ts';
import { settled } from './standing-clock.ts';

/** The connections to an origin, and those that were returned to the pool, in this order. */
function watched(origin: string) {
  const connections = createConnections(origin, {});
  const given: Connection[] = [];
  const give = (connection: Connection) => {
    given.push(connection);
    connections.give(connection);
  };
  const options = { origin, path: '/', method: 'GET' } satisfies Dispatcher.DispatchOptions;
  const send = (isFresh = false) =>
    carry({
      connections: { ...connections, give },
      options,
      signal: new CancelToken(),
      isFresh,
      onSent: undefined,
      explain: (cause, progress) => Object.assign(cause, progress),
    });
  return { send, given, close: () => connections.destroy(new Error('over')) };
}

async function readOut(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
  await settled();
}

test.each([204, 304, 200])('after a %d the connection is returned to the pool once', async (status) => {
  await using server = await httpServer((_, response) => response.writeHead(status).end());
  const { send, given, close } = watched(server.origin);

  const { body } = await send();
  await readOut(body);
  await settled();

  expect(given).toHaveLength(1);
  await close();
});

test('a connection that carried a response is marked as used, and a broken one is not', async () => {
  let served = 0;
  await using server = await rawServer((socket) => {
    socket.on('data', () => {
      served += 1;
      if (served === 2) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  });
  const { send, given, close } = watched(server.origin);
  const used: unknown[] = [];

  for (const _ of ['served', 'reset', 'served']) {
    const outcome = await send().then(
      ({ body }) => readOut(body),
      ({ reused }) => ({ reused }),
    );
    used.push([outcome, given.at(-1)?.isUsed]);
  }

  expect(used).toEqual([
    [undefined, true],
    [{ reused: true }, false],
    [undefined, true],
  ]);
  expect(new Set(given).size).toBe(1);
  expect(server.connections).toHaveLength(2);
  await close();
});

test('a new connection is not marked as used', async () => {
  await using server = await httpServer((_, response) => response.end('{}'));
  const { send, given, close } = watched(server.origin);

  await readOut((await send()).body);
  await readOut((await send(true)).body);

  expect(new Set(given).size).toBe(2);
  expect(server.connections).toHaveLength(2);
  await close();
});

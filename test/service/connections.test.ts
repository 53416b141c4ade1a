import { expect, test } from 'vitest';
import { rawServer, scriptedServer, type TestServer } from '../helpers/servers.ts';
import { failureOf, fetchText, get, openTransport, type TestTransport } from '../helpers/wire.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

async function together(transport: TestTransport, { origin }: TestServer, number: number) {
  const requests = Array.from({ length: number }, () => fetchText(transport, get(origin)));
  return (await Promise.all(requests)).map(({ status, text }) => `${status} ${text}`);
}

test('one connection is opened for each concurrent request, and reused', async () => {
  await using server = await scriptedServer(OK);
  await using transport = await openTransport();

  const answers = [
    ...(await together(transport, server, 3)),
    ...(await together(transport, server, 2)),
    ...(await together(transport, server, 3)),
  ];

  expect(answers).toEqual(Array.from({ length: 8 }, () => '200 {}'));
  expect(server.connections).toHaveLength(3);
});

test('a 204 with a content-length is accepted, and its connection is not reused', async () => {
  await using server = await scriptedServer('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n');
  await using transport = await openTransport();

  expect(await together(transport, server, 1)).toEqual(['204 ']);
  expect(await together(transport, server, 1)).toEqual(['204 ']);
  expect(server.connections).toHaveLength(2);
});

test('after a failed exchange the next request opens a new connection', async () => {
  let served = 0;
  await using server = await rawServer((socket) => {
    socket.on('data', () => {
      served += 1;
      if (served === 1) socket.destroy();
      else socket.write(OK);
    });
  });
  await using transport = await openTransport();

  const broken = await failureOf(fetchText(transport, get(server.origin)));

  expect(broken).toMatchObject({ kind: 'reset', sent: true });
  expect(await together(transport, server, 2)).toEqual(['200 {}', '200 {}']);
});

test('after an abort in the middle of a response the next request opens a new connection', async () => {
  await using server = await rawServer((socket) => {
    socket.on('data', (request) => {
      const isFirst = request.includes('/slow');
      socket.write(isFirst ? 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"id"' : OK);
    });
  });
  await using transport = await openTransport();
  const stop = new AbortController();
  const reason = new Error('Ana changed her mind');
  const slow = transport.request(get(`${server.origin}/slow`, { signal: stop.signal }));
  await expect.poll(() => server.connections[0]?.bytesWritten).toBeGreaterThan(0);

  stop.abort(reason);

  await expect(slow).rejects.toBe(reason);
  expect(await together(transport, server, 1)).toEqual(['200 {}']);
});

import { expect, test } from 'vitest';
import { rawServer, scriptedServer } from '../helpers/servers.ts';
import { failureOf, fetchText, get, openTransport } from '../helpers/wire.ts';

test('a body of exactly the allowed length is read completely', async () => {
  await using server = await scriptedServer('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello');
  await using transport = await openTransport();

  expect(await transport.request(get(server.origin, { maxBytes: 5 }))).toEqual({
    status: 200,
    headers: { 'content-length': '5' },
    bytes: Buffer.from('hello'),
  });
});

test.each([
  ['with content-length', 'content-length: 16', ['{"id"', ':', '"BER-', 'MUC"}']],
  [
    'without content-length',
    'transfer-encoding: chunked',
    ['5\r\n{"id"\r\n', '1\r\n:\r\n', '5\r\n"BER-\r\n', '5\r\nMUC"}\r\n0\r\n\r\n'],
  ],
])('a body %s that comes in chunks is read completely', async (_, header, pieces) => {
  await using server = await rawServer((socket) => {
    socket.setNoDelay(true);
    socket.once('data', async () => {
      for (const piece of [`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`, ...pieces]) {
        socket.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  });
  await using transport = await openTransport();

  const { text } = await fetchText(transport, get(server.origin, { maxBytes: 16 }));

  expect(text).toBe('{"id":"BER-MUC"}');
});

test('when the attempt times out before the connection is open, nothing was sent', async () => {
  await using server = await rawServer(() => {});
  await using transport = await openTransport();
  const request = get(`https://127.0.0.1:${server.port}/`, { timeoutMs: 50 });

  expect(await failureOf(fetchText(transport, request))).toEqual({
    kind: 'timeout',
    sent: false,
    message: `127.0.0.1:${server.port} did not answer completely within 0.05 s.`,
  });
});

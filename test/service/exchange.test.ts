import { expect, test } from 'vitest';
import { firstConnectionClosed, rawServer, scriptedServer } from '../helpers/servers.ts';
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

test('an endless body is rejected at the size limit, and its connection closed', async () => {
  await using server = await rawServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const flood = () => {
        while (socket.write(`3e8\r\n${'a'.repeat(1_000)}\r\n`));
      };
      socket.on('drain', flood);
      flood();
    });
  });
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(server.origin, { maxBytes: 10_000 })))).toEqual({
    kind: 'too-large',
    sent: true,
    message: `the answer of 127.0.0.1:${server.port} is longer than 10000 bytes.`,
  });
  await firstConnectionClosed(server);
});

test('a response that trickles in ends with the timeout of the attempt', async () => {
  await using server = await rawServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const drip = setInterval(() => socket.write('1\r\na\r\n'), 10);
      socket.once('close', () => clearInterval(drip));
    });
  });
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(server.origin, { timeoutMs: 50 })))).toEqual({
    kind: 'timeout',
    sent: true,
    message: `127.0.0.1:${server.port} did not answer completely within 0.05 s.`,
  });
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

import { EventEmitter, once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { closedPort, httpServer, rawServer } from '../helpers/servers.ts';
import { failureAt, fetchText, get, openTransport } from '../helpers/wire.ts';

test('a closed port: refused, and not sent', async () => {
  const port = await closedPort();

  expect(await failureAt(`http://127.0.0.1:${port}/`)).toEqual({
    kind: 'refused',
    sent: false,
    message: `127.0.0.1:${port} refused the connection.`,
  });
});

test('an unknown host name: dns, and not sent', async () => {
  expect(await failureAt('http://hotel.invalid/')).toEqual({
    kind: 'dns',
    sent: false,
    message: expect.stringMatching(
      /^the name of hotel\.invalid cannot be resolved \((ENOTFOUND|EAI_AGAIN)\)\.$/,
    ),
  });
});

test('an endless handshake: connect-timeout, and not sent', async () => {
  await using server = await rawServer(() => {});

  expect(await failureAt(`https://127.0.0.1:${server.port}/`, { connectTimeoutMs: 50 })).toEqual({
    kind: 'connect-timeout',
    sent: false,
    message: `127.0.0.1:${server.port} could not be connected to within 0.05 s.`,
  });
});

test('plain HTTP where TLS is expected: tls, and not sent', async () => {
  await using server = await httpServer((_, response) => response.end());

  expect(await failureAt(`https://127.0.0.1:${server.port}/`)).toEqual({
    kind: 'tls',
    sent: false,
    message: `127.0.0.1:${server.port} does not speak TLS on this port.`,
  });
});

test('a peer that closes the connection during the handshake: tls, and not sent', async () => {
  await using server = await rawServer((socket) => socket.once('data', () => socket.end()));

  expect(await failureAt(`https://127.0.0.1:${server.port}/`)).toEqual({
    kind: 'tls',
    sent: false,
    message: `127.0.0.1:${server.port} closed the connection during the TLS handshake.`,
  });
});

test('an answer after 70 s is accepted where the head may take 90 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const seen = new EventEmitter();
  await using server = await rawServer((socket) => socket.once('data', () => seen.emit('request')));
  await using transport = await openTransport({ headTimeoutMs: 90_000 });
  const exchanged = fetchText(transport, get(server.origin));
  await once(seen, 'request');

  await vi.advanceTimersByTimeAsync(70_000);
  server.connections[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');

  expect((await exchanged).text).toBe('{}');
});

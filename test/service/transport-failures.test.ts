import { EventEmitter, once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { closedPort, httpServer, rawServer, scriptedServer } from '../helpers/servers.ts';
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

const head = 'HTTP/1.1 200 OK\r\n';
const half = `${head}content-length: 9\r\n\r\n{}`;
const chunk = `${head}connection: close\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{}`;
const cut = 'closed the connection before the end of its answer.';

test.each([
  ['closes the connection without a response', '', 'reset', 'closed the connection without an answer.'],
  ['closes the connection in the body', half, 'cut', cut],
  ['closes the connection in the last chunk', chunk, 'cut', cut],
  [
    'has no colon in a header',
    `${head}x\r\n\r\n`,
    'malformed',
    'answered with something that is not HTTP/1.1.',
  ],
])('a service that %s', async (_, answer, kind, message) => {
  await using server = await scriptedServer(answer, (socket) => socket.end());

  expect(await failureAt(server.origin)).toEqual({
    kind,
    sent: true,
    message: `127.0.0.1:${server.port} ${message}`,
  });
});

test('an endless head: malformed', async () => {
  await using server = await scriptedServer(`${head}${`x-filler: ${'a'.repeat(1_000)}\r\n`.repeat(40)}`);

  expect(await failureAt(server.origin)).toEqual({
    kind: 'malformed',
    sent: true,
    message: `the head of the answer of 127.0.0.1:${server.port} is too long.`,
  });
});

test('no response in time: timeout', async () => {
  await using server = await rawServer(() => {});

  expect(await failureAt(server.origin, { headTimeoutMs: 50 })).toEqual({
    kind: 'timeout',
    sent: true,
    message: `127.0.0.1:${server.port} did not answer within 0.05 s.`,
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

test('a body that stalls: timeout', async () => {
  await using server = await scriptedServer(half);

  expect(await failureAt(server.origin, { idleTimeoutMs: 50 })).toEqual({
    kind: 'timeout',
    sent: true,
    message: `the answer of 127.0.0.1:${server.port} stopped for 0.05 s before its end.`,
  });
});

import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { closedPort, httpServer, rawServer, scriptedServer } from '../helpers/servers.ts';
import { failureOf, fetchText, get, openTransport } from '../helpers/wire.ts';

test('a closed port: refused, and not sent', async () => {
  const port = await closedPort();
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(`http://127.0.0.1:${port}/`)))).toEqual({
    kind: 'refused',
    sent: false,
    message: `127.0.0.1:${port} refused the connection.`,
  });
});

test('an unknown host name: dns, and not sent', async () => {
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get('http://hotel.invalid/')))).toEqual({
    kind: 'dns',
    sent: false,
    message: expect.stringMatching(
      /^the name of hotel\.invalid cannot be resolved \((ENOTFOUND|EAI_AGAIN)\)\.$/,
    ),
  });
});

test('an endless handshake: connect-timeout, and not sent', async () => {
  await using server = await rawServer(() => {});
  await using transport = await openTransport({ connectTimeoutMs: 50 });

  expect(await failureOf(fetchText(transport, get(`https://127.0.0.1:${server.port}/`)))).toEqual({
    kind: 'connect-timeout',
    sent: false,
    message: `127.0.0.1:${server.port} could not be connected to within 0.05 s.`,
  });
});

test('plain HTTP where TLS is expected: tls, and not sent', async () => {
  await using server = await httpServer((_, response) => response.end());
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(`https://127.0.0.1:${server.port}/`)))).toEqual({
    kind: 'tls',
    sent: false,
    message: `127.0.0.1:${server.port} does not speak TLS on this port.`,
  });
});

test('a peer that closes the connection during the handshake: tls, and not sent', async () => {
  await using server = await rawServer((socket) => socket.once('data', () => socket.end()));
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(`https://127.0.0.1:${server.port}/`)))).toEqual({
    kind: 'tls',
    sent: false,
    message: `127.0.0.1:${server.port} closed the connection during the TLS handshake.`,
  });
});

const head = 'HTTP/1.1 200 OK\r\n';
const end = (socket: Socket) => socket.end();
const reset = (socket: Socket) => socket.resetAndDestroy();
const cut = 'closed the connection before the end of its answer.';

test.each([
  ['closes the connection without a response', '', end, 'reset', 'closed the connection without an answer.'],
  ['resets without a response', '', reset, 'reset', 'closed the connection without an answer.'],
  [
    'closes the connection in the head',
    `${head}content-le`,
    end,
    'reset',
    'closed the connection without an answer.',
  ],
  [
    'closes the connection in a body with content-length',
    `${head}content-length: 9\r\n\r\n{}`,
    end,
    'cut',
    cut,
  ],
  ['resets in a body with content-length', `${head}content-length: 9\r\n\r\n{}`, reset, 'cut', cut],
  [
    'closes the connection before the last chunk',
    `${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`,
    end,
    'cut',
    cut,
  ],
  [
    'closes the connection in the last chunk',
    `${head}connection: close\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{}`,
    end,
    'cut',
    cut,
  ],
])('a service that %s', async (_, answer, then, kind, message) => {
  await using server = await scriptedServer(answer, then);
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(server.origin)))).toEqual({
    kind,
    sent: true,
    message: `127.0.0.1:${server.port} ${message}`,
  });
});

const notHttp = 'answered with something that is not HTTP/1.1.';

test.each([
  ['speaks another protocol', '220 smtp.example.com ESMTP\r\n', notHttp],
  ['has a header without a colon', `${head}nonsense\r\n\r\n`, notHttp],
  ['sends an invalid chunk length', `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`, notHttp],
  [
    'switches protocols without a request',
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    notHttp,
  ],
])('a service that %s: malformed', async (_, answer, message) => {
  await using server = await scriptedServer(answer);
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(server.origin)))).toEqual({
    kind: 'malformed',
    sent: true,
    message: `127.0.0.1:${server.port} ${message}`,
  });
});

test('an endless head: malformed', async () => {
  await using server = await scriptedServer(`${head}${`x-filler: ${'a'.repeat(1_000)}\r\n`.repeat(40)}`);
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(server.origin)))).toEqual({
    kind: 'malformed',
    sent: true,
    message: `the head of the answer of 127.0.0.1:${server.port} is too long.`,
  });
});

test('an endless interim head: malformed', async () => {
  await using server = await scriptedServer(
    `HTTP/1.1 100 Continue\r\n${`x-filler: ${'a'.repeat(1_000)}\r\n`.repeat(40)}`,
  );
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(server.origin)))).toMatchObject({
    kind: 'malformed',
    sent: true,
  });
});

test('no response in time: timeout', async () => {
  await using server = await rawServer(() => {});
  await using transport = await openTransport({ headTimeoutMs: 50 });

  expect(await failureOf(fetchText(transport, get(server.origin)))).toEqual({
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

test('a head that trickles in does not extend the timeout', async () => {
  await using server = await rawServer((socket) => {
    socket.once('data', () => {
      socket.write(`${head}x-drip: `);
      const drip = setInterval(() => socket.write('a'), 10);
      socket.once('close', () => clearInterval(drip));
    });
  });
  await using transport = await openTransport({ headTimeoutMs: 100 });

  expect(await failureOf(fetchText(transport, get(server.origin)))).toMatchObject({
    kind: 'timeout',
    sent: true,
  });
});

test('a body that stalls: timeout', async () => {
  await using server = await scriptedServer(`${head}content-length: 9\r\n\r\n{}`);
  await using transport = await openTransport({ idleTimeoutMs: 50 });

  expect(await failureOf(fetchText(transport, get(server.origin)))).toEqual({
    kind: 'timeout',
    sent: true,
    message: `the answer of 127.0.0.1:${server.port} stopped for 0.05 s before its end.`,
  });
});

import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { ConnectOptions, WireRequest } from '../../src/model/ports.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { listen, rawServer, type TestServer } from '../helpers/servers.ts';
import { get, openTransport } from '../helpers/wire.ts';

const MARK = 'Hotel Aurora';
const LARGE = `${MARK}${'x'.repeat(4_000_000)}`;

/** A peer: what it received on all connections, and what it does about a connection and about the first bytes of a request. */
async function peer(onConnection: (socket: Socket) => void, onData: (socket: Socket) => void = () => {}) {
  let received = '';
  const server = await rawServer((socket) => {
    socket.once('data', () => onData(socket));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    onConnection(socket);
  });
  return { ...server, received: () => received };
}

/** Sends one write and returns how it failed: what the failure says, what `onSent` said, and whether the reason is the caller's. */
async function broken(url: string, request: Partial<WireRequest>, options: Partial<ConnectOptions> = {}) {
  await using transport = await openTransport(options);
  let calls = 0;
  const onSent = () => {
    calls += 1;
  };
  const write = get(url, { method: 'POST', body: MARK, ...request, onSent });
  const cause: unknown = await transport.request(write).then(
    () => 'an answer',
    (error: unknown) => error,
  );
  if (!(cause instanceof WireFailure) && cause !== stopped) throw new Error('not broken', { cause });
  return { sent: cause instanceof WireFailure ? cause.sent : calls > 0, calls };
}

const stopped = new Error('Ana changed her mind');
const nothing = () => {};
const https = ({ port }: TestServer) => `https://127.0.0.1:${port}/`;

test.each<[string, (socket: Socket) => void, (socket: Socket) => void, Partial<WireRequest>]>([
  ['is reset when it is accepted', (socket) => socket.resetAndDestroy(), nothing, {}],
  ['is closed when it is accepted', (socket) => socket.end(), nothing, {}],
  ['does not speak TLS', nothing, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), {}],
  ['is reset in the TLS handshake', nothing, (socket) => socket.resetAndDestroy(), {}],
  ['gets a TLS alert', nothing, (socket) => socket.end(Buffer.from('15030300020228', 'hex')), {}],
  ['never finishes the TLS handshake', nothing, nothing, { timeoutMs: 100 }],
])('over a connection that %s nothing was sent', async (_, onConnection, onData, request) => {
  await using server = await peer(onConnection, onData);

  expect(await broken(https(server), request)).toEqual({ sent: false, calls: 0 });
  expect(server.received()).not.toContain(MARK);
  expect(server.received()).not.toContain('POST');
});

test('a request that is aborted before its connection opens is not written later', async () => {
  await using server = await peer(nothing);
  await using transport = await openTransport();
  const stop = new AbortController();
  const aborted = transport.request(get(server.origin, { method: 'POST', body: MARK, signal: stop.signal }));
  stop.abort(stopped);
  await expect(aborted).rejects.toBe(stopped);
  const next = transport.request(get(server.origin, { timeoutMs: 200 }));

  await expect(next).rejects.toMatchObject({ sent: true });
  expect(server.received()).toMatch(/^GET /);
  expect(server.received()).not.toContain(MARK);
});

test.each([
  [403, 'Forbidden'],
  [407, 'Who'],
  [502, 'Bad Gateway'],
  [200, 'Connected'],
])('through a proxy that answers CONNECT with %d and breaks off nothing was sent', async (status, reason) => {
  let received = '';
  await using proxy = await listen(
    createServer().on('connect', (_request, socket: Socket, head: Buffer) => {
      received += head.toString('latin1');
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        socket.destroy();
      });
      socket.write(`HTTP/1.1 ${status} ${reason}\r\n\r\n`);
      if (status !== 200) socket.end();
    }),
  );

  const outcome = await broken('https://hotel.invalid/', {}, { proxies: { https: proxy.origin } });

  expect(outcome).toEqual({ sent: false, calls: 0 });
  expect(received).not.toContain(MARK);
});

test.each<[string, (socket: Socket) => void, Partial<WireRequest>]>([
  ['is reset after the head of the request', (socket) => socket.resetAndDestroy(), {}],
  ['is reset in the middle of the request', (socket) => socket.resetAndDestroy(), { body: LARGE }],
  ['is closed in the middle of the request', (socket) => socket.destroy(), { body: LARGE }],
  ['is closed without an answer', (socket) => socket.end(), {}],
  ['never answers', nothing, { timeoutMs: 500 }],
  ['is never read from', (socket) => socket.pause(), { body: LARGE, timeoutMs: 500 }],
  ['is closed in the head of the answer', (socket) => socket.end('HTTP/1.1 200 OK\r\ncont'), {}],
  [
    'is closed in the body of the answer',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}'),
    {},
  ],
  ['answers something else than HTTP', (socket) => socket.end('220 smtp\r\n'), {}],
  ['answers an unsolicited 100', (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), {}],
])(
  'over a connection that %s the request was possibly sent, and is sent once',
  async (_, onData, request) => {
    await using server = await peer(nothing, onData);

    expect(await broken(server.origin, request)).toEqual({ sent: true, calls: 1 });
    expect(server.received().split('POST / HTTP/1.1')).toHaveLength(2);
    expect(server.connections).toHaveLength(1);
  },
);

test('a write over a kept connection that the service closes is possibly sent, and is sent once', async () => {
  const written: string[] = [];
  await using server = await rawServer((socket) => {
    socket.on('data', (chunk) => {
      written.push(chunk.toString('latin1'));
      if (written.length === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      else socket.resetAndDestroy();
    });
  });
  await using transport = await openTransport();
  await transport.request(get(server.origin));

  const write = transport.request(get(server.origin, { method: 'POST', body: MARK }));

  await expect(write).rejects.toMatchObject({ kind: 'reset', sent: true });
  expect(written.filter((text) => text.includes(MARK))).toHaveLength(1);
});

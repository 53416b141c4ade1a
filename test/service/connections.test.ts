import { EventEmitter, once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { failureError } from '../../src/service/refusal.ts';
import { mayRetry } from '../../src/service/retry.ts';
import { connectFailure, proxyFailure } from '../../src/service/wire/connections.ts';
import { closedPort, httpServer, rawServer, scriptedServer, type TestServer } from '../helpers/servers.ts';
import { failureAt, failureOf, fetchText, get, openTransport, type TestTransport } from '../helpers/wire.ts';

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

const full = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const peer = (tls: boolean) => ({ host: 'api.example.com', tls, connectTimeoutMs: 1_000 });

test.each([
  ['EMFILE', connectFailure, false, ''],
  ['ENFILE', connectFailure, false, ''],
  ['EMFILE', connectFailure, true, ''],
  ['EMFILE', proxyFailure, false, 'the proxy '],
  ['EMFILE', proxyFailure, true, 'the proxy '],
])('%s is reported with a hint, and as not sent (case %#)', (code, failureOf, tls, who) => {
  const failure = failureOf(full(code), peer(tls));

  const { code: reported, exitCode, message, hint } = failureError(failure, 'invite Ana');

  expect({ code: reported, exitCode, message, hint }).toEqual({
    code: 'too_many_files',
    exitCode: 7,
    message: `Could not invite Ana: ${who}api.example.com could not be connected to: too many files are open (${code}).`,
    hint: 'Raise the limit with ulimit -n, or lower --concurrency where the command takes it.',
  });
  expect(mayRetry('once', { kind: 'failure', failure })).toBe(true);
});

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

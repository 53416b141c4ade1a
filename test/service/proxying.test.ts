import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { closedPort, httpServer, listen, rawServer, type TestServer } from '../helpers/servers.ts';
import { failureAt, failureOf, fetchText, get, openTransport } from '../helpers/wire.ts';
import { settled } from './standing-clock.ts';

/** A proxy that answers CONNECT with this handler. */
function tunnelServer(onConnect: (socket: Socket) => void): Promise<TestServer> {
  return listen(createServer().on('connect', (_request, socket: Socket) => onConnect(socket)));
}

test('plain requests go to the proxy in absolute form, with its credentials', async () => {
  const seen: unknown[] = [];
  const handler: RequestListener = ({ method, url, headers }, response) => {
    seen.push({ method, url, host: headers.host, authorization: headers['proxy-authorization'] });
    response.end('{}');
  };
  await using proxy = await httpServer(handler);
  await using transport = await openTransport({
    proxies: { http: `http://ana:secret@127.0.0.1:${proxy.port}` },
  });

  const { status } = await fetchText(transport, get('http://hotel.invalid:8080/api/v1/roles?x=1'));

  expect(status).toBe(200);
  expect(seen).toEqual([
    {
      method: 'GET',
      url: 'http://hotel.invalid:8080/api/v1/roles?x=1',
      host: 'hotel.invalid:8080',
      authorization: `Basic ${Buffer.from('ana:secret').toString('base64')}`,
    },
  ]);
});

const challenges = (challenge: string): RequestListener => {
  return (_, response) => response.writeHead(401, { 'www-authenticate': challenge }).end();
};

test.each<[number, string, string, RequestListener]>([
  [407, '', 'wants a', (_, response) => response.writeHead(407).end('who are you?')],
  [407, 'ana:secret@', 'does not accept the', (_, response) => response.writeHead(407).end('who are you?')],
  [401, 'ana:secret@', 'does not accept the', challenges('Basic realm="proxy"')],
])(
  'a %i to a plain request with the credentials %j: proxy-refused, and not sent',
  async (status, credentials, verb, handler) => {
    await using proxy = await httpServer(handler);
    const url = `http://${credentials}127.0.0.1:${proxy.port}`;

    expect(await failureAt('http://hotel.invalid/', { proxies: { http: url } })).toEqual({
      kind: 'proxy-refused',
      sent: false,
      message: `the proxy 127.0.0.1:${proxy.port} ${verb} user name and password (${status}): they belong into the proxy's URL.`,
    });
  },
);

test.each([
  ['ana:secret@', 'Bearer'],
  ['', 'Basic realm="service"'],
])(
  'a 401 of the service through the proxy %j with the challenge %j is its answer',
  async (user, challenge) => {
    await using proxy = await httpServer(challenges(challenge));
    await using transport = await openTransport({
      proxies: { http: `http://${user}127.0.0.1:${proxy.port}` },
    });

    expect(await fetchText(transport, get('http://hotel.invalid/'))).toMatchObject({ status: 401 });
  },
);

test.each(['http', 'https'])('an unreachable proxy (%s): proxy, and not sent', async (scheme) => {
  const port = await closedPort();
  const url = `http://ana:secret@127.0.0.1:${port}`;

  expect(await failureAt(`${scheme}://hotel.invalid/`, { proxies: { http: url, https: url } })).toEqual({
    kind: 'proxy',
    sent: false,
    message: `the proxy 127.0.0.1:${port} refused the connection.`,
  });
});

test.each<[string, (socket: Socket) => void, string, string]>([
  [
    'rejects the tunnel (403)',
    (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
    'proxy-refused',
    'the proxy HOST did not connect to hotel.invalid:443: it answered with 403.',
  ],
  [
    'cannot reach the service',
    (socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'),
    'proxy',
    'the proxy HOST did not connect to hotel.invalid:443: it answered with 503.',
  ],
  [
    'opens a tunnel and then answers itself',
    (socket) => socket.write('HTTP/1.1 200 Connected\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]'),
    'tls',
    'hotel.invalid does not speak TLS on this port.',
  ],
  [
    'never ends the head of its answer',
    (socket) => socket.write(`HTTP/1.1 200 Connected\r\n${`x-filler: ${'a'.repeat(1_000)}\r\n`.repeat(40)}`),
    'proxy-refused',
    'the proxy HOST answered with something that is not HTTP/1.1.',
  ],
  [
    'opens a tunnel whose other end closes the connection',
    (socket) => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.once('data', () => socket.end());
    },
    'tls',
    'hotel.invalid closed the connection during the TLS handshake.',
  ],
])('a proxy that %s on CONNECT: not sent', async (_, onConnect, kind, message) => {
  await using proxy = await tunnelServer(onConnect);

  expect(await failureAt('https://hotel.invalid/', { proxies: { https: proxy.origin } })).toEqual({
    kind,
    sent: false,
    message: message.replace('HOST', `127.0.0.1:${proxy.port}`),
  });
  expect(proxy.connections).toHaveLength(1);
});

test('requests at the same time that get no tunnel fail one by one, also when the transport is closed', async () => {
  const unhandled: unknown[] = [];
  const keep = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', keep);
  onTestFinished(() => void process.off('unhandledRejection', keep));
  let asked = 0;
  await using proxy = await tunnelServer((socket) => {
    asked += 1;
    if (asked <= 5) socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await using transport = await openTransport({ proxies: { https: proxy.origin } });
  const ended: unknown[] = [];
  const requests = Array.from({ length: 10 }, () =>
    fetchText(transport, get('https://hotel.invalid/')).catch(({ kind }) => ended.push(kind)),
  );

  await expect.poll(() => ended).toEqual(Array.from({ length: 5 }, () => 'proxy-refused'));
  await transport.close();
  await Promise.all(requests);
  await settled();

  expect({ ended: ended.length, unhandled }).toEqual({ ended: 10, unhandled: [] });
});

test('a proxy that does not respond to CONNECT: not sent', async () => {
  await using proxy = await tunnelServer(() => {});

  expect(
    await failureAt('https://hotel.invalid/', { proxies: { https: proxy.origin }, connectTimeoutMs: 100 }),
  ).toEqual({
    kind: 'proxy',
    sent: false,
    message: `the proxy 127.0.0.1:${proxy.port} could not be connected to within 0.1 s.`,
  });
  // On a busy machine the timeout may pass before the server sees the connection.
  await expect.poll(() => proxy.connections.length).toBe(1);
});

test('a proxy that does not speak HTTP: proxy-refused, and not sent', async () => {
  await using proxy = await rawServer((socket) => socket.once('data', () => socket.end('220 smtp\r\n')));

  expect(await failureAt('https://hotel.invalid/', { proxies: { https: proxy.origin } })).toEqual({
    kind: 'proxy-refused',
    sent: false,
    message: `the proxy 127.0.0.1:${proxy.port} answered with something that is not HTTP/1.1.`,
  });
});

test.each([
  ['refuses the connection', undefined],
  ['closes the connection', (socket: Socket) => socket.end()],
  ['rejects the tunnel', (socket: Socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')],
])('after a proxy that %s no timer is left', async (_, onConnect) => {
  await using proxy = await tunnelServer(onConnect ?? (() => {}));
  if (onConnect === undefined) await proxy[Symbol.asyncDispose]();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await using transport = await openTransport({
    proxies: { https: proxy.origin },
    connectTimeoutMs: 600_000,
  });

  // More tunnels than there are timers of earlier files, which may end in the meantime.
  for (let tunnel = 0; tunnel <= before; tunnel += 1)
    await failureOf(transport.request(get('https://hotel.invalid/')));

  // Each is cleared with its connection, at most a few ticks later.
  for (let turn = 0; turn < 20 && timers() > before; turn += 1) await settled();
  expect(timers()).toBeLessThanOrEqual(before);
});

import { expect, test } from 'vitest';
import { firstConnectionClosed, httpServer, rawServer, scriptedServer } from '../helpers/servers.ts';
import { failureOf, fetchText, get, openTransport } from '../helpers/wire.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

test('a request is sent unchanged, and its response is returned unchanged', async () => {
  const seen: unknown[] = [];
  await using server = await httpServer(async (request, response) => {
    const chunks = await request.toArray();
    const { host: _, ...headers } = request.headers;
    seen.push({ method: request.method, url: request.url, headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(201, { 'Set-Cookie': ['a=1', 'b=2'], 'X-Hotel': 'BER' }).end('{"id":"BER"}');
  });
  await using transport = await openTransport();

  const answer = await fetchText(
    transport,
    get(`${server.origin}/inventory/v1/properties?expand=a%2Cb`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Müller"}',
    }),
  );

  const { date: _, ...headers } = answer.headers;
  expect({ ...answer, headers }).toEqual({
    status: 201,
    headers: {
      'set-cookie': 'a=1, b=2',
      'x-hotel': 'BER',
      connection: 'keep-alive',
      'keep-alive': 'timeout=5',
      'transfer-encoding': 'chunked',
    },
    text: '{"id":"BER"}',
  });
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/inventory/v1/properties?expand=a%2Cb',
      headers: { connection: 'keep-alive', 'content-type': 'application/json', 'content-length': '18' },
      body: '{"name":"Müller"}',
    },
  ]);
});

test('a redirect is returned like any other response', async () => {
  await using server = await scriptedServer(
    'HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n',
  );
  await using transport = await openTransport();

  expect(await fetchText(transport, get(server.origin))).toEqual({
    status: 307,
    headers: { location: 'http://127.0.0.1:1/', 'content-length': '0' },
    text: '',
  });
});

test.each([
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'],
  ['102 Processing, twice', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n'],
])('an interim %s is skipped', async (_, interim) => {
  await using server = await scriptedServer(`${interim}${OK}`);
  await using transport = await openTransport();

  const answers = [
    await fetchText(transport, get(server.origin)),
    await fetchText(transport, get(server.origin)),
  ];

  expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(['200 {}', '200 {}']);
  expect(server.connections).toHaveLength(1);
});

test('interim heads that arrive byte by byte are skipped', async () => {
  await using server = await rawServer((socket) => {
    socket.setNoDelay(true);
    socket.once('data', async () => {
      for (const byte of `HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${OK}`) {
        socket.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  });
  await using transport = await openTransport();

  expect((await fetchText(transport, get(server.origin))).text).toBe('{}');
});

test.each([
  ['before the connection is open', 'unsent', 'https:', 0],
  ['while the response is awaited', 'sent', 'http:', 1],
])(
  'an abort %s rejects at once with the reason and reports the request as %s',
  async (_, _told, scheme, expected) => {
    let sent = 0;
    const onSent = () => {
      sent += 1;
    };
    const stop = new AbortController();
    const reason = new Error('Ana changed her mind');
    await using server = await rawServer((socket) => socket.once('data', () => stop.abort(reason)));
    await using transport = await openTransport();

    const request = get(`${scheme}//127.0.0.1:${server.port}/`, { signal: stop.signal, onSent });

    await expect(transport.request(request)).rejects.toBe(reason);
    expect(sent).toBe(expected);
  },
);

test('an abort during the body rejects the read with the reason and closes the connection', async () => {
  const stop = new AbortController();
  const reason = new Error('Ben changed his mind');
  await using server = await scriptedServer('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}');
  await using transport = await openTransport();
  const broken = transport.request(get(server.origin, { signal: stop.signal }));
  await expect.poll(() => server.connections[0]?.bytesWritten).toBeGreaterThan(0);

  stop.abort(reason);

  await expect(broken).rejects.toBe(reason);
  await firstConnectionClosed(server);
});

test('a request with an aborted signal is never sent', async () => {
  await using server = await httpServer((_, response) => response.end());
  await using transport = await openTransport();
  const reason = new Error('too late');

  await expect(transport.request(get(server.origin, { signal: AbortSignal.abort(reason) }))).rejects.toBe(
    reason,
  );
  expect(server.connections).toEqual([]);
});

test('close ends a connection that is still being opened', async () => {
  await using server = await rawServer(() => {});
  const transport = await openTransport();
  const broken = failureOf(transport.request(get(`https://127.0.0.1:${server.port}/`)));
  await expect.poll(() => server.connections.length).toBe(1);

  await transport.close();

  expect(await broken).toMatchObject({ kind: 'reset', sent: false });
  await firstConnectionClosed(server);
});

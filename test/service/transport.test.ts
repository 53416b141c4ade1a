import { expect, test } from 'vitest';
import { firstConnectionClosed, httpServer, rawServer } from '../helpers/servers.ts';
import { failureOf, fetchText, get, openTransport } from '../helpers/wire.ts';

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

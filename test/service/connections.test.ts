import { expect, test } from 'vitest';
import { httpServer, rawServer, scriptedServer, type TestServer } from '../helpers/servers.ts';
import { failureOf, fetchText, get, openTransport, type TestTransport } from '../helpers/wire.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

async function together(transport: TestTransport, { origin }: TestServer, number: number) {
  const requests = Array.from({ length: number }, () => fetchText(transport, get(origin)));
  return (await Promise.all(requests)).map(({ status, text }) => `${status} ${text}`);
}

test('as many connections are made as there are requests at a time, and used again', async () => {
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

test('whoever reads an answer and asks again does so over the same connection', async () => {
  await using server = await httpServer((_, response) => response.end('{}'));
  await using transport = await openTransport();
  const askTwice = async () => {
    await fetchText(transport, get(server.origin));
    await fetchText(transport, get(server.origin));
  };

  await Promise.all([askTwice(), askTwice()]);

  expect(server.connections).toHaveLength(2);
});

test.each([
  ['says that it will', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}'],
  ['does not say so', OK],
])('a service that hangs up after each answer and %s gets one connection a request', async (_, answer) => {
  await using server = await scriptedServer(answer, (socket) => socket.end());
  await using transport = await openTransport();

  for (const each of ['Ana', 'Ben', 'Ana'])
    expect([each, ...(await together(transport, server, 1))]).toEqual([each, '200 {}']);

  expect(server.connections).toHaveLength(3);
});

test('a second answer that nobody asked for is never taken for that to the next request', async () => {
  await using server = await scriptedServer(`${OK}HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nMUC`);
  await using transport = await openTransport();

  expect(await together(transport, server, 1)).toEqual(['200 {}']);
  expect(await together(transport, server, 1)).toEqual(['200 {}']);
  expect(server.connections).toHaveLength(2);
});

test('a 204 that announces a body is an answer, and its connection is not used again', async () => {
  await using server = await scriptedServer('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n');
  await using transport = await openTransport();

  expect(await together(transport, server, 1)).toEqual(['204 ']);
  expect(await together(transport, server, 1)).toEqual(['204 ']);
  expect(server.connections).toHaveLength(2);
});

test('a 204 gives its connection to the next request', async () => {
  await using server = await scriptedServer('HTTP/1.1 204 No Content\r\n\r\n');
  await using transport = await openTransport();

  for (const _ of ['Ana', 'Ben', 'Ana']) expect(await together(transport, server, 1)).toEqual(['204 ']);

  expect(server.connections).toHaveLength(1);
});

test('after an exchange that broke the next request connects anew', async () => {
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

test('after an abort in the middle of an answer the next request gets its own', async () => {
  await using server = await rawServer((socket) => {
    socket.on('data', (request) => {
      const isFirst = request.includes('/slow');
      socket.write(isFirst ? 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"id"' : OK);
    });
  });
  await using transport = await openTransport();
  const stop = new AbortController();
  const reason = new Error('Ana changed her mind');
  const { body } = await transport.request(get(`${server.origin}/slow`, { signal: stop.signal }));

  stop.abort(reason);

  await expect(body[Symbol.asyncIterator]().next()).rejects.toBe(reason);
  expect(await together(transport, server, 1)).toEqual(['200 {}']);
});

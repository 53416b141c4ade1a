import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { closedPort, rawServer } from '../helpers/servers.ts';
import { failureOf, fetchText, get, openTransport } from '../helpers/wire.ts';
import { reset } from './wire-cases.ts';
import { rows } from './wire-rows.ts';

const answering = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

test.each(Object.entries(rows))(
  'nobody listens: nothing was sent, and nothing is in doubt: %s',
  async (_, { line, stdin = '' }) => {
    const origin = `http://127.0.0.1:${await closedPort()}`;
    const env = { INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin, INNCTL_TOKEN: 'token-of-ana-12345' };

    const { exitCode, stdout, stderr } = await cli([...line, '--json'], {
      env,
      stdin,
      connect: connectUndici,
    });

    expect([exitCode, stdout, JSON.parse(stderr).error.code]).toEqual([7, '', 'connection_refused']);
  },
);

test('an answer that came before its request is not taken for one', async () => {
  const sockets: Socket[] = [];
  await using server = await rawServer((socket) => {
    sockets.push(socket);
    socket.on('data', () => socket.write(answering(sockets.length === 1 ? 'Ana' : 'Ben')));
  });
  await using transport = await openTransport();
  await fetchText(transport, get(server.origin));
  const [first] = sockets;
  const unasked = first?.write(answering('evil'));

  const { text } = await fetchText(transport, get(server.origin));

  expect([unasked, text, sockets.length]).toEqual([true, 'Ben', 2]);
});

test('a second answer in the wake of the first is not taken for that of the next request', async () => {
  let connections = 0;
  await using server = await rawServer((socket) => {
    connections += 1;
    const number = String(connections);
    socket.on('data', () => socket.write(answering(number) + answering('evil')));
  });
  await using transport = await openTransport();

  const texts: string[] = [];
  for (const _ of ['Ana', 'Ben']) texts.push((await fetchText(transport, get(server.origin))).text);

  expect(texts).toEqual(['1', '2']);
});

test('a connection that was closed behind an answer is not used for a write', async () => {
  await using server = await rawServer((socket) => {
    socket.on('data', () => socket.end(answering('{}')));
  });
  await using transport = await openTransport();
  await fetchText(transport, get(server.origin));
  const [first] = server.connections;
  if (first?.closed === false) await once(first, 'close');

  const { text } = await fetchText(transport, get(server.origin, { method: 'POST', body: '{}' }));

  expect([text, server.connections.length]).toEqual(['{}', 2]);
});

test('a refusal that comes before the body was read is heard', async () => {
  const refusal = '{"error":{"code":"too_large"}}';
  await using server = await rawServer((socket) => {
    socket.once('data', () => {
      socket.pause().write(answering(refusal).replace('200 OK', '413 Content Too Large'));
    });
  });
  await using transport = await openTransport();
  const request = get(server.origin, { method: 'POST', body: 'x'.repeat(8_000_000) });

  const { status, text } = await fetchText(transport, request);

  expect([status, text]).toEqual([413, refusal]);
});

test('a reset is not the end of a body that goes on until the connection is closed', async () => {
  await using server = await rawServer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n3', () => reset(socket)));
  });
  await using transport = await openTransport();

  expect(await failureOf(transport.request(get(server.origin)))).toMatchObject({ kind: 'cut', sent: true });
});

import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { type Reply, sandbox } from './harness.ts';
import { hotel } from './hotel.ts';

const path = '/inventory/v1/properties';
const requestId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Sends bytes as they are, and reads all that comes back. */
async function raw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.end(bytes);
  return text(socket);
}

describe('what cannot be carried out is refused as JSON, with a request id', () => {
  test.each<
    [string, string, string, Parameters<Awaited<ReturnType<typeof sandbox>>['call']>[2], number, string]
  >([
    ['an unknown path', 'GET', '/api/v2/users', {}, 404, 'unknown_path'],
    ['a slash at the end', 'GET', `${path}/`, {}, 404, 'unknown_path'],
    ['a method that is not there', 'PUT', `${path}/BER`, { body: {} }, 405, 'method_not_allowed'],
    ['a method that is nowhere', 'OPTIONS', path, {}, 405, 'method_not_allowed'],
    ['a broken percent encoding', 'GET', `${path}/%E0%A4%A`, {}, 400, 'bad_path'],
    [
      'a body of another type',
      'POST',
      path,
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    [
      'a body of no type',
      'POST',
      path,
      { body: new Uint8Array([123, 125]), headers: { 'content-type': '' } },
      415,
      'unsupported_media_type',
    ],
    ['no body', 'POST', path, { headers: { 'content-type': 'application/json' } }, 400, 'malformed_json'],
    ['malformed JSON', 'POST', path, { body: '{"code":' }, 400, 'malformed_json'],
    [
      'bytes that are not UTF-8',
      'POST',
      path,
      { body: new Uint8Array([0x22, 0xff, 0x22]) },
      400,
      'malformed_text',
    ],
    ['more than 1 MiB', 'POST', path, { body: `"${'x'.repeat(1_048_576)}"` }, 413, 'too_large'],
    ['a deep body', 'POST', path, { body: '['.repeat(400_000) + ']'.repeat(400_000) }, 400, 'too_deep'],
    [
      'a body with a prototype',
      'POST',
      path,
      { body: '{"__proto__":{"code":"HAM"}}' },
      422,
      'validation_failed',
    ],
    [
      'a name in the language constructor',
      'POST',
      path,
      { body: hotel('HAM', { name: { constructor: 'x' } }) },
      422,
      'validation_failed',
    ],
    ['a list for a body', 'POST', path, { body: [] }, 422, 'validation_failed'],
    ['null for a body', 'POST', '/api/v1/invitations', { body: 'null' }, 422, 'validation_failed'],
    [
      'a lone surrogate in a code',
      'POST',
      path,
      { body: hotel('\ud800\ud800\ud800') },
      422,
      'validation_failed',
    ],
  ])('%s', async (_, method, where, options, status, code) => {
    const { call } = await sandbox();

    const refused = await call(method, where, options);

    expect([refused.status, refused.body]).toEqual([status, { error: expect.objectContaining({ code }) }]);
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(refused.headers.get('x-request-id')).toMatch(requestId);
    expect(((await call('GET', `${path}/$count`)) satisfies Reply).body).toBe(3);
  });

  test.each([
    ['is no HTTP', 'HELLO\r\n\r\n', 400],
    ['has a huge header', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['has no host', 'GET /api/v1/roles HTTP/1.0\r\n\r\n', 400],
    ['has an impossible host', 'GET /api/v1/roles HTTP/1.1\r\nhost: a b/c\r\nconnection: close\r\n\r\n', 400],
  ])('a request that %s', async (_, bytes, status) => {
    const { call, url } = await sandbox();

    const answer = await raw(url, bytes);

    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head.toLowerCase()).toContain('x-request-id: ');
    expect(JSON.parse(body)).toEqual({ error: expect.objectContaining({ code: 'bad_request' }) });
    expect((await call('GET', '/api/v1/roles')).status).toBe(200);
  });
});

test('a method that is not there is told which ones are', async () => {
  const { call } = await sandbox();

  expect((await call('PUT', `${path}/BER`, { body: {} })).headers.get('allow')).toBe('GET, PATCH, DELETE');
  expect((await call('DELETE', `${path}/$count`)).headers.get('allow')).toBe('GET');
});

test('lone surrogates in a text are stored and come back as they were', async () => {
  const { call } = await sandbox();
  await call('POST', path, { body: hotel('HAM', { name: { en: 'a\ud800b' } }) });

  expect((await call('GET', `${path}/HAM`)).body).toMatchObject({ name: { en: 'a\ud800b' } });
});

test('a caller who goes away in the middle of a body does no harm', async () => {
  const { call, url } = await sandbox();
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{`;

  await raw(url, head);

  expect((await call('GET', `${path}/$count`)).body).toBe(3);
});

test('nobody reaches the sandbox from outside this machine', async () => {
  const { url } = await sandbox();
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);

  expect(new URL(url).hostname).toBe('127.0.0.1');
  for (const address of outside) {
    await expect(fetch(`http://${address}:${new URL(url).port}/api/v1/roles`)).rejects.toThrow(
      'fetch failed',
    );
  }
});

test('a port that is taken is named', async () => {
  const { url } = await sandbox();
  const port = Number(new URL(url).port);

  await expect(sandbox({ port })).rejects.toMatchObject({
    code: 'port_unavailable',
    message: `Could not listen on 127.0.0.1:${port}: the port is in use.`,
    exitCode: 1,
  });
});

test('closing ends, though a caller keeps its connection', async () => {
  const { call, close } = await sandbox();
  await call('GET', '/api/v1/roles');

  await close();

  await expect(call('GET', '/api/v1/roles')).rejects.toThrow('fetch failed');
});

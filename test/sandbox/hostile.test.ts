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
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{`;

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

describe('a page of the web whose name leads here', () => {
  const request = (target: string, ...heads: readonly string[]) =>
    [`GET ${target} HTTP/1.1`, ...heads, 'connection: close', '', ''].join('\r\n');

  test.each([
    ['by a name', '/api/v1/roles', ['host: evil.example']],
    ['by a name and the port', '/api/v1/roles', ['host: evil.example:80']],
    ['by a name that begins like this machine', '/api/v1/roles', ['host: 127.0.0.1.evil.example']],
    ['by a name that ends like it', '/api/v1/roles', ['host: evil.localhost']],
    ['by a name with a dot', '/api/v1/roles', ['host: localhost.']],
    ['with a user name', '/api/v1/roles', ['host: evil.example@localhost']],
    ['by another address', '/api/v1/roles', ['host: 10.0.0.1']],
    ['by all addresses', '/api/v1/roles', ['host: 0.0.0.0']],
    ['by an address that is none', '/api/v1/roles', ['host: 127.0.0.999']],
    ['by IPv6', '/api/v1/roles', ['host: [::2]']],
    ['by an impossible name', '/api/v1/roles', ['host: a b/c']],
    ['by nothing', '/api/v1/roles', ['host:']],
    ['twice', '/api/v1/roles', ['host: localhost', 'host: evil.example']],
    ['by a whole URL', 'http://evil.example/api/v1/roles', ['host: localhost']],
    ['by a whole URL in capitals', 'HTTP://EVIL.EXAMPLE/api/v1/roles', ['host: localhost']],
    ['beside a whole URL', 'http://localhost/api/v1/roles', ['host: evil.example']],
    ['at the token server', '/.well-known/openid-configuration', ['host: evil.example']],
    ['at nothing', '/nothing', ['host: evil.example']],
  ])('is refused: %s', async (_, target, heads) => {
    const { url } = await sandbox();

    const [head = '', body = ''] = (await raw(url, request(target, ...heads))).split('\r\n\r\n');

    expect(head).toMatch(/^HTTP\/1.1 (403|400) /);
    expect(head).toMatch(/x-request-id: /i);
    expect(body).not.toContain('AccountAdmin');
  });

  test.each([
    ['without a host', 'GET /api/v1/roles HTTP/1.0\r\n\r\n'],
    ['with another', request('/api/v1/roles', 'host: evil.example')],
  ])('hears why: %s', async (_, bytes) => {
    const { url } = await sandbox();

    const [head = '', body = ''] = (await raw(url, bytes)).split('\r\n\r\n');

    expect(head).toMatch(/^HTTP\/1.1 403 /);
    expect(JSON.parse(body)).toEqual({ error: expect.objectContaining({ code: 'forbidden_host' }) });
  });

  test.each([
    ['/api/v1/roles', 'localhost'],
    ['/api/v1/roles', 'LocalHost:8080'],
    ['/api/v1/roles', '127.0.0.1:1'],
    ['/api/v1/roles', '127.9.8.7'],
    ['/api/v1/roles', '[::1]:65535'],
    ['http://localhost:8080/api/v1/roles', '127.0.0.1'],
  ])('is not %s of %s', async (target, host) => {
    const { url } = await sandbox();

    expect(await raw(url, request(target, `host: ${host}`))).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a patch that grows is refused after the step that is too much, and changes nothing', () => {
  const doubling = (count: number) =>
    Array.from({ length: count }, (_, step) => ({ op: 'copy', from: '/name', path: `/name/x${step}` }));
  const deeper = Array.from({ length: 40 }, (_, step) => ({
    op: 'add',
    path: `/name${'/x'.repeat(step + 1)}`,
    value: {},
  }));
  const manyNames = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`x${index}`, 'x']));

  test.each([
    [
      '24 times doubled',
      doubling(24),
      /^makes the (patch write more than 1 MiB|property deeper than 32 levels)$/,
    ],
    [
      '400 times doubled',
      doubling(400),
      /^makes the (patch write more than 1 MiB|property deeper than 32 levels)$/,
    ],
    ['deeper and deeper', deeper, /^makes the property deeper than 32 levels$/],
    [
      'with many values, copied again and again',
      [
        { op: 'add', path: '/description', value: manyNames },
        ...Array.from({ length: 499 }, (_, step) => ({
          op: step % 2 === 0 ? 'copy' : 'move',
          from: '/description',
          path: '/description',
        })),
      ],
      /^makes the patch write more than 1 MiB$/,
    ],
    [
      'from what is not there',
      [{ op: 'copy', from: '/name/xx', path: '/name/fr' }],
      /^\/name\/xx does not exist$/,
    ],
    [
      'by moving a map into itself',
      [{ op: 'move', from: '/name', path: '/name/fr' }],
      /^lies within \/name, which is moved$/,
    ],
    [
      'with too many steps',
      Array(501).fill({ op: 'test', path: '/code', value: 'BER' }),
      /^must have at most 500 operations$/,
    ],
  ])('%s', async (_, body, reason) => {
    const { call } = await sandbox();
    const before = (await call('GET', `${path}/BER`)).body;

    const begun = performance.now();
    const refused = await call('PATCH', `${path}/BER`, { body });

    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_failed', details: [{ reason: expect.stringMatching(reason) }] } },
    });
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect((await call('GET', `${path}/BER`)).body).toEqual(before);
  });

  test.each([
    ['contract', '/api/v1/identity/users'],
    ['apaleo', '/api/v1/users'],
  ] as const)('a user of %s takes no more steps either', async (dialect, users) => {
    const { call } = await sandbox({ dialect });
    const { subject_id, subjectId = subject_id } = Object((await call('GET', '/api/v1/users/me')).body);
    const body = Array(501).fill({ op: 'replace', path: '/enabled', value: true });

    expect(await call('PATCH', `${users}/${subjectId}`, { body })).toMatchObject({ status: 422 });
  });
});

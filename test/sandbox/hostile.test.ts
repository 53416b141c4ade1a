import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { sandbox } from './harness.ts';
import { hotel } from './hotel.ts';

const path = '/inventory/v1/properties';
const requestId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const as = (type: string) => ({ 'content-type': type });

/** Sends raw bytes, and reads the whole response. */
async function raw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.end(bytes);
  return text(socket);
}

describe('an invalid request is rejected as JSON, with a request id', () => {
  interface Case {
    readonly method?: string;
    readonly at?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  }
  const surrogates = '\ud800\ud800\ud800';

  test.each<[string, Case, number, string]>([
    ['an unknown path', { method: 'GET', at: '/api/v2/users' }, 404, 'unknown_path'],
    ['a trailing slash', { method: 'GET', at: `${path}/` }, 404, 'unknown_path'],
    ['a method that the path does not have', { method: 'PUT', at: `${path}/BER` }, 405, 'method_not_allowed'],
    ['a broken percent encoding', { method: 'GET', at: `${path}/%E0%A4%A` }, 400, 'bad_path'],
    ['another content type', { body: 'x', headers: as('text/plain') }, 415, 'unsupported_media_type'],
    ['no body', { headers: as('application/json') }, 400, 'malformed_json'],
    ['malformed JSON', { body: '{"code":' }, 400, 'malformed_json'],
    ['bytes that are not UTF-8', { body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, 'malformed_text'],
    ['more than 1 MiB', { body: `"${'x'.repeat(1_048_576)}"` }, 413, 'too_large'],
    ['a deeply nested body', { body: '['.repeat(40_000) + ']'.repeat(40_000) }, 400, 'too_deep'],
    ['a body with a prototype', { body: '{"__proto__":{"code":"HAM"}}' }, 422, 'validation_failed'],
    [
      'the language constructor',
      { body: hotel('HAM', { name: { constructor: 'x' } }) },
      422,
      'validation_failed',
    ],
    ['a list as the body', { body: [] }, 422, 'validation_failed'],
    ['lone surrogates in a code', { body: hotel(surrogates) }, 422, 'validation_failed'],
  ])('%s', async (_, { method = 'POST', at = path, ...sent }, status, code) => {
    const { call } = await sandbox();

    const refused = await call(method, at, sent);

    expect([refused.status, refused.body]).toEqual([status, { error: expect.objectContaining({ code }) }]);
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(refused.headers.get('x-request-id')).toMatch(requestId);
    expect((await call('GET', `${path}/$count`)).body).toBe(3);
  });
});

test('405 lists the allowed methods in Allow', async () => {
  const { call } = await sandbox();

  expect((await call('PUT', `${path}/BER`, { body: {} })).headers.get('allow')).toBe('GET, PATCH, DELETE');
  expect((await call('DELETE', `${path}/$count`)).headers.get('allow')).toBe('GET');
});

test('a client that disconnects in the middle of a body changes nothing', async () => {
  const { call, url } = await sandbox();
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{`;

  await raw(url, head);

  expect((await call('GET', `${path}/$count`)).body).toBe(3);
});

test('the sandbox cannot be reached from outside this machine', async () => {
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

test('close ends even if a client keeps its connection open', async () => {
  const { call, close } = await sandbox();
  await call('GET', '/api/v1/roles');

  await close();

  await expect(call('GET', '/api/v1/roles')).rejects.toThrow('fetch failed');
});

describe('DNS rebinding: a request with a foreign Host', () => {
  const request = (target: string, ...heads: readonly string[]) =>
    [`GET ${target} HTTP/1.1`, ...heads, 'connection: close', '', ''].join('\r\n');

  test.each([
    ['a name', '/api/v1/roles', ['host: evil.example']],
    ['a name that begins with 127.0.0.1', '/api/v1/roles', ['host: 127.0.0.1.evil.example']],
    ['a name that ends with localhost', '/api/v1/roles', ['host: evil.localhost']],
    ['localhost with a trailing dot', '/api/v1/roles', ['host: localhost.']],
    ['a user name', '/api/v1/roles', ['host: evil.example@localhost']],
    ['the unspecified address', '/api/v1/roles', ['host: 0.0.0.0']],
    ['an invalid address', '/api/v1/roles', ['host: 127.0.0.999']],
    ['an empty Host', '/api/v1/roles', ['host:']],
    ['two Host headers', '/api/v1/roles', ['host: localhost', 'host: evil.example']],
    ['a foreign absolute URL', 'http://evil.example/api/v1/roles', ['host: localhost']],
    ['a foreign absolute URL in capitals', 'HTTP://EVIL.EXAMPLE/api/v1/roles', ['host: localhost']],
    ['a foreign Host with a local absolute URL', 'http://localhost/api/v1/roles', ['host: evil.example']],
    ['on the token server', '/connect/token', ['host: evil.example']],
  ])('is rejected: %s', async (_, target, heads) => {
    const { url } = await sandbox();

    const [head = '', body = ''] = (await raw(url, request(target, ...heads))).split('\r\n\r\n');

    expect(head).toMatch(/^HTTP\/1.1 (403|400) /);
    expect(head).toMatch(/x-request-id: /i);
    expect(body).not.toContain('AccountAdmin');
  });

  test.each([
    ['no Host', 'GET /api/v1/roles HTTP/1.0\r\n\r\n'],
    ['another Host', request('/api/v1/roles', 'host: evil.example')],
  ])('gets the error code forbidden_host: %s', async (_, bytes) => {
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
  ])('a local Host is accepted: %s with Host %s', async (target, host) => {
    const { url } = await sandbox();

    expect(await raw(url, request(target, `host: ${host}`))).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a request of a web page', () => {
  const paths = [
    '/api/v1/roles',
    '/api/v1/invitations',
    '/inventory/v1/properties/BER',
    '/connect/token',
    '/nothing',
    '/%E0%A4%A',
  ];
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const origins = [
    'https://evil.example',
    'null',
    'http://127.0.0.1',
    'http://localhost:PORT',
    'https://127.0.0.1:PORT',
  ];

  test.each(paths)('is rejected on every path, whatever its method: %s', async (path) => {
    const { url } = await sandbox();
    const { port } = new URL(url);

    for (const method of methods)
      for (const origin of origins) {
        const response = await fetch(url + path, {
          method,
          headers: { origin: origin.replace('PORT', port) },
          redirect: 'manual',
        });
        const text = await response.text();
        expect([method, origin, response.status]).toEqual([method, origin, 403]);
        if (method !== 'HEAD') expect(JSON.parse(text).error.code).toBe('forbidden_origin');
      }
  });
});

describe('a patch that exceeds a limit is rejected at once, and changes nothing', () => {
  const doubling = (count: number) =>
    Array.from({ length: count }, (_, step) => ({ op: 'copy', from: '/name', path: `/name/x${step}` }));
  const manyNames = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`x${index}`, 'x']));

  test.each([
    ['doubles 24 times', doubling(24), /^makes the patch write more than 1 MiB$/],
    [
      'copies many values repeatedly',
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
      'moves a map into itself',
      [{ op: 'move', from: '/name', path: '/name/fr' }],
      /^lies within \/name, which is moved$/,
    ],
    [
      'has too many steps',
      Array(501).fill({ op: 'test', path: '/code', value: 'BER' }),
      /^must have at most 500 operations$/,
    ],
  ])('%s', async (_, body, reason) => {
    const { call } = await sandbox();
    const before = (await call('GET', `${path}/BER`)).body;

    const startedAt = performance.now();
    const refused = await call('PATCH', `${path}/BER`, { body });

    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_failed', details: [{ reason: expect.stringMatching(reason) }] } },
    });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect((await call('GET', `${path}/BER`)).body).toEqual(before);
  });
});

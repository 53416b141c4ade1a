import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { httpServer, type TestServer } from '../helpers/servers.ts';
import { innctl, serviceEnv, token } from './asked.ts';
import { startNginx } from './nginx.ts';
import type { Started } from './started.ts';

const MUC = 'inventory/v1/properties/MUC';

/** Requests as the service receives them, behind a gateway that decodes paths before it routes. */
let seen: string[] = [];
let service: TestServer;
let nginx: Started;

beforeAll(async () => {
  service = await httpServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  nginx = await startNginx({ server: [`location / { proxy_pass ${service.origin}/; }`] });
});

beforeEach(() => {
  seen = [];
});

afterAll(async () => {
  await nginx[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const exitOf = async (words: readonly string[]) =>
  (await innctl(words, serviceEnv(`http://127.0.0.1:${nginx.port}`, { INNCTL_DIALECT: 'apaleo' }))).exitCode;

/** Path traversals from a segment to another property, in several encodings. */
const traversals = [
  `/../../../../${MUC}`,
  `%2F..%2F..%2F..%2F..%2F${MUC.replaceAll('/', '%2F')}`,
  `%252f..%252f..%252f..%252f..%252f${MUC.replaceAll('/', '%252F')}`,
  `%2F%ff/../../../../../${MUC}`,
  `\\..\\..\\..\\..\\${MUC.replaceAll('/', '\\')}`,
  `%5C..%5C..%5C..%5C..%5C${MUC}`,
  '／..／..',
  '％2F..',
  '%c0%af..',
];

test('the gateway decodes before it routes', async () => {
  const path = `/api/v1/invitations/a%40b%2F..%2F..%2F..%2F..%2F${MUC.replaceAll('/', '%2F')}`;
  const authorization = `Bearer ${token}`;

  await fetch(`http://127.0.0.1:${nginx.port}${path}`, { method: 'DELETE', headers: { authorization } });

  expect(seen).toEqual([`DELETE /${MUC}`]);
});

test.each(
  ['DELETE', 'PUT', 'GET'].flatMap((method) =>
    traversals.map((traversal) => [method, `/api/v1/invitations/a%40b${traversal}`] as const),
  ),
)('api %s %s is rejected, and nothing is sent', async (method, path) => {
  const words = ['api', method, path, '--yes', '--confirm', 'MUC'];

  expect([await exitOf(words), seen]).toEqual([2, []]);
});

test.each(traversals)('an address and an id with %s are rejected, and nothing is sent', async (traversal) => {
  const lines = [
    ['invitations', 'delete', `a@b${traversal}`, '--yes', '--no-verify'],
    ['properties', 'delete', `..${traversal}`, '--confirm', `..${traversal}`, '--no-verify'],
  ];

  expect([await Promise.all(lines.map(exitOf)), seen]).toEqual([[2, 2], []]);
});

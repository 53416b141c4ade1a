import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dialects } from '../../src/service/apaleo.ts';
import { type OperationId, operations, type PathValues } from '../../src/service/operations.ts';
import { httpServer, type TestServer } from '../helpers/servers.ts';
import { innctl, serviceEnv, token } from './asked.ts';
import { startNginx } from './nginx.ts';
import type { Started } from './started.ts';

const MUC = 'inventory/v1/properties/MUC';

/** Requests as the service receives them, behind a gateway that decodes paths before it routes. */
let seen: string[] = [];
/** The response of the service to every GET. */
let answer: unknown = {};
let service: TestServer;
let nginx: Started;
const folder = mkdtempSync(join(tmpdir(), 'innctl-paths-'));

beforeAll(async () => {
  service = await httpServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.statusCode = request.method === 'GET' ? 200 : 204;
    response.setHeader('content-type', 'application/json');
    response.end(request.method === 'GET' ? JSON.stringify(answer) : undefined);
  });
  nginx = await startNginx({ server: [`location / { proxy_pass ${service.origin}/; }`] });
});

beforeEach(() => {
  seen = [];
  answer = {};
});

afterAll(async () => {
  await nginx[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const run = (words: readonly string[], dialect: string) =>
  innctl(words, serviceEnv(`http://127.0.0.1:${nginx.port}`, { INNCTL_DIALECT: dialect }));

/** The operations with a value in their path. */
type WithPath = { [Id in OperationId]: keyof PathValues<Id> extends never ? never : Id }[OperationId];

const times = ['--default-check-in-time', '15:00', '--default-check-out-time', '11:00'];

/** A command line for each of them. Those of the dialect apaleo alone are refused with the other. */
const commands: Readonly<Record<WithPath, (value: string) => readonly string[]>> = {
  deleteInvitation: (email) => ['invitations', 'delete', email, '--yes', '--no-verify'],
  getUser: (id) => ['users', 'get', id],
  updateUser: (id) => ['users', 'update', id, '--enable', '--no-verify'],
  getProperty: (id) => ['properties', 'get', id],
  propertyExists: (id) => ['properties', 'exists', id],
  updateProperty: (id) => ['properties', 'update', id, '--name', 'en=X', '--no-verify'],
  deleteProperty: (id) => ['properties', 'delete', id, '--confirm', id, '--no-verify'],
  cloneProperty: (id) => ['properties', 'clone', id, '--code', 'HAM', ...times],
  setPropertyLive: (id) => ['properties', 'set-live', id, '--confirm', id, '--no-verify'],
  archiveProperty: (id) => ['properties', 'archive', id, '--confirm', id, '--no-verify'],
  resetProperty: (id) => ['properties', 'reset', id, '--confirm', id],
  getUnitGroup: (id) => ['unit-groups', 'get', id],
  unitGroupExists: (id) => ['unit-groups', 'exists', id],
  replaceUnitGroup: (id) => ['unit-groups', 'update', id, '--rank', '1', '--no-verify'],
  deleteUnitGroup: (id) => ['unit-groups', 'delete', id, '--confirm', id, '--no-verify'],
  getUnit: (id) => ['units', 'get', id],
  unitExists: (id) => ['units', 'exists', id],
  updateUnit: (id) => ['units', 'update', id, '--condition', 'Clean', '--no-verify'],
  deleteUnit: (id) => ['units', 'delete', id, '--confirm', id, '--no-verify'],
  archiveUnit: (id) => ['units', 'archive', id, '--confirm', id, '--no-verify'],
  getUnitAttribute: (id) => ['unit-attributes', 'get', id],
  unitAttributeExists: (id) => ['unit-attributes', 'exists', id],
  updateUnitAttribute: (id) => ['unit-attributes', 'update', id, '--description', 'Quiet', '--no-verify'],
  deleteUnitAttribute: (id) => ['unit-attributes', 'delete', id, '--confirm', id, '--no-verify'],
};

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

// The keys of the table are these ids.
const rows = (Object.keys(commands) as WithPath[]).flatMap((id) =>
  Object.values(dialects).map(({ name }) => [id, name] as const),
);

test('every operation with a value in its path is in the table', () => {
  const withPath = Object.entries(operations).flatMap(([id, { path }]) => (path.includes('{') ? [id] : []));

  expect(Object.keys(commands).toSorted()).toEqual(withPath.toSorted());
});

test('the gateway decodes before it routes', async () => {
  const path = `/api/v1/invitations/a%40b%2F..%2F..%2F..%2F..%2F${MUC.replaceAll('/', '%2F')}`;
  const authorization = `Bearer ${token}`;

  await fetch(`http://127.0.0.1:${nginx.port}${path}`, { method: 'DELETE', headers: { authorization } });

  expect(seen).toEqual([`DELETE /${MUC}`]);
});

describe.each(rows)('%s, dialect %s', (id, dialect) => {
  const command = (value: string) => commands[id](value);
  const values = [
    ...traversals.map((traversal) => `a@b${traversal}`),
    ...traversals.map((traversal) => `..${traversal}`),
    '..;x',
  ];
  const ids = [...values, '..', '.', '%2e%2e', `../../${MUC}`];

  test.each(id === 'deleteInvitation' ? values : ids)(
    '%s is rejected, and nothing is sent',
    async (value) => {
      const { exitCode, stdout } = await run(command(value), dialect);

      expect({ exitCode, stdout, seen }).toEqual({ exitCode: 2, stdout: '', seen: [] });
    },
  );
});

test.each(Object.keys(dialects))(
  'an address with special characters reaches its invitation, dialect %s',
  async (dialect) => {
    const email = 'a..b+c?d#e%f@example.com';

    const { exitCode } = await run(['invitations', 'delete', email, '--yes', '--no-verify'], dialect);

    const collection = dialect === 'apaleo' ? '/api/v1/account/invitations/' : '/api/v1/invitations/';
    expect({ exitCode, seen: seen.map(decodeURIComponent) }).toEqual({
      exitCode: 0,
      seen: [`DELETE ${collection}${email}`],
    });
  },
);

test.each(
  ['DELETE', 'PUT', 'GET'].flatMap((method) =>
    traversals.map((traversal) => [method, `/api/v1/invitations/a%40b${traversal}`] as const),
  ),
)('api %s %s is rejected, and nothing is sent', async (method, path) => {
  const words = ['api', method, path, '--yes', '--confirm', 'MUC'];

  expect({ exitCode: (await run(words, 'apaleo')).exitCode, seen }).toEqual({ exitCode: 2, seen: [] });
});

describe('values from lists are used in a path only if they are ids', () => {
  const bad = `../../${MUC}`;
  const hostile = {
    count: 1,
    items: [
      {
        id: bad,
        code: 'HAM',
        subject_id: bad,
        subjectId: bad,
        email: 'ana@example.com',
        name: { en: 'Harbour' },
        enabled: true,
      },
    ],
  };
  const manifest = join(folder, 'seed.yaml');
  writeFileSync(manifest, 'users: [{ email: ana@example.com, enabled: false, properties: [HAM] }]\n');
  const collections =
    /^GET \/(api\/v1\/(account\/)?invitations|api\/v1\/users(\/me)?|api\/v1\/roles|inventory\/v1\/(properties|types\/countries))(\?.*)?$/;

  test.each(
    Object.keys(dialects).flatMap((dialect) =>
      [
        ['users', 'get', 'ana@example.com'],
        ['users', 'update', 'ana@example.com', '--disable', '--confirm', 'ana@example.com'],
        ['api', 'PATCH', '/api/v1/users/ana@example.com'],
        ['export'],
        ['plan', manifest],
        ['apply', manifest, '--yes'],
      ].map((words) => [dialect, words] as const),
    ),
  )('%s: %j', async (dialect, words) => {
    answer = hostile;
    const origin = `http://127.0.0.1:${nginx.port}`;
    const env = serviceEnv(origin, { INNCTL_DIALECT: dialect, INNCTL_PROTECT: 'VIE' });

    await innctl(words, env);

    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((request) => !collections.test(request))).toEqual([]);
  });
});

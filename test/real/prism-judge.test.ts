import { afterAll, beforeAll, expect, test } from 'vitest';
import { httpServer, type TestServer } from '../helpers/servers.ts';
import { type Prism, startProxy } from './prism.ts';
import { openDescriptions } from './prism-documents.ts';

/** The response of the service behind Prism, valid or not. */
interface Given {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly type?: string;
}

let given: Given;
let service: TestServer;
let prism: Prism;

beforeAll(async () => {
  service = await httpServer((request, response) => {
    request.resume();
    const { status, body, type = 'application/json' } = given;
    response.writeHead(status, body === undefined ? {} : { 'content-type': type });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  prism = await startProxy({ url: service.origin, token: 'token-of-ana-1234567890' });
}, 400_000);

afterAll(async () => {
  await prism[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const roles: Given = { status: 200, body: { roles: ['Housekeeping'] } };

/** Runs a command. @returns the violations of its first request and response, one per line. */
async function violationsOf(line: string, answer: Given) {
  given = answer;
  const before = prism.judged.length;
  const { stderr } = await prism.innctl(line);
  const first = prism.judged[before];
  if (first === undefined) throw new Error(`nothing was sent: ${stderr}`);
  return first.violations.join('\n');
}

test('a valid request and response pass', async () => {
  expect(await violationsOf('roles list', roles)).toBe('');
});

test.each([
  ['an unknown path', 'GET /api/v1/role', 'no path matched'],
  ['an unknown parameter', 'GET /api/v1/users?page_size=1', 'there is no parameter page_size'],
  ['an invalid enum value', 'GET /inventory/v1/properties?status=Open', 'Test, Live'],
  ['a missing field in the body', 'POST /api/v1/account/invitations -f role=Auditor', "property 'email'"],
  ['an unknown field', 'POST /api/v1/account/invitations -f email=a@b.eu -f is_admin=1', 'is_admin'],
])('a request with %s is reported', async (_, request, violation) => {
  expect(await violationsOf(`api ${request}`, roles)).toContain(violation);
});

test.each([
  ['{ "op": "replace", "path": "/timeZone", "value": "Europe/Vienna" }', ['replace /timeZone']],
  ['{ "op": "remove", "path": "/name" }', ['remove /name']],
  ['{ "op": "replace", "path": "/company_name", "value": "GmbH" }', ['replace /company_name']],
  ['{ "op": "remove", "path": "/bankAccount" }', []],
  ['{ "op": "replace", "path": "/location/city", "value": "Potsdam" }', []],
])(
  'a patch with %s: the operations that the description does not allow are reported: %j',
  async (step, found) => {
    given = { status: 204 };
    const before = prism.judged.length;

    await prism.innctl('api PATCH /inventory/v1/properties/BER --input -', { stdin: `[${step}]` });

    expect(prism.judged[before]?.violations).toEqual(
      found.map((each) => `request.body: nothing lets ${each}`),
    );
  },
);

const mia = {
  email: 'mia@example.com',
  isAccountAdmin: false,
  invitedBy: 'ana@example.com',
  created: '2026-04-21T12:00:00Z',
};

test.each([
  ['an unknown field', { body: { invitations: [{ ...mia, expires: 1 }] } }, 'expires'],
  [
    'a value of another type',
    { body: { invitations: [{ ...mia, isAccountAdmin: 'no' }] } },
    'must be boolean',
  ],
  ['a list under another name', { body: { items: [] } }, "'invitations'"],
  ['an undocumented status', { status: 418 }, 'Unable to match'],
  ['another content type', { body: { invitations: [mia] }, type: 'text/plain' }, 'media type "text/plain"'],
])('a response with %s is reported', async (_, answer, violation) => {
  expect(await violationsOf('invitations list', { status: 200, ...answer })).toContain(violation);
});

test('a missing description is reported with its path', () => {
  expect(() => openDescriptions('/nowhere')).toThrow(
    "The public service's own description is looked for at /nowhere/identity-v1.swagger.json and cannot be read.",
  );
});

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
async function violationsOf(line: string, answer: Given, env: Readonly<Record<string, string>> = {}) {
  given = answer;
  const before = prism.judged.length;
  const { stderr } = await prism.innctl(line, { env });
  const first = prism.judged[before];
  if (first === undefined) throw new Error(`nothing was sent: ${stderr}`);
  return first.violations.join('\n');
}

test('a valid request and response pass', async () => {
  expect(await violationsOf('roles list', roles)).toBe('');
});

test.each([
  ['an unknown path', 'GET /api/v1/role', 'no path matched'],
  ['an unknown method', 'DELETE /api/v1/roles --confirm roles', 'no method matched'],
  ['an unknown parameter', 'GET /api/v1/users?page_size=1', 'there is no parameter page_size'],
  ['a parameter in another case', 'GET /api/v1/users?pagesize=1', 'there is no parameter pagesize'],
  ['an invalid number', 'GET /api/v1/users?pageSize=many', 'must be integer'],
  ['an invalid enum value', 'GET /inventory/v1/properties?status=Open', 'Test, Live'],
  ['no body', 'POST /inventory/v1/properties', 'Body parameter is required'],
  ['a missing field in the body', 'POST /api/v1/account/invitations -f role=Auditor', "property 'email'"],
  [
    'an enum value of another field',
    'POST /api/v1/account/invitations -f email=a@b.eu -f role=FrontDesk',
    'allowed values',
  ],
  ['an unknown field', 'POST /api/v1/account/invitations -f email=a@b.eu -f is_admin=1', 'is_admin'],
  ['a patch that is not a list', 'PATCH /inventory/v1/properties/BER -f op=add', 'must be array'],
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

test.each([
  ['the path of invitations', 'invitations list', 'no path matched'],
  ['the parameters of pages', 'properties list', 'there is no parameter page_size'],
  [
    'the fields of a creation',
    'api POST /inventory/v1/properties -f code=BER -f company_name=GmbH',
    "'company_name'",
  ],
])('a request with %s of the other dialect is reported', async (_, line, violation) => {
  const env = { INNCTL_DIALECT: 'contract' };

  expect(await violationsOf(line, roles, env)).toContain(violation);
});

const mia = {
  email: 'mia@example.com',
  isAccountAdmin: false,
  invitedBy: 'ana@example.com',
  created: '2026-04-21T12:00:00Z',
};
const { created: _, ...withoutDate } = mia;

test.each([
  ['an unknown field', { ...mia, expires: 1 }, 'expires'],
  ['a snake_case name', { ...mia, is_account_admin: false }, 'is_account_admin'],
  ['a missing field', withoutDate, "required property 'created'"],
  ['a value of another type', { ...mia, isAccountAdmin: 'no' }, 'must be boolean'],
  ['an invalid enum value', { ...mia, role: 'FrontDesk' }, 'allowed values'],
  ['an invalid date', { ...mia, created: 'yesterday' }, 'date-time'],
])('a response with %s is reported', async (_name, invitation, violation) => {
  const right = { status: 200, body: { invitations: [mia] } };
  const wrong = { status: 200, body: { invitations: [invitation] } };

  expect(await violationsOf('invitations list', right)).toBe('');
  expect(await violationsOf('invitations list', wrong)).toMatch(/^response\.body/);
  expect(await violationsOf('invitations list', wrong)).toContain(violation);
});

test.each([
  ['a list under another name', 'roles list', { status: 200, body: { items: [] } }, "'roles'"],
  ['an undocumented status', 'roles list', { status: 418 }, 'Unable to match'],
  ['an undocumented success status', 'roles list', { status: 202, body: { roles: [] } }, 'Unable to match'],
  ['a missing body', 'roles list', { status: 200 }, 'media type'],
  ['another content type', 'roles list', { ...roles, type: 'text/plain' }, 'media type "text/plain"'],
  [
    'a map of languages in a list',
    'properties list',
    { status: 200, body: listOf({ name: { en: 'Grand' } }) },
    'name',
  ],
  ['an error body of another shape', 'users me', { status: 422, body: { error: { code: 'no' } } }, "'error'"],
])('a response with %s is reported', async (_name, line, answer, violation) => {
  expect(await violationsOf(line, answer)).toContain(violation);
});

test('a missing description is reported with its path', () => {
  expect(() => openDescriptions('/nowhere')).toThrow(
    "The public service's own description is looked for at /nowhere/identity-v1.swagger.json and cannot be read.",
  );
});

/** A list of one property that is valid except for these fields. */
function listOf(fields: object): object {
  const property = {
    ...{
      id: 'BER',
      code: 'BER',
      name: 'Grand',
      companyName: 'GmbH',
      commercialRegisterEntry: 'HRB',
      taxId: 'DE1',
    },
    location: { addressLine1: 'Kai', postalCode: '1', city: 'Berlin', countryCode: 'DE' },
    ...{ paymentTerms: {}, timeZone: 'Europe/Berlin', currencyCode: 'EUR', created: mia.created },
    ...{ status: 'Test', isArchived: false, isTemplate: false },
  };
  return { count: 1, properties: [{ ...property, ...fields }] };
}

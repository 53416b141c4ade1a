import { afterAll, beforeAll, expect, test } from 'vitest';
import { httpServer, type TestServer } from '../helpers/servers.ts';
import { type Prism, startProxy } from './prism.ts';
import { openDescriptions } from './prism-documents.ts';

/** What the service behind Prism answers, right or wrong. */
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

/** Runs a command. @returns what is wrong with its first request and the answer to it, a line for each. */
async function violationsOf(line: string, answer: Given, env: Readonly<Record<string, string>> = {}) {
  given = answer;
  const before = prism.judged.length;
  const { stderr } = await prism.innctl(line, { env });
  const first = prism.judged[before];
  if (first === undefined) throw new Error(`nothing was sent: ${stderr}`);
  return first.violations.join('\n');
}

test('what is right passes', async () => {
  expect(await violationsOf('roles list', roles)).toBe('');
});

test.each([
  ['a path that there is not', 'GET /api/v1/role', 'no path matched'],
  ['a method that there is not', 'DELETE /api/v1/roles --confirm roles', 'no method matched'],
  ['a parameter that there is not', 'GET /api/v1/users?page_size=1', 'there is no parameter page_size'],
  ['a parameter in other letters', 'GET /api/v1/users?pagesize=1', 'there is no parameter pagesize'],
  ['a number that is none', 'GET /api/v1/users?pageSize=many', 'must be integer'],
  ['a value that is not offered', 'GET /inventory/v1/properties?status=Open', 'Test, Live'],
  ['no body', 'POST /inventory/v1/properties', 'Body parameter is required'],
  ['a body that lacks a field', 'POST /api/v1/account/invitations -f role=Auditor', "property 'email'"],
  [
    'a value of another list',
    'POST /api/v1/account/invitations -f email=a@b.eu -f role=FrontDesk',
    'allowed values',
  ],
  ['a field that there is not', 'POST /api/v1/account/invitations -f email=a@b.eu -f is_admin=1', 'is_admin'],
  ['a patch that is not a list', 'PATCH /inventory/v1/properties/BER -f op=add', 'must be array'],
])('a request with %s is told', async (_, request, violation) => {
  expect(await violationsOf(`api ${request}`, roles)).toContain(violation);
});

test.each([
  [
    'properties/BER',
    '{ "op": "replace", "path": "/timeZone", "value": "Europe/Vienna" }',
    'replace /timeZone',
  ],
  ['properties/BER', '{ "op": "remove", "path": "/name" }', 'remove /name'],
  [
    'properties/BER',
    '{ "op": "replace", "path": "/company_name", "value": "GmbH" }',
    'replace /company_name',
  ],
])('a step at %s that the service does not let is told where it is taken', async (place, step, violation) => {
  given = { status: 204 };

  const before = prism.judged.length;
  await prism.innctl(`api PATCH /inventory/v1/${place} --input -`, { stdin: `[${step}]` });

  expect(prism.judged[before]?.violations).toEqual([`request.body: nothing lets ${violation}`]);
});

test.each([
  ['properties/BER', '{ "op": "remove", "path": "/bankAccount" }'],
  ['properties/BER', '{ "op": "replace", "path": "/location/city", "value": "Potsdam" }'],
])('a step at %s that the service lets is none of that: %s', async (place, step) => {
  given = { status: 204 };

  const before = prism.judged.length;
  await prism.innctl(`api PATCH /inventory/v1/${place} --input -`, { stdin: `[${step}]` });

  expect(prism.judged[before]?.violations).toEqual([]);
});

test.each([
  ['lists invitations', 'invitations list', 'no path matched'],
  ['pages', 'properties list', 'there is no parameter page_size'],
  ['creates', 'api POST /inventory/v1/properties -f code=BER -f company_name=GmbH', "'company_name'"],
])('a program that %s as the contract has it is told', async (_, line, violation) => {
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
  ['a field that there is not', { ...mia, expires: 1 }, 'expires'],
  ['a name of the contract', { ...mia, is_account_admin: false }, 'is_account_admin'],
  ['a field missing', withoutDate, "required property 'created'"],
  ['a value of another type', { ...mia, isAccountAdmin: 'no' }, 'must be boolean'],
  ['a value that is not offered', { ...mia, role: 'FrontDesk' }, 'allowed values'],
  ['a date that is none', { ...mia, created: 'yesterday' }, 'date-time'],
])('an answer with %s is told', async (_name, invitation, violation) => {
  const right = { status: 200, body: { invitations: [mia] } };
  const wrong = { status: 200, body: { invitations: [invitation] } };

  expect(await violationsOf('invitations list', right)).toBe('');
  expect(await violationsOf('invitations list', wrong)).toMatch(/^response\.body/);
  expect(await violationsOf('invitations list', wrong)).toContain(violation);
});

test.each([
  ['a list under another name', 'roles list', { status: 200, body: { items: [] } }, "'roles'"],
  ['a status that is not described', 'roles list', { status: 418 }, 'Unable to match'],
  ['another success', 'roles list', { status: 202, body: { roles: [] } }, 'Unable to match'],
  ['no body where there is one', 'roles list', { status: 200 }, 'media type'],
  ['another type of body', 'roles list', { ...roles, type: 'text/plain' }, 'media type "text/plain"'],
  [
    'a map of languages in a list',
    'properties list',
    { status: 200, body: listOf({ name: { en: 'Grand' } }) },
    'name',
  ],
  ['a refusal in other words', 'users me', { status: 422, body: { error: { code: 'no' } } }, "'error'"],
])('an answer with %s is told', async (_name, line, answer, violation) => {
  expect(await violationsOf(line, answer)).toContain(violation);
});

test('descriptions that are not there are told by their place', () => {
  expect(() => openDescriptions('/nowhere')).toThrow(
    "The public service's own description is looked for at /nowhere/identity-v1.swagger.json and cannot be read.",
  );
});

/** One property that is right but for these fields. */
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

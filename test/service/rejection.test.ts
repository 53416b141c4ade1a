import { expect, test } from 'vitest';
import { isInProgress, readRejection, rejectionError } from '../../src/service/refusal.ts';

const TOKEN = 'token-of-ana-1234567890';

const read = (status: number, body: string, headers: Record<string, string> = {}) =>
  readRejection({ status, headers, bytes: Buffer.from(body) }, (text) =>
    text.replaceAll(TOKEN, '[redacted]'),
  );

const URL_OF_LIST = 'https://api.example.com/inventory/v1/properties';

// test/commands/error-bodies.test.ts has the others.
test.each<[string, string, string]>([
  ['messages in objects', '{"messages":[{"code":"X","message":"Name is missing"}]}', 'Name is missing'],
  ['a list under error', '{"error":[1],"message":"Code is taken"}', 'Code is taken'],
  ['wrong types', '{"messages":[1,null],"error":{"message":{}}}', 'the answer gives no reason'],
])('the reason of an error body with %s is one sentence', (_, body, reason) => {
  expect(rejectionError(read(422, body), 'create the property', URL_OF_LIST).message).toBe(
    `Could not create the property: ${reason} (422 from api.example.com).`,
  );
});

test('a 404 without a reason is explained', () => {
  expect(rejectionError(read(404, ''), 'get the property', `${URL_OF_LIST}/BER`).message).toBe(
    'Could not get the property: nothing was found there (404 from api.example.com).',
  );
});

test.each([
  [400, 1],
  [401, 4],
  [403, 5],
  [404, 3],
  [409, 6],
  [412, 6],
  [415, 6],
  [422, 6],
  [418, 1],
  [429, 7],
  [500, 1],
  [502, 7],
  [503, 7],
  [504, 7],
])('status %i maps to exit code %i', (status, exitCode) => {
  expect(rejectionError(read(status, ''), 'list the properties', URL_OF_LIST).exitCode).toBe(exitCode);
});

test.each<['GET' | 'HEAD', string, boolean]>([
  ['HEAD', 'text/html; charset=utf-8', true],
  ['HEAD', ' TEXT/HTML', true],
  ['HEAD', 'application/xhtml+xml', true],
  ['HEAD', 'application/xml', true],
  ['HEAD', 'application/json', false],
  ['HEAD', 'text/plain; note=text/html', false],
  ['HEAD', 'application/vnd.html-list+json', false],
  ['HEAD', '', false],
  ['GET', 'text/html', false],
])('a %s response without a body, of type %j, is an HTML page: %s', (method, type, isPage) => {
  const headers = type === '' ? {} : { 'content-type': type };

  expect(readRejection({ status: 404, headers, bytes: Buffer.of() }, (text) => text, method).isPage).toBe(
    isPage,
  );
});

test.each([
  [400, 'html_answer', 1],
  [404, 'html_answer', 3],
  [410, 'html_answer', 3],
  [403, 'html_answer', 5],
  [422, 'html_answer', 6],
  [302, 'redirected', 1],
  [401, 'not_logged_in', 4],
  [429, 'rate_limited', 7],
  [503, 'unavailable', 7],
])('an HTML page with status %i is reported as %s', (status, code, exitCode) => {
  const page = '\ufeff\n<!doctype html><title>No such page</title>';

  expect(rejectionError(read(status, page), 'get the property', URL_OF_LIST)).toMatchObject({
    code,
    exitCode,
    status,
  });
});

test('a 404 with an HTML page does not mean a missing record, whatever its type', () => {
  const headers = { 'content-type': 'text/plain' };

  expect(
    rejectionError(read(404, '<html>No</html>', headers), 'get the property', URL_OF_LIST),
  ).toMatchObject({
    message: 'Could not get the property: a page came instead of an answer (404 from api.example.com).',
    hint: 'Check the URL, and whether a proxy or a login page is in between.',
  });
});

test('a 304 is not reported as a redirect', () => {
  expect(rejectionError(read(304, ''), 'list the properties', URL_OF_LIST)).toMatchObject({
    code: 'malformed_answer',
    exitCode: 1,
    message:
      'Could not list the properties: https://api.example.com answered 304 (not modified) to a request without a condition.',
  });
});

test('a redirect names both origins and is not followed', () => {
  const headers = { location: 'https://evil.example.net/login?next=1' };

  expect(rejectionError(read(302, '', headers), 'list the properties', URL_OF_LIST).message).toBe(
    'Could not list the properties: https://api.example.com redirects to https://evil.example.net (302), and redirects are not followed.',
  );
});

test.each([
  ['apaleo-tracking-id', 'T1'],
  ['x-request-id', 'R1'],
  ['x-correlation-id', 'C1'],
  ['traceparent', '00-4bf9-01'],
])('the header %s is kept as the request id', (name, value) => {
  expect(rejectionError(read(500, '', { [name]: value }), 'list the roles', URL_OF_LIST).requestId).toBe(
    value,
  );
});

test.each([
  [409, '{"error":{"code":"idempotency_in_progress"}}', {}, true],
  [409, '{"messages":["A request with this key is being processed"]}', {}, true],
  [409, '', { 'retry-after': '1' }, true],
  [409, '{"messages":["The code BER exists already"]}', {}, false],
  [422, '{"messages":["in progress"]}', {}, false],
])('%i %s %o: the first attempt is still in progress: %s', (status, body, headers, expected) => {
  expect(isInProgress(read(status, body, headers as Record<string, string>))).toBe(expected);
});

test.each<[string, (text: string) => string]>([
  ['a message', (text) => JSON.stringify({ messages: [text] })],
  ['plain text', (text) => text],
])('a token in %s is redacted before it is truncated', (_, body) => {
  const headers = { 'content-type': 'text/plain' };
  const long = `${'B'.repeat(995)}${TOKEN}`;

  expect(read(401, body(`The token ${TOKEN} has expired`), headers).refusal.messages).toEqual([
    'The token [redacted] has expired',
  ]);
  expect(read(401, body(long), headers).refusal.messages).toEqual([`${'B'.repeat(995)}[reda…`]);
});

test('a token in details is redacted before they are truncated', () => {
  const field = `${'B'.repeat(95)}${TOKEN}`;
  const reason = `${'V'.repeat(995)}${TOKEN}`;
  const expected = [{ field: `${'B'.repeat(95)}[reda…`, reason: `${'V'.repeat(995)}[reda…` }];

  expect(read(422, JSON.stringify({ errors: { [field]: [reason] } })).refusal.details).toEqual(expected);
  expect(read(422, JSON.stringify({ errors: [{ field, reason }] })).refusal.details).toEqual(expected);
});

test('an overlong code or request id is omitted, not truncated', () => {
  const error = read(500, JSON.stringify({ error: { code: 'B'.repeat(101), message: 'No' } }), {
    'x-request-id': 'R'.repeat(201),
  });

  expect(error.refusal.code).toBeUndefined();
  expect(rejectionError(error, 'list the roles', URL_OF_LIST).requestId).toBeUndefined();
});

test.each([
  ['fields', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, 'is missing']))],
  ['reasons of one field', { code: Array.from({ length: 5_000 }, () => 'is missing') }],
  ['entries', Array.from({ length: 5_000 }, (_, index) => ({ field: `f${index}`, reason: 'is missing' }))],
])('of 5,000 %s in an error body 20 become details', (_, errors) => {
  expect(read(422, JSON.stringify({ errors })).refusal.details).toHaveLength(20);
});

import { expect, test } from 'vitest';
import { isInProgress, readRejection, rejectionError } from '../../src/http/rejection.ts';

const read = (status: number, body: string, headers: Record<string, string> = {}) =>
  readRejection(status, headers, Buffer.from(body));

const URL_OF_LIST = 'https://api.example.com/inventory/v1/properties';

test.each<[string, string, string]>([
  ['messages', '{"messages":["Name is missing","Code is taken"]}', 'Name is missing; Code is taken'],
  ['an error object', '{"error":{"code":"taken","message":"Code is taken"}}', 'Code is taken'],
  ['type and message', '{"type":"conflict","message":"Code is taken."}', 'Code is taken'],
  ['problem details', '{"title":"Conflict","detail":"Code BER is taken"}', 'Code BER is taken'],
  ['OAuth', '{"error":"invalid_scope","error_description":"No such scope"}', 'No such scope'],
  ['an empty body', '', 'the answer gives no reason'],
  ['an HTML page', '<html>502</html>', 'the answer gives no reason'],
  ['null', 'null', 'the answer gives no reason'],
  ['wrong types', '{"messages":[1,null],"error":{"message":{}}}', 'the answer gives no reason'],
])('an error body with %s becomes one sentence', (_, body, reason) => {
  expect(rejectionError(read(422, body), 'create the property', URL_OF_LIST).message).toBe(
    `Could not create the property: ${reason} (422 from api.example.com).`,
  );
});

test.each([
  [400, 6],
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
])('status %i ends the run with exit code %i', (status, exitCode) => {
  expect(rejectionError(read(status, ''), 'list the properties', URL_OF_LIST).exitCode).toBe(exitCode);
});

test('fields that the service names become details', () => {
  const body = '{"error":{"details":[{"field":"time_zone","reason":"unknown"}]},"errors":{"Code":["taken"]}}';

  expect(readRejection(422, {}, Buffer.from(body)).refusal.details).toEqual([
    { field: 'time_zone', reason: 'unknown' },
  ]);
  expect(readRejection(422, {}, Buffer.from('{"errors":{"Code":["taken"]}}')).refusal.details).toEqual([
    { field: 'Code', reason: 'taken' },
  ]);
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
])('%i %s %o: the first try is still in progress is %s', (status, body, headers, expected) => {
  expect(isInProgress(read(status, body, headers as Record<string, string>))).toBe(expected);
});

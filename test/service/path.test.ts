import { expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { fillPath } from '../../src/model/text.ts';

const property = '/inventory/v1/properties/{id}';
const invitation = '/api/v1/invitations/{email}';

test.each([
  ['BER', '/inventory/v1/properties/BER'],
  ['münchen', '/inventory/v1/properties/m%C3%BCnchen'],
  ['a:b', '/inventory/v1/properties/a%3Ab'],
])('the id %s is one encoded segment', (id, path) => {
  expect(fillPath(property, { id })).toBe(path);
});

test.each([
  ['', 'must not be empty'],
  [' ', 'must not be empty'],
  ['.', '"." is not an id'],
  ['..', '".." is not an id'],
  ['$count', '"$count" is not an id'],
  ['a/b', '"a/b" has characters that no id has'],
  ['a\\b', '"a\\\\b" has characters that no id has'],
  ['a?b', '"a?b" has characters that no id has'],
  ['a#b', '"a#b" has characters that no id has'],
  ['a%2fb', '"a%2fb" has characters that no id has'],
  ['a b', '"a b" has characters that no id has'],
  ['a\u0007', '"a\\u0007" has characters that no id has'],
  ['a\u202eb', '"a\u202eb" has characters that no id has'],
  ['..;x', '"..;x" has characters that no id has'],
  ['．．', '"．．" has characters that no id has'],
  ['\ud800', '"\\ud800" has characters that no id has'],
  ['x'.repeat(257), 'is longer than 256 characters'],
])('the id %j is rejected', (id, reason) => {
  expect(() => fillPath(property, { id })).toThrow(
    expect.objectContaining({ exitCode: 2, details: [{ field: 'id', reason }] }) as CliError,
  );
});

test('an e-mail may contain characters that are special in a path', () => {
  expect(fillPath(invitation, { email: 'a..b?c#d%e+f@example.com' })).toBe(
    '/api/v1/invitations/a..b%3Fc%23d%25e%2Bf%40example.com',
  );
});

test.each(['ana', 'ana@exa mple.com', 'ana@example.com\n', `${'x'.repeat(250)}@a.de`])(
  'the e-mail %j is rejected',
  (email) => {
    expect(() => fillPath(invitation, { email })).toThrow(CliError);
  },
);

import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseGiven } from '../../src/config/resolve.ts';
import { type Setting, type SettingKey, settings, settingTable } from '../../src/config/settings.ts';

const rules = { insecureHttp: false };
const parse = (key: SettingKey, given: unknown) =>
  parseGiven<unknown>(settingTable[key] as Setting, given, rules);

test('every setting has a variable of its own, and every default is valid', () => {
  expect(settings.map(({ env }) => env)).toEqual(settings.map(({ key }) => `INNCTL_${key.toUpperCase()}`));
  for (const setting of settings.filter(({ fallback }) => fallback !== undefined)) {
    expect(parseGiven(setting, setting.fallback, rules)).toEqual({ value: expect.anything() });
  }
});

describe('valid values', () => {
  test.each<[SettingKey, unknown, unknown]>([
    ['profile', 'hotel-7_a', 'hotel-7_a'],
    ['timeout', '0.5', 0.5],
    ['timeout', '86400', 86_400],
    ['max_body', '0.25', 0.25],
    ['insecure_http', true, true],
    ['insecure_http', 'no', false],
    ['ca_file', 'roots.pem', resolve('roots.pem')],
    ['ca_file', '/etc/\u2600\ufe0f.pem', '/etc/\u2600\ufe0f.pem'],
    ['idempotency_header', 'X-Request-Key', 'X-Request-Key'],
    ['idempotency_header', 'idempotency-key', 'idempotency-key'],
    ['idempotency_header', 'X-Create-Hotel-2-Key', 'X-Create-Hotel-2-Key'],
    [
      'scope',
      'properties.create identity:account-users.read',
      'properties.create identity:account-users.read',
    ],
    ['token', 'abc.def-1234\n', 'abc.def-1234'],
    ['expect_account', ' Ana@aurora.example ', 'Ana@aurora.example'],
    ['token', 'x'.repeat(8_192), 'x'.repeat(8_192)],
    ['client_secret', 'with a blank\r\n', 'with a blank'],
  ])('%s: %j', (key, given, value) => {
    expect(parse(key, given)).toEqual({ value });
  });
});

describe('invalid values', () => {
  const noProfile = 'is not the name of a profile: 1 to 64 of a-z 0-9 _ -, the first one of a-z 0-9';
  const noToken = 'is not a token: 1 to 8,192 visible ASCII characters without blanks';
  const noSecret = 'is not a client secret: 1 to 8,192 printable ASCII characters';

  test.each<[SettingKey, unknown, string]>([
    ['profile', 'Chain', `"Chain" ${noProfile}`],
    ['profile', 'constructor', `"constructor" ${noProfile}`],
    ['dialect', 'opera', '"opera" is not one of contract, apaleo'],
    ['auth', 'tokn', '"tokn" is not one of token, client-credentials, user; did you mean token?'],
    ['timeout', '0', '"0" is not a number of seconds above 0 and up to 86400'],
    ['timeout', '1e3', '"1e3" is not a number of seconds above 0 and up to 86400'],
    ['timeout', ['30'], 'must be a text, a number, true or false'],
    ['max_attempts', '21', '"21" is not a whole number from 1 to 20'],
    ['max_attempts', '2.5', '"2.5" is not a whole number from 1 to 20'],
    ['insecure_http', 'maybe', '"maybe" is not true or false'],
    ['ca_file', '', 'must not be empty'],
    ...[
      ...['Authorization', 'keep-alive', 'Key', 'Host', 'two words', 'X-', 'X--Key', ''],
      ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X-HTTP-Method-Key', 'X-Host-Key'],
      ...['X-Original-URL', 'X-Rewrite-URL', 'X-Original-URL-Key', 'X-Forwarded-Host', 'X-Forwarded-For-Key'],
      ...['Content-Type', 'Content-Encoding', 'X-Api-Key', 'X-Auth-Key', 'Idempotency-Key\r\nHost: x'],
    ].map((name): [SettingKey, unknown, string] => [
      'idempotency_header',
      name,
      `${JSON.stringify(name)} is not a header for a key: Idempotency-Key, or X-...-Key, such as X-Request-Key`,
    ]),
    ['scope', 'a  b', '"a  b" is not a list of scopes with one blank between them'],
    ['expect_account', '', 'must not be empty'],
    ['expect_account', 'AURO\u200bRA', 'has control or invisible characters'],
    ['expect_account', 'x'.repeat(321), 'is longer than 320 characters'],
    ['token', 'ana ben', `${noToken} (got 7 characters)`],
    ['token', 'x\n\n', `${noToken} (got 2 characters)`],
    ['client_secret', 'a\u0000b', `${noSecret} (got 3 characters)`],
  ])('%s: %j', (key, given, reason) => {
    expect(parse(key, given)).toEqual({ reason });
  });
});

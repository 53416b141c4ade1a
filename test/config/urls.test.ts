import { expect, test } from 'vitest';
import { parseServiceUrl } from '../../src/config/urls.ts';

const strict = { insecureHttp: false };

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['https://api.example.com/hotels/v2//', 'https://api.example.com/hotels/v2'],
  ['HTTPS://API.Example.com:8443/Path', 'https://api.example.com:8443/Path'],
  ['https://api.example.com/a@b', 'https://api.example.com/a@b'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://127.8.9.10', 'http://127.8.9.10'],
  ['http://[::1]:8080/x', 'http://[::1]:8080/x'],
  ['http://localhost:8080', 'http://localhost:8080'],
])('%s is accepted', (text, value) => {
  expect(parseServiceUrl(text, strict)).toEqual({ value });
});

test.each([
  ['http://api.example.com', 'http to api.example.com would send credentials unencrypted'],
  ['http://10.0.0.1', 'http to 10.0.0.1 would send'],
  ['http://128.0.0.1', 'http to 128.0.0.1 would send'],
  ['http://localhost.example.com', 'http to localhost.example.com would send'],
  ['http://127.0.0.1.example.com', 'http to 127.0.0.1.example.com would send'],
  ['http://[::2]', 'http to [::2] would send'],
  ['https://ana:secret@api.example.com', 'has a user name or password'],
  ['https://ana@api.example.com', 'has a user name or password'],
  ['https://@api.example.com', 'has a user name or password'],
  ['https://api.example.com?a=b', 'has a query'],
  ['https://api.example.com/?', 'has a query'],
  ['https://api.example.com/#top', 'has a fragment'],
  ['ftp://api.example.com', '"ftp://api.example.com" is not a URL of the form https://host/path'],
  ['api.example.com', '"api.example.com" is not a URL'],
  ['https:api.example.com', '"https:api.example.com" is not a URL'],
  ['https:///api', '"https:///api" is not a URL'],
  ['https://api.example.com:99999', 'is not a URL of the form'],
  ['', '"" is not a URL'],
  [' https://api.example.com', 'it has blanks, control characters or backslashes'],
  ['https://api.example.com\n', 'it has blanks, control characters or backslashes'],
  ['https://api.example.com\\@evil.example', 'it has blanks, control characters or backslashes'],
  ['https://api.example.com/\u0007', 'it has blanks, control characters or backslashes'],
  [`https://api.example.com/${'a'.repeat(2_100)}`, 'is longer than 2,048 characters'],
])('%j is rejected', (text, reason) => {
  expect(parseServiceUrl(text, strict)).toEqual({ reason: expect.stringContaining(reason) });
});

test('a password in an invalid URL is not quoted', () => {
  expect(parseServiceUrl('ftp://ana:secret@api.example.com', strict)).toEqual({
    reason: 'it is not a URL of the form https://host/path',
  });
});

test('http to another host is accepted when allowed', () => {
  expect(parseServiceUrl('http://api.example.com', { insecureHttp: true })).toEqual({
    value: 'http://api.example.com',
  });
});

import { expect, test } from 'vitest';
import { parseServiceUrl } from '../../src/config/urls.ts';

const strict = { insecureHttp: false };

test.each([
  ['https://api.example.com/', 'https://api.example.com'],
  ['https://api.example.com/hotels/v2//', 'https://api.example.com/hotels/v2'],
  ['HTTPS://API.Example.com:8443/Path', 'https://api.example.com:8443/Path'],
  ['https://api.example.com/a@b', 'https://api.example.com/a@b'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://127.8.9.10', 'http://127.8.9.10'],
  ['http://[::1]:8080/x', 'http://[::1]:8080/x'],
])('%s is accepted', (text, value) => {
  expect(parseServiceUrl(text, strict)).toEqual({ value });
});

test.each([
  ['http://api.example.com', 'http to api.example.com would send credentials unencrypted'],
  ['https://@api.example.com', 'is read as https://api.example.com; if that is intended, write it that way'],
  ['https://api.example.com?a=b', 'has a query'],
  ['https://api.example.com/#top', 'has a fragment'],
  ['ftp://api.example.com', 'is not a URL of the form https://host/path'],
  ['api.example.com', 'is not a URL'],
  ['https:///api', 'is not a URL'],
  ['', 'is not a URL'],
  ['https://api.example.com\n', 'is not a URL'],
  [`https://api.example.com/${'a'.repeat(2_100)}`, 'is longer than 2048 characters'],
])('%j is rejected', (text, reason) => {
  expect(parseServiceUrl(text, strict)).toEqual({ reason: expect.stringContaining(reason) });
});

test('http to another host is accepted when allowed', () => {
  expect(parseServiceUrl('http://api.example.com', { insecureHttp: true })).toEqual({
    value: 'http://api.example.com',
  });
});

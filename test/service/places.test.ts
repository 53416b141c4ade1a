import { expect, test } from 'vitest';
import { createPlaces } from '../../src/service/wire/carry.ts';

const tails = [
  '',
  '/',
  '/inventory/v1/properties',
  '/inventory/v1/properties/BER?expand=a%2Cb&page_size=100',
  '/a//b/',
  '/a/../b',
  '/a/./b',
  '/a/%2e%2E/b',
  '/a/..%2fb',
  '/a\\b',
  '/users/ana%40example.com',
  '/a b',
  '/Zürich',
  '/a?b=\'c"<d>`|^{}',
  '/a?b#c',
  '/a#b',
  '?a=b',
  '#a',
  '/%zz',
  '/a;b=c,d:e@f!$&()*+~_-',
];

test.each([
  'http://127.0.0.1:8080',
  'https://api.example.com',
  'HTTPS://API.example.com:443',
  'http://[::1]',
])('a URL of %s resolves the same after another URL of the same origin was parsed', (origin) => {
  const placeOf = createPlaces();
  placeOf(`${origin}/`);

  for (const tail of tails) {
    const url = new URL(`${origin}${tail}`);
    expect(placeOf(`${origin}${tail}`)).toEqual({
      origin: url.origin,
      protocol: url.protocol,
      host: url.host,
      path: `${url.pathname}${url.search}`,
    });
  }
});

test('the origin ends at the first slash of the path', () => {
  const placeOf = createPlaces();
  placeOf('https://api.example.com/');

  expect(
    [
      'https://api.example.com.evil.test/a',
      'https://api.example.com@evil.test/a',
      'https://api.example.com:8/a',
    ].map((url) => placeOf(url).host),
  ).toEqual(['api.example.com.evil.test', 'evil.test', 'api.example.com:8']);
});

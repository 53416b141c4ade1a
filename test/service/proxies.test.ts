import { describe, expect, test } from 'vitest';
import { proxiesFrom, proxyFor, secretsOf } from '../../src/service/proxies.ts';

test.each([
  ['nothing set', {}, {}],
  [
    'both',
    { HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://p:1' },
    { https: 'http://s:1', http: 'http://p:1' },
  ],
  [
    'lower case first',
    { https_proxy: 'http://low:1', HTTPS_PROXY: 'http://up:1' },
    { https: 'http://low:1' },
  ],
  ['empty is unset', { https_proxy: '', HTTPS_PROXY: ' http://up:1 ' }, { https: 'http://up:1' }],
  ['exceptions', { NO_PROXY: 'localhost,.example.com' }, { except: 'localhost,.example.com' }],
])('reads the proxies from the environment: %s', (_, env, expected) => {
  expect(proxiesFrom(env)).toEqual(expected);
});

test.each([
  ['HTTPS_PROXY', 'socks5://ana:secret@proxy:1080'],
  ['http_proxy', 'http://ana:secret@'],
  ['HTTPS_PROXY', 'http://ana:secret@proxy:99999'],
  ['HTTPS_PROXY', 'http://pro\txy:3128'],
  ['HTTPS_PROXY', 'http://config.example.com/proxy.pac'],
  ['HTTPS_PROXY', 'http://proxy:3128?secret'],
  ['HTTPS_PROXY', 'http://ana:se%cret@proxy:1'],
])('rejects %s=%s without showing it', (name, value) => {
  expect(() => proxiesFrom({ [name]: value })).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: `${name} is not the URL of a proxy: only http or https, credentials, host and port are allowed.`,
      hint: `${name}=http://proxy.example.com:3128`,
    }),
  );
});

test('the credentials of the URL become a Proxy-Authorization header', () => {
  const proxies = { https: 'http://ana%40example.com:p%3As%20s@proxy.example.com:3128' };

  expect(proxyFor(proxies, new URL('https://hotel.example.com/'))).toEqual({
    origin: 'http://proxy.example.com:3128',
    host: 'proxy.example.com:3128',
    authorization: `Basic ${Buffer.from('ana@example.com:p:s s').toString('base64')}`,
  });
});

test('a user name without a password is enough', () => {
  expect(proxyFor({ http: 'http://ana@proxy:1' }, new URL('http://h/'))?.authorization).toBe(
    `Basic ${Buffer.from('ana:').toString('base64')}`,
  );
});

test('the passwords are redacted, in plain text and as the header encodes them', () => {
  const proxies = { http: 'http://proxy:1', https: 'http://ana:p%40ss@proxy:1', except: '*' };

  expect(secretsOf(proxies)).toEqual(['p@ss', Buffer.from('ana:p@ss').toString('base64')]);
});

test.each([
  ['https://hotel.example.com/', '', true],
  ['https://hotel.example.com/', '*', false],
  ['https://hotel.example.com/', 'hotel.example.com', false],
  ['https://hotel.example.com/', 'other.com, Example.COM', false],
  ['https://hotel.example.com/', '.example.com', false],
  ['https://example.com/', '.example.com', false],
  ['https://hotel.example.com/', '*.example.com', false],
  ['https://hotel.example.com./', 'example.com', false],
  ['https://notexample.com/', 'example.com', true],
  ['https://hotel.example.com/', 'example.com:443', false],
  ['https://hotel.example.com:8443/', 'example.com:443', true],
  ['https://10.0.0.1:9/', '10.0.0.1', false],
  ['https://10.0.0.1:9/', '10.0.0.1:9', false],
  ['https://[fd00::5]/', 'fd00::5', false],
  ['https://[fd00::5]:8443/', '[fd00::5]:8443', false],
  ['https://10.0.0.1.example.com/', '10.0.0.1', true],
  ['https://10.0.0.1/', '0.0.1', true],
])('%s with NO_PROXY=%j goes through the proxy: %s', (url, except, expected) => {
  expect(proxyFor({ https: 'http://proxy:1', except }, new URL(url)) !== undefined).toBe(expected);
});

describe.each(['http', 'https'])('%s to the local machine', (scheme) => {
  const via = (proxy: string, host: string) =>
    proxyFor({ [scheme]: `http://${proxy}` }, new URL(`${scheme}://${host}:8080/`))?.host;

  test.each(['127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'hotel.localhost'])(
    'bypasses the proxy: %s',
    (host) => {
      expect(via('proxy.example.com:3128', host)).toBeUndefined();
      expect(via('10.0.0.1:3128', host)).toBeUndefined();
    },
  );

  test.each(['127.0.0.1:3128', '[::1]:3128', 'localhost:3128'])(
    'uses a proxy on the local machine: %s',
    (proxy) => {
      expect(via(proxy, '127.0.0.1')).toBe(proxy);
    },
  );

  test.each(['128.0.0.1', '[::2]', 'localhost.example.com', 'notlocalhost', '0.0.0.0'])(
    'does not include %s',
    (host) => {
      expect(via('proxy:3128', host)).toBe('proxy:3128');
    },
  );
});

test('each scheme has its own proxy', () => {
  const proxies = { https: 'http://proxy:1' };

  expect(proxyFor(proxies, new URL('http://hotel.example.com/'))).toBeUndefined();
});

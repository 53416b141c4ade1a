import { isIPv4 } from 'node:net';
import { expect, test } from 'vitest';
import { isInsecure, parseServiceUrl } from '../../src/config/urls.ts';
import { text } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

const hosts = [
  ...[
    'api.example.com',
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[0:0::1]',
  ],
  ...[
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '127.0.0.1.',
    'localhost.',
    'bücher.example',
    'аpple.example',
  ],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '0.0.0.0',
    '169.254.169.254',
    'a..b',
    '-a-',
    'xn--',
    '１２７.0.0.1',
  ],
];

const url = fc.oneof(
  text,
  fc.webUrl({ withFragments: true, withQueryParameters: true, validSchemes: ['http', 'https', 'ftp'] }),
  fc
    .tuple(
      fc.constantFrom(
        'https://',
        'http://',
        'HTTP://',
        'https:',
        'https:///',
        'ws://',
        'javascript:',
        '//',
        '',
      ),
      fc.constantFrom('', '', 'ana@', 'ana:secret@', '@', ':@', '%40@'),
      fc.oneof(fc.constantFrom(...hosts), text),
      fc.constantFrom('', ':443', ':0', ':65536', ':08080', ':', ':8x'),
      fc.oneof(
        fc.constantFrom('', '/', '/a/../b', '//', '/a//', '/%2e%2e/x', '/a@b', '/a;b', '/\u202e'),
        text,
      ),
    )
    .map((parts) => parts.join('')),
);

const rules = fc.record({ insecureHttp: fc.boolean() });

test('parsing is idempotent for an accepted URL, which has only origin and path', () => {
  fc.assert(
    fc.property(url, rules, (any, given) => {
      const parsed = parseServiceUrl(any, given);
      if (parsed.value === undefined) return;

      expect(parseServiceUrl(parsed.value, given)).toEqual(parsed);
      expect(new URL(parsed.value).href.replace(/\/+$/, '')).toBe(new URL(any).href.replace(/\/+$/, ''));
    }),
  );
});

test('a request relative to an accepted URL stays on its host and below its path', () => {
  fc.assert(
    fc.property(url, rules, (any, given) => {
      const parsed = parseServiceUrl(any, given);
      if (parsed.value === undefined) return;
      const { origin, pathname, username, password, search, hash } = new URL(`${parsed.value}/api/v1/roles`);

      expect({ origin, username, password, search, hash }).toEqual({
        origin: new URL(any).origin,
        username: '',
        password: '',
        search: '',
        hash: '',
      });
      expect(pathname.endsWith('/api/v1/roles')).toBe(true);
    }),
  );
});

test('http is accepted only for loopback, unless allowed', () => {
  fc.assert(
    fc.property(url, (any) => {
      const parsed = parseServiceUrl(any, { insecureHttp: false });
      if (parsed.value === undefined) return;
      const { protocol, hostname } = new URL(parsed.value);
      const isHere =
        hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && /^127\./.test(hostname));

      expect(protocol === 'https:' || (protocol === 'http:' && isHere)).toBe(true);
      expect(isInsecure(parsed.value)).toBe(false);
    }),
  );
});

test('the reason for a rejected URL never quotes a password', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('https://', 'ftp://', 'https:', ''),
      fc.constantFrom(...hosts),
      text,
      (scheme, host, end) => {
        const parsed = parseServiceUrl(`${scheme}ana:hunter2hunter2@${host}${end}`, { insecureHttp: true });

        expect('value' in parsed ? 'taken' : parsed.reason).not.toMatch(/taken|hunter2/);
      },
    ),
  );
});

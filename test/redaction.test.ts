import { expect, test } from 'vitest';
import { createRedactor, maskHeaders } from '../src/print/redaction.ts';

const SECRET = "s3cr3t+va/lue~x (it's *)!";

test.each([
  ['as it is', SECRET],
  ['in a URL', encodeURIComponent(SECRET)],
  ['in a form', new URLSearchParams({ client_secret: SECRET }).toString().replace('client_secret=', '')],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in Base64', Buffer.from(SECRET).toString('base64')],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ['in hexadecimal of upper case', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ['in lower case', SECRET.toLowerCase()],
  ['in upper case', SECRET.toUpperCase()],
  ['in a URL in lower case', encodeURIComponent(SECRET.toLowerCase())],
])('a secret is redacted %s', (_, form) => {
  const redactor = createRedactor();
  redactor.add(SECRET);

  expect(redactor.text(`before ${form} after`)).toBe('before [redacted] after');
});

test.each([
  ['Bearer ', 'QmVhcmVyIH'],
  ['ana:', 'YW5hOn'],
  ['ana-1:', 'YW5hLTE6'],
])('a secret after %j in Base64 is redacted except for shared letters', (before, shown) => {
  const redactor = createRedactor();
  redactor.add(SECRET);
  const encoded = redactor.text(Buffer.from(`${before}${SECRET}`).toString('base64'));

  expect(encoded.replace(/\[redacted\].{0,4}$/, '')).toBe(shown);
});

test.each([
  ['{"n": 12345678}\n', '{"n": "[redacted]"}\n'],
  ['{"n":-12345678.5,"m":1}\n', '{"n":"[redacted]","m":1}\n'],
  ['[1,91234567890,12345678]\n', '[1,"[redacted]","[redacted]"]\n'],
  ['[\n  12345678\n]\n', '[\n  "[redacted]"\n]\n'],
  ['12345678\n12345678\n', '"[redacted]"\n"[redacted]"\n'],
  ['{"n":"a:12345678,b"}\n', '{"n":"a:[redacted],b"}\n'],
  ['{"n":"\\"","12345678":"\\\\"}\n', '{"n":"\\"","[redacted]":"\\\\"}\n'],
  ['{"n":3132333435363738}\n', '{"n":"[redacted]"}\n'],
  ['a,"b\n12345678\nc"\n', 'a,"b\n[redacted]\nc"\n'],
])('redacting a secret of digits keeps JSON and CSV valid: %j', (json, shown) => {
  const redactor = createRedactor();
  redactor.add('12345678');

  expect(redactor.text(json)).toBe(shown);
});

test.each(['Order 12345678 failed.', 'a 12345678 b\n', 'id-12345678\n', '12345678'])(
  'a secret of digits in a sentence is redacted without quotes: %j',
  (sentence) => {
    const redactor = createRedactor();
    redactor.add('12345678');

    expect(redactor.text(sentence)).toBe(sentence.replace('12345678', '[redacted]'));
  },
);

test('credentials are redacted in headers and URLs', () => {
  const headers = {
    authorization: 'Bearer abc',
    'x-session-token': 'abc',
    'x-auth-token': 'abc',
    location: 'https://a.example/b?code=BER&access_token=abc&x=1',
    'x-request-id': 'abc',
    'idempotency-key': 'abc',
  };

  expect(maskHeaders(headers)).toEqual({
    authorization: 'Bearer [redacted]',
    'x-session-token': '[redacted]',
    'x-auth-token': '[redacted]',
    location: 'https://a.example/b?code=BER&access_token=[redacted]&x=1',
    'x-request-id': 'abc',
    'idempotency-key': 'abc',
  });
});

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.abc-DEF_ghi+jkl/mno=pq';

test.each([
  ['the first half', TOKEN.slice(0, 22), '[redacted]'],
  ['the second half', TOKEN.slice(22), '[redacted]'],
  ['truncated at the start', `...${TOKEN.slice(10)}`, '...[redacted]'],
  ['truncated with three dots', `${TOKEN.slice(0, 6)}...${TOKEN.slice(-6)}`, '[redacted]...[redacted]'],
  [
    'truncated with dots in brackets',
    `${TOKEN.slice(0, 8)}[...]${TOKEN.slice(-4)}`,
    '[redacted][...][redacted]',
  ],
  ['truncated with asterisks', `${TOKEN.slice(0, 4)}****${TOKEN.slice(-8)}`, '[redacted]****[redacted]'],
  ['partially percent-encoded', `%65%79%4A%68%62%47${TOKEN.slice(6)}`, '[redacted]'],
  ['a part of its Base64', btoa(TOKEN).slice(10, 40), '[redacted]'],
  ['its Base64 with line breaks', btoa(TOKEN).replace(/.{20}/g, '$&\r\n'), '[redacted]'],
  ['eleven characters', TOKEN.slice(3, 14), TOKEN.slice(3, 14)],
])('a part of a secret is redacted in text: %s', (_, part, shown) => {
  const redactor = createRedactor();
  redactor.add(TOKEN);

  expect(redactor.text(`<${part}>`).replaceAll(/\s/g, '')).toBe(`<${shown}>`);
});

test('a part of a secret is not redacted in data, where a record may have the same text', () => {
  const redactor = createRedactor();
  redactor.add(TOKEN);

  expect(redactor.data(`<${TOKEN.slice(0, 30)}>`)).toBe(`<${TOKEN.slice(0, 30)}>`);
});

test('an allowed text that is a prefix of a secret is not redacted', () => {
  const redactor = createRedactor();
  redactor.add('berlin-hotels-client-S3cr3tS3cr3t');
  redactor.allow('berlin-hotels-client');

  expect(redactor.text('berlin-hotels-client of berlin-hotels')).toBe(
    'berlin-hotels-client of berlin-hotels',
  );
  expect(redactor.text('berlin-hotels-client-S3cr3t')).not.toContain('S3cr3t');
});

test.each([
  ['a secret of one repeated letter', 'a'.repeat(1_000), 'a'.repeat(1_000_000)],
  ['almost the secret, repeated', 'a'.repeat(1_000), `${'a'.repeat(999)}b`.repeat(1_000)],
  ['backslashes', 'a'.repeat(1_000), '\\'.repeat(1_000_000)],
  ['blanks', 'a'.repeat(1_000), 'a '.repeat(500_000)],
  ['white space', TOKEN, ' '.repeat(8_000_000)],
  ['percent signs', TOKEN, `%${'25'.repeat(500_000)}`],
  ['ellipses', TOKEN, 'eyJh..'.repeat(150_000)],
])('redaction takes linear time: %s', { timeout: 20_000 }, (_, secret, text) => {
  const redactor = createRedactor();
  redactor.add(secret);

  expect(redactor.text(text)).not.toContain(secret);
  expect(redactor.data(text)).not.toContain(secret);
});

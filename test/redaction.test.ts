import { expect, test } from 'vitest';
import { createRedactor, maskHeaders } from '../src/redaction.ts';

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
])('a secret is masked %s', (_, form) => {
  const redactor = createRedactor();
  redactor.add(SECRET);

  expect(redactor.text(`before ${form} after`)).toBe('before [redacted] after');
});

test.each([
  ['Bearer ', 'QmVhcmVyIH'],
  ['ana:', 'YW5hOn'],
  ['ana-1:', 'YW5hLTE6'],
])('a secret behind %j in Base64 is masked but for the letters that it shares', (before, shown) => {
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
])('a secret of digits leaves JSON, and CSV, behind: %j', (json, shown) => {
  const redactor = createRedactor();
  redactor.add('12345678');

  expect(redactor.text(json)).toBe(shown);
});

test.each(['Order 12345678 failed.', 'a 12345678 b\n', 'id-12345678\n', '12345678'])(
  'a secret of digits in a sentence is masked without quotes: %j',
  (sentence) => {
    const redactor = createRedactor();
    redactor.add('12345678');

    expect(redactor.text(sentence)).toBe(sentence.replace('12345678', '[redacted]'));
  },
);

test('headers that carry credentials are masked, by name and in URLs', () => {
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

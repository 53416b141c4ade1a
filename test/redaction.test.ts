import { expect, test } from 'vitest';
import { createRedactor, maskHeaders } from '../src/model/redaction.ts';

const SECRET = `s3cr3t+va/lue~x (it's *)&"x"\\!`;

test.each([
  ['as it is', SECRET],
  ['in a URL', encodeURIComponent(SECRET)],
  ['in a form', new URLSearchParams({ client_secret: SECRET }).toString().replace('client_secret=', '')],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in Base64', Buffer.from(SECRET).toString('base64')],
  ['in HTML', 's3cr3t+va/lue~x (it&#39;s *)&amp;&quot;x&quot;\\!'],
])('a secret is redacted %s', (_, form) => {
  const redactor = createRedactor();
  redactor.add(SECRET);

  expect(redactor.text(`before ${form} after`)).toBe('before [redacted] after');
});

test('a part of a secret is text like any other', () => {
  const redactor = createRedactor();
  redactor.add('berlin-hotels-client-S3cr3t');

  expect(redactor.text('berlin-hotels-client of BER')).toBe('berlin-hotels-client of BER');
});

test('a secret that is a part of another one leaves nothing of it', () => {
  const redactor = createRedactor();
  redactor.add('s3cr3t-of-ana');
  redactor.add('ana:s3cr3t-of-ana:2026');

  expect(redactor.text('ana:s3cr3t-of-ana:2026 s3cr3t-of-ana')).toBe('[redacted] [redacted]');
});

test('a text of fewer than eight characters is not searched for', () => {
  const redactor = createRedactor();
  redactor.add('BER-MUC');

  expect(redactor.text('BER-MUC')).toBe('BER-MUC');
});

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

test.each([
  ['a secret of one repeated letter', 'a'.repeat(1_000), 'a'.repeat(1_000_000)],
  ['almost the secret, repeated', 'a'.repeat(1_000), `${'a'.repeat(999)}b`.repeat(1_000)],
])('redaction takes little time: %s', { timeout: 20_000 }, (_, secret, text) => {
  const redactor = createRedactor();
  redactor.add(secret);

  expect(redactor.text(text)).not.toContain(secret);
});

import { expect, test } from 'vitest';
import { createRedactor, maskHeaders } from '../src/redaction.ts';

const SECRET = "s3cr3t+va/lue~x (it's *)!";

test.each([
  ['as it is', SECRET],
  ['in a URL', encodeURIComponent(SECRET)],
  ['in a form', new URLSearchParams({ client_secret: SECRET }).toString().replace('client_secret=', '')],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in Base64', Buffer.from(SECRET).toString('base64')],
])('a secret is masked %s', (_, form) => {
  const redactor = createRedactor();
  redactor.add(SECRET);

  expect(redactor.text(`before ${form} after`)).toBe('before [redacted] after');
});

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

import { expect, test } from 'vitest';
import { canonical } from '../../src/model/canonical.ts';
import { deriveKey } from '../../src/seed/keys.ts';
import { isUsable } from '../../src/seed/visibility.ts';

const run = '3f1c9c3a-6f0e-4f4e-9d6b-0a3c2f1d5e77';
const HOUR = 3_600_000;

// The keys were computed with another implementation of UUIDs.
test.each([
  [run, 'BER', { code: 'BER', tax_id: 'DE1' }, 0, 'ac89c241-8e08-5d5a-af43-b71d96af12df'],
  [run.toUpperCase(), 'BER', { tax_id: 'DE1', code: 'BER' }, 0, 'ac89c241-8e08-5d5a-af43-b71d96af12df'],
  [run, 'BER', { code: 'BER', tax_id: 'DE1' }, 2, '18273a1c-6628-58f0-a301-911f22295880'],
  ['00000000-0000-0000-0000-000000000000', '', {}, 0, '2de4b3be-950e-5cd2-a0b5-10b8fce4fdba'],
  ['build-7', 'MUC', { name: 'Müller & Söhne' }, 0, '0a7d57df-2285-558d-aa17-88269ea5a6eb'],
  [`${run}0`, 'BER', {}, 1, 'febce2d5-def0-59e2-87b7-793da1a1ac19'],
])('a key is a version 5 UUID of the run %s, the name %s and the body', (id, name, body, generation, key) => {
  expect(deriveKey(id, name, canonical(body), generation)).toBe(key);
});

test('another run, code, body or generation yields another key', () => {
  const body = { code: 'BER', tax_id: 'DE1' };

  const keys = [
    deriveKey(run, 'BER', canonical(body), 0),
    deriveKey('9f1c9c3a-6f0e-4f4e-9d6b-0a3c2f1d5e77', 'BER', canonical(body), 0),
    deriveKey(run, 'MUC', canonical(body), 0),
    deriveKey(run, 'BER', canonical({ ...body, tax_id: 'DE2' }), 0),
    deriveKey(run, 'BER', canonical(body), 1),
    deriveKey(run, 'BER', canonical(body), 2),
  ];

  expect(new Set(keys).size).toBe(6);
});

test.each([
  ['is new', 0, true],
  ['is 22 hours old', 22 * HOUR, true],
  ['is 23 hours old, which a service may soon forget', 23 * HOUR, false],
  ['comes from a clock that was two hours ahead', -2 * HOUR, true],
])('whether a key that %s is reused', (_, age, usable) => {
  expect(isUsable({ since: 1_000, isSpent: false }, 1_000 + age)).toBe(usable);
});

test('a key that created something is not reused', () => {
  expect(isUsable({ since: 1_000, isSpent: true }, 1_000)).toBe(false);
});

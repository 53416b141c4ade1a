import { NIL, v5 } from 'uuid';
import { expect, test } from 'vitest';
import { canonical } from '../../src/model/canonical.ts';
import { deriveKey } from '../../src/seed/keys.ts';
import { isUsable } from '../../src/seed/visibility.ts';
import { fc } from '../helpers/laws.ts';

const run = '3f1c9c3a-6f0e-4f4e-9d6b-0a3c2f1d5e77';
const HOUR = 3_600_000;

test('a key is a version 5 UUID of the run, the code and the body', () => {
  const key = deriveKey(run, 'BER', canonical({ code: 'BER', tax_id: 'DE1' }), 0);

  expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(deriveKey(run, 'BER', canonical({ tax_id: 'DE1', code: 'BER' }), 0)).toBe(key);
});

test('a key follows the published algorithm: the run, the code and the canonical body', () => {
  const body = fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer()));
  const runId = fc.oneof(fc.uuid(), fc.constantFrom(run, run.toUpperCase(), 'build-7', `${run}0`, NIL));
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

  fc.assert(
    fc.property(runId, fc.string({ unit: 'grapheme' }), body, fc.nat(2), (id, name, fields, generation) => {
      const namespace = isUuid.test(id) ? id : v5(id, v5('innctl', NIL));
      const suffix = generation === 0 ? '' : `#${generation}`;

      expect(deriveKey(id, name, canonical(fields), generation)).toBe(
        v5(`${name}${canonical(fields)}${suffix}`, namespace),
      );
    }),
  );
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

test('a run id need not be a UUID', () => {
  const keys = ['build-1', 'build-2', 'build-1'].map((id) => deriveKey(id, 'BER', canonical({}), 0));

  expect(keys[0]).toBe(keys[2]);
  expect(keys[0]).not.toBe(keys[1]);
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

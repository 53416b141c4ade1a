import { expect, test } from 'vitest';
import { deriveKey } from '../../src/journal/journal.ts';
import { canonical } from '../../src/model/json-text.ts';

const run = '3f1c9c3a-6f0e-4f4e-9d6b-0a3c2f1d5e77';

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

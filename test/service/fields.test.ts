import { expect, test } from 'vitest';
import { normalise } from '../../src/model/fields.ts';

test('known fields become snake_case, also nested ones, and language maps are unchanged', () => {
  const record = {
    id: 'BER',
    companyName: 'Hafenhotel GmbH',
    location: { countryCode: 'DE' },
    actions: [{ isAllowed: false, reasons: [] }],
    description: { companyName: 'x' },
  };

  expect(Object.entries(normalise(record))).toEqual([
    ['id', 'BER'],
    ['company_name', 'Hafenhotel GmbH'],
    ['location', { country_code: 'DE' }],
    ['actions', [{ is_allowed: false, reasons: [] }]],
    ['description', { companyName: 'x' }],
  ]);
});

test('of a field in both spellings snake_case wins', () => {
  expect(normalise({ companyName: 'a', company_name: 'b' })).toEqual({ company_name: 'b' });
});

test('a record in snake_case is returned unchanged', () => {
  const record = { id: 'BER', company_name: 'a', location: { country_code: 'DE' }, actions: [{}] };

  expect(normalise(record)).toBe(record);
});

test('a field called __proto__ is an ordinary field', () => {
  const record = normalise(JSON.parse('{"companyName":"a","__proto__":{"id":"BER"}}'));

  expect(Object.keys(record)).toEqual(['company_name', '__proto__']);
  expect(record['id']).toBeUndefined();
});

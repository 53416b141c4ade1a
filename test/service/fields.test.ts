import { expect, test } from 'vitest';
import { normalise } from '../../src/model/fields.ts';

test('known fields are spelt in snake_case, nested ones too, and language maps stay', () => {
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

test('where both spellings are there, the snake_case one stays', () => {
  expect(normalise({ companyName: 'a', company_name: 'b' })).toEqual({ company_name: 'b' });
});

test('a record that is spelt like that already is the same one', () => {
  const record = { id: 'BER', company_name: 'a', location: { country_code: 'DE' }, actions: [{}] };

  expect(normalise(record)).toBe(record);
});

test('a field called __proto__ is a field like any other', () => {
  const record = normalise(JSON.parse('{"companyName":"a","__proto__":{"id":"BER"}}'));

  expect(Object.keys(record)).toEqual(['company_name', '__proto__']);
  expect(record['id']).toBeUndefined();
});

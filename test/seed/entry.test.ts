import { expect, test } from 'vitest';
import { bodyOf, missingToCreate } from '../../src/seed/entry.ts';
import { contract } from '../../src/service/dialect.ts';
import { hotel } from './reading.ts';

test('the body has the fields of the contract, merged with those of extra', () => {
  const extra = { payment_terms: { en: 'cash' }, stars: 4, location: { region_code: 'BE' } };
  const location = { ...Object(hotel()['location']), region_code: 'BE' };

  expect(bodyOf({ fields: hotel({ extra }) })).toEqual(
    hotel({ location, payment_terms: { en: 'cash' }, stars: 4 }),
  );
});

test('the body of an invitation has the given fields and those under extra', () => {
  const fields = { email: 'ana@example.com', properties: ['BER'], extra: { note: { en: 'Hi' } } };

  expect(bodyOf({ fields })).toEqual({ email: 'ana@example.com', properties: ['BER'], note: { en: 'Hi' } });
});

test('a property without its two times cannot be created; an invitation always can', () => {
  const fields = hotel({ default_check_in_time: undefined, default_check_out_time: undefined });

  expect(missingToCreate({ kind: 'property', fields }, contract)).toEqual([
    'default_check_in_time',
    'default_check_out_time',
  ]);
  expect(missingToCreate({ kind: 'property', fields: hotel() }, contract)).toEqual([]);
  expect(missingToCreate({ kind: 'invitation', fields: { email: 'ana@example.com' } }, contract)).toEqual([]);
});

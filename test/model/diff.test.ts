import { describe, expect, test } from 'vitest';
import { compareWanted, differencesBetween, stepOf } from '../../src/model/diff.ts';
import type { ServiceRecord } from '../../src/model/records.ts';

describe('the changes between two records', () => {
  test.each<[string, ServiceRecord, ServiceRecord, unknown]>([
    [
      'there are none when only the order differs',
      { a: '1', b: { c: '1', d: '2' } },
      { b: { d: '2', c: '1' }, a: '1' },
      [],
    ],
    [
      'each language has its own operation',
      { payment_terms: { en: 'a', de: 'b' } },
      { payment_terms: { de: 'c', 'zh-Hant': 'd' } },
      [
        { op: 'remove', path: '/paymentTerms/en' },
        { op: 'replace', path: '/paymentTerms/de', value: 'c' },
        { op: 'add', path: '/paymentTerms/zh-Hant', value: 'd' },
      ],
    ],
    [
      'known names are spelled as in the contract, and others are unchanged',
      { bank_account: { iban: 'a' }, my_field: { tax_id: '1' }, 'x/y~z': 1 },
      { bank_account: { iban: 'b' }, my_field: { tax_id: '2' }, 'x/y~z': 2 },
      [
        { op: 'replace', path: '/bankAccount/iban', value: 'b' },
        { op: 'replace', path: '/my_field/tax_id', value: '2' },
        { op: 'replace', path: '/x~1y~0z', value: 2 },
      ],
    ],
    [
      'a list is replaced as a whole',
      { tags: ['a', 'b'] },
      { tags: ['a'] },
      [{ op: 'replace', path: '/tags', value: ['a'] }],
    ],
    [
      'a missing map is added as a whole',
      { description: null },
      { description: { en: 'a' } },
      [{ op: 'add', path: '/description', value: { en: 'a' } }],
    ],
    [
      'names of inherited object properties are ordinary names',
      {},
      { constructor: 'x' },
      [{ op: 'add', path: '/constructor', value: 'x' }],
    ],
  ])('%s', (_what, before, after, steps) => {
    const found = differencesBetween(before, after);

    expect(found.map((each) => stepOf(each, 'property'))).toEqual(steps);
  });
});

test.each<[string, ServiceRecord, ServiceRecord, unknown]>([
  [
    'properties are set as a whole, without duplicates',
    { properties: ['BER'] },
    { properties: ['MUC', 'MUC'] },
    [{ op: 'add', path: '/properties', value: ['MUC'] }],
  ],
  [
    'a name that the service does not show is replaced',
    {},
    { first_name: 'Ana', enabled: true },
    [
      { op: 'replace', path: '/firstName', value: 'Ana' },
      { op: 'replace', path: '/enabled', value: true },
    ],
  ],
])('of users: %s', (_what, before, after, steps) => {
  const found = differencesBetween(before, after);

  expect(found.map((each) => stepOf(each, 'user'))).toEqual(steps);
});

test.each<[string, ServiceRecord, unknown, string]>([
  ['a string with outer blanks', { tax_id: 'DE1' }, { tax_id: ' DE1 ' }, 'same'],
  ['a number for a string', { tax_id: '7' }, { tax_id: 7 }, 'same'],
  ['another string', { tax_id: 'DE1' }, { tax_id: 'DE2' }, 'different'],
  ['null', { tax_id: 'DE1' }, { tax_id: null }, 'missing'],
  ['no value for an empty list', { tags: [] }, {}, 'same'],
  ['no value', { tax_id: 'DE1' }, {}, 'missing'],
  ['a map without the language', { name: { de: 'Haus' } }, { name: { en: 'House' } }, 'missing'],
  ['a string for a map', { name: { de: 'Haus' } }, { name: 'House' }, 'missing'],
])('the comparison of the wanted value with %s', (_what, wanted, shown, state) => {
  const found = compareWanted(wanted, shown);

  expect(found.map((each) => each.state)).toEqual([state]);
});

import { expect, test } from 'vitest';
import { compareProperty } from '../../src/change/compare.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { contract } from '../../src/service/dialect.ts';

const nothing = { changes: [], steps: [], cannotChange: [] };

test('a difference becomes a step with the JSON pointer of the contract', () => {
  const wanted = {
    name: { en: 'Grand Hotel', de: 'Grandhotel' },
    company_name: 'Grand GmbH',
    location: { address_line1: 'Am Kai 1' },
    default_check_in_time: '15:00:00',
  };
  const shown = {
    name: { en: 'Hotel' },
    company_name: null,
    location: { address_line1: 'Am Kai 2' },
    default_check_in_time: '14:00:00',
  };

  expect(compareProperty({ fields: wanted }, shown, contract)).toEqual({
    ...nothing,
    changes: [
      { field: 'name.en', from: 'Hotel', to: 'Grand Hotel' },
      { field: 'name.de', from: undefined, to: 'Grandhotel' },
      { field: 'company_name', from: null, to: 'Grand GmbH' },
      { field: 'location.address_line1', from: 'Am Kai 2', to: 'Am Kai 1' },
      { field: 'default_check_in_time', from: '14:00:00', to: '15:00:00' },
    ],
    steps: [
      { op: 'replace', path: '/name/en', value: 'Grand Hotel' },
      { op: 'add', path: '/name/de', value: 'Grandhotel' },
      { op: 'add', path: '/companyName', value: 'Grand GmbH' },
      { op: 'replace', path: '/location/addressLine1', value: 'Am Kai 1' },
      { op: 'replace', path: '/defaultCheckInTime', value: '15:00:00' },
    ],
  });
});

test('a field that the record does not show is not set; a time of day is written only when it is sent again', () => {
  const wanted = {
    location: { city: 'Berlin', postal_code: '10117' },
    default_check_in_time: '15:00:00',
    time_zone: 'Europe/Berlin',
  };
  const shown = { id: 'BER', location: { city: 'Berlin' } };
  const cannotChange = [{ field: 'time_zone', from: undefined, to: 'Europe/Berlin' }];
  const code = { op: 'add', path: '/location/postalCode', value: '10117' };

  expect(compareProperty({ fields: wanted }, shown, contract)).toEqual({
    changes: [{ field: 'location.postal_code', from: undefined, to: '10117' }],
    steps: [code],
    cannotChange,
  });
  expect(compareProperty({ fields: wanted }, shown, contract, ['default_check_in_time'])).toMatchObject({
    steps: [code, { op: 'replace', path: '/defaultCheckInTime', value: '15:00:00' }],
    cannotChange,
  });
});

test('two names of one time zone are no difference', () => {
  const wanted = (zone: string) => ({ fields: { time_zone: zone } });
  const shown = { time_zone: 'Europe/Kiev' };

  expect(compareProperty(wanted('Europe/Kyiv'), shown, contract).cannotChange).toEqual([]);
  expect(compareProperty(wanted('Europe/Riga'), shown, contract).cannotChange).toHaveLength(1);
});

test('the country is written only when the record has none, where the service keeps it', () => {
  const wanted = { location: { city: 'Wien', country_code: 'AT' } };
  const shown = { location: { city: 'Berlin', country_code: 'DE' } };
  const change = { op: 'replace', path: '/location/city', value: 'Wien' };

  const kept = compareProperty({ fields: wanted }, shown, apaleo);

  expect(kept).toMatchObject({
    steps: [change],
    cannotChange: [{ field: 'location.country_code', from: 'DE', to: 'AT' }],
  });
  expect(compareProperty({ fields: wanted }, shown, contract)).toMatchObject({
    steps: [change, { op: 'replace', path: '/location/countryCode', value: 'AT' }],
    cannotChange: [],
  });
});

test('fields outside the contract match in camel case or snake case, and are reported as in the manifest', () => {
  const fields = {
    name: { en: 'Grand Hotel' },
    location: { city: 'Berlin' },
    extra: {
      paymentTerms: { en: 'Pay now', de: 'Sofort' },
      bank_account: { iban: 'DE2', bic: 'X' },
      starRating: 4,
      tags: ['spa', 'sea'],
      location: { address_line2: 'Hof 2', region_code: 'BE' },
    },
  };
  const shown = {
    name: { en: 'Grand Hotel' },
    payment_terms: { en: 'Pay later' },
    bank_account: { iban: 'DE1', bic: 'X' },
    tags: ['sea', 'spa'],
    location: { city: 'Bonn', address_line2: 'Hof 1' },
  };

  expect(compareProperty({ fields }, shown, contract)).toEqual({
    cannotChange: [],
    changes: [
      { field: 'location.city', from: 'Bonn', to: 'Berlin' },
      { field: 'extra.location.address_line2', from: 'Hof 1', to: 'Hof 2' },
      { field: 'extra.location.region_code', from: undefined, to: 'BE' },
      { field: 'extra.payment_terms.en', from: 'Pay later', to: 'Pay now' },
      { field: 'extra.payment_terms.de', from: undefined, to: 'Sofort' },
      { field: 'extra.bank_account.iban', from: 'DE1', to: 'DE2' },
      { field: 'extra.starRating', from: undefined, to: 4 },
    ],
    steps: [
      { op: 'replace', path: '/location/city', value: 'Berlin' },
      { op: 'replace', path: '/location/addressLine2', value: 'Hof 2' },
      { op: 'add', path: '/location/regionCode', value: 'BE' },
      { op: 'replace', path: '/paymentTerms/en', value: 'Pay now' },
      { op: 'add', path: '/paymentTerms/de', value: 'Sofort' },
      { op: 'replace', path: '/bankAccount/iban', value: 'DE2' },
      { op: 'add', path: '/starRating', value: 4 },
    ],
  });
});

test('a record with values of wrong types throws no error', () => {
  const wanted = { location: { city: 'Berlin' }, name: { __proto__x: 'x', 'a/b~c': 'y' }, tax_id: '7' };

  expect(compareProperty({ fields: wanted }, { location: 'Berlin', name: {}, tax_id: 7 }, contract)).toEqual({
    ...nothing,
    changes: [
      { field: 'location.city', from: undefined, to: 'Berlin' },
      { field: 'name.__proto__x', from: undefined, to: 'x' },
      { field: 'name.a/b~c', from: undefined, to: 'y' },
    ],
    steps: [
      { op: 'add', path: '/location/city', value: 'Berlin' },
      { op: 'add', path: '/name/__proto__x', value: 'x' },
      { op: 'add', path: '/name/a~1b~0c', value: 'y' },
    ],
  });
});

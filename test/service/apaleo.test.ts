import { describe, expect, test } from 'vitest';
import { normalise } from '../../src/model/fields.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { contract } from '../../src/service/dialect.ts';
import { contractOperations, type OperationId } from '../../src/service/operations.ts';

// The keys of the table are the ids by definition.
const ids = Object.keys(contractOperations) as OperationId[];

test('five paths differ from the contract', () => {
  const others = ids.filter((id) => apaleo.path(id) !== contract.path(id));

  expect(others.map((id) => `${id} ${apaleo.path(id)}`)).toEqual([
    'listInvitations /api/v1/account/invitations',
    'createInvitation /api/v1/account/invitations',
    'deleteInvitation /api/v1/account/invitations/{email}',
    'getUser /api/v1/users/{subjectId}',
    'updateUser /api/v1/users/{subjectId}',
  ]);
});

describe('queries', () => {
  test('the identity area repeats a key for each value', () => {
    const query = {
      property_ids: ['BER', 'a,b'],
      page_size: 100,
      page_number: 2,
      enabled: false,
      sort: ['x'],
    };

    expect(apaleo.query('listUsers', query)).toEqual([
      ['propertyIds', 'BER'],
      ['propertyIds', 'a,b'],
      ['pageSize', '100'],
      ['pageNumber', '2'],
      ['enabled', 'false'],
      ['sort', 'x'],
    ]);
  });

  test('the inventory area joins values with commas', () => {
    const query = { status: ['Test', 'Live'], country_code: ['DE'], include_archived: true, expand: [] };

    expect(apaleo.query('listProperties', query)).toEqual([
      ['status', 'Test,Live'],
      ['countryCode', 'DE'],
      ['includeArchived', 'true'],
    ]);
  });

  test('unset parameters are omitted, and unknown names are sent unchanged', () => {
    expect(apaleo.query('getProperty', { languages: undefined, page_mark: 'x', constructor: 'y' })).toEqual([
      ['page_mark', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('bodies', () => {
  test('known fields are camelCase; language maps, unknown fields and values are unchanged', () => {
    const body = {
      code: 'BER',
      name: { en: 'Grand', company_name: 'a language nobody has' },
      company_name: 'tax_id',
      payment_terms: { tax_id: 'x' },
      location: { address_line1: 'a', country_code: 'DE', floor_count: 3, extra: { tax_id: 1 } },
      bank_account: { iban: 'x', account_code: 'y' },
      default_check_in_time: '15:00:00',
      star_rating: { company_name: 1 },
    };

    expect(apaleo.body('createProperty', body)).toEqual({
      code: 'BER',
      name: { en: 'Grand', company_name: 'a language nobody has' },
      companyName: 'tax_id',
      paymentTerms: { tax_id: 'x' },
      location: { addressLine1: 'a', countryCode: 'DE', floor_count: 3, extra: { tax_id: 1 } },
      bankAccount: { iban: 'x', accountCode: 'y' },
      defaultCheckInTime: '15:00:00',
      star_rating: { company_name: 1 },
    });
  });

  test('of a field in both spellings snake_case wins', () => {
    const body = {
      isAccountAdmin: true,
      is_account_admin: false,
      location: { city: 'a', countryCode: 'ZZ', country_code: 'DE' },
    };

    expect(apaleo.body('createInvitation', body)).toEqual({
      isAccountAdmin: false,
      location: { city: 'a', countryCode: 'DE' },
    });
  });

  test('the name of an inherited Object property is an ordinary field', () => {
    const text = '{"__proto__":{"is_account_admin":true},"constructor":1}';

    expect(JSON.stringify(apaleo.body('createInvitation', JSON.parse(text)))).toBe(text);
  });

  test.each([
    [{ role: 'Housekeeping' }, { role: 'Housekeeping' }],
    [{ role: 'Concierge' }, { role: 'Concierge' }],
    [{ role: 'FrontDesk' }, { roles: ['FrontDesk'] }],
    [{ role: 'FrontDesk', roles: ['Auditor', 'FrontDesk'] }, { roles: ['FrontDesk', 'Auditor'] }],
    [
      { role: 'Auditor', roles: ['FrontDesk'] },
      { role: 'Auditor', roles: ['FrontDesk'] },
    ],
    [{ is_account_admin: true }, { isAccountAdmin: true }],
  ])('an invitation with %j is converted', (given, sent) => {
    expect(apaleo.body('createInvitation', { email: 'a@example.com', ...given })).toEqual({
      email: 'a@example.com',
      ...sent,
    });
  });

  test.each([
    [
      { op: 'replace', path: '/name/company_name', value: 'x' },
      { op: 'replace', path: '/name/company_name', value: 'x' },
    ],
    [
      { op: 'replace', path: '/company_name', value: 'x' },
      { op: 'replace', path: '/companyName', value: 'x' },
    ],
    [
      { op: 'replace', path: '/location/address_line1', value: 'x' },
      { op: 'replace', path: '/location/addressLine1', value: 'x' },
    ],
    [
      { op: 'remove', path: '/location/region_code' },
      { op: 'replace', path: '/location/regionCode', value: null },
    ],
    [
      { op: 'add', path: '/location/region_code', value: 'DE-BY' },
      { op: 'replace', path: '/location/regionCode', value: 'DE-BY' },
    ],
    [
      { op: 'add', path: '/location', value: { postal_code: '1' } },
      { op: 'add', path: '/location', value: { postalCode: '1' } },
    ],
    [
      { op: 'add', path: '/payment_terms', value: { tax_id: '1' } },
      { op: 'add', path: '/paymentTerms', value: { tax_id: '1' } },
    ],
    [
      { op: 'remove', path: '/managing_directors' },
      { op: 'remove', path: '/managingDirectors' },
    ],
    [
      { op: 'move', from: '/tax_id', path: '/company_name' },
      { op: 'move', from: '/taxId', path: '/companyName' },
    ],
    [
      { op: 'replace', path: '', value: { tax_id: '1' } },
      { op: 'replace', path: '', value: { taxId: '1' } },
    ],
    [
      { op: 'replace', path: '/a~1b/tax_id', value: null },
      { op: 'replace', path: '/a~1b/tax_id', value: null },
    ],
  ])('a step %j is converted', (step, sent) => {
    expect(apaleo.body('updateProperty', [step])).toEqual([sent]);
  });

  test('a single-value field of a user is replaced, never added; other additions are unchanged', () => {
    const steps = [
      { op: 'add', path: '/properties', value: ['BER'] },
      { op: 'add', path: '/properties/-', value: 'BER' },
      { op: 'add', path: '/is_account_admin', value: true },
      { op: 'add', path: '/colour', value: 'red' },
    ];

    expect(apaleo.body('updateUser', steps)).toEqual([
      { op: 'replace', path: '/properties', value: ['BER'] },
      { op: 'add', path: '/properties/-', value: 'BER' },
      { op: 'replace', path: '/isAccountAdmin', value: true },
      { op: 'add', path: '/colour', value: 'red' },
    ]);
    expect(contract.body('updateUser', steps)).toBe(steps);
  });
});

test('operations without a required scope name none', () => {
  const open = ids.filter((id) => apaleo.scopes(id).length === 0);

  expect(open).toEqual(['listRoles', 'listProperties', 'countProperties', 'getProperty', 'listCountries']);
  expect(ids.flatMap((id) => contract.scopes(id))).toEqual([]);
});

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

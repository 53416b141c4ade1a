import { describe, expect, test } from 'vitest';
import { bodyOf, missingToCreate } from '../../src/files/entry.ts';
import { manifestJsonSchema } from '../../src/files/json-schema.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { contract } from '../../src/service/dialect.ts';
import { hotel, read } from './reading.ts';

const location = Object(hotel()['location']);

/** All fields of a property beyond the contract. */
const further = {
  payment_terms: { en: 'Payment on check-in', de: 'Zahlung bei Anreise' },
  description: { en: 'At the river' },
  managing_directors: 'Ana Adler, Ben Berg',
  bank_account: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', bank: 'Commerzbank' },
};
const grand = hotel({ ...further, location: { ...location, address_line2: 'Hof 2', region_code: 'DE-BE' } });
const ana = { email: 'ana@example.com', roles: ['Auditor', 'Housekeeping'], properties: ['BER'] };
const ben = {
  kind: 'user',
  email: 'ben@example.com',
  first_name: 'Ben',
  last_name: 'Berg',
  is_account_admin: false,
};

const needs = 'needs dialect apaleo (this profile uses contract) for';

const json = (value: unknown) => ({ 'x.json': JSON.stringify(value) });

describe('fields beyond the contract', () => {
  test('are read for a dialect that has them', async () => {
    const { entries, problems, warnings } = await read(json([grand, ana, ben]), { dialect: apaleo });

    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    const { kind: _, ...user } = ben;
    expect(entries.map(({ fields }) => fields)).toEqual([grand, ana, user]);
  });

  test('are rejected for the contract dialect in one sentence', async () => {
    const { entries, problems } = await read(json([grand, ana, ben]));

    expect(entries).toEqual([]);
    expect(problems).toEqual([
      `x.json: ${needs} 12 fields (payment_terms, description, managing_directors, location.address_line2, location.region_code, bank_account.iban, bank_account.bic, bank_account.bank, roles, first_name, last_name, is_account_admin)`,
    ]);
  });

  test('are reported together with the other errors of the same entry', async () => {
    const { problems } = await read(json([hotel({ payment_terms: 'cash', stars: 4 })]));

    expect(problems).toEqual([
      `x.json: ${needs} 1 field (payment_terms)`,
      'x.json: line 1: stars: is not a field of a property',
      'x.json: line 1: payment_terms: must hold a text for each language code',
    ]);
  });

  test.each(['BY', 'W01', 'AT-9', 'DE-BY', 'GB-ENG'])('accept the region code %s', async (code) => {
    const file = json([{ ...grand, location: { ...location, region_code: code } }]);

    expect((await read(file, { dialect: apaleo })).problems).toEqual([]);
  });

  test.each([
    [{ payment_terms: null, description: null, managing_directors: ' ', bank_account: { iban: '' } }],
    [{ location: { ...location, region_code: '', address_line2: null } }],
  ])('are ignored when they have no value: %j', async (fields) => {
    const { entries, problems } = await read(json([hotel(fields)]));

    expect(problems).toEqual([]);
    expect(entries[0]?.fields).toEqual(hotel());
  });

  test.each([
    ['contract', contract],
    ['apaleo', apaleo],
  ])('may stand under extra in the dialect %s as well, and are sent from there', async (_, dialect) => {
    const extra = { paymentTerms: { en: 'cash' }, bank_account: { iban: 'x' }, location: { region_code: 1 } };
    const invited = { email: 'ana@example.com', role: 'Auditor', properties: ['BER'], extra: { roles: 'x' } };

    const { entries, problems } = await read(json([hotel({ extra }), invited]), { dialect });

    expect(problems).toEqual([]);
    expect(entries.map(bodyOf)).toEqual([
      hotel({
        paymentTerms: { en: 'cash' },
        bank_account: { iban: 'x' },
        location: { ...location, region_code: 1 },
      }),
      { email: 'ana@example.com', role: 'Auditor', properties: ['BER'], roles: 'x' },
    ]);
  });

  test.each([
    ['payment_terms', grand, { paymentTerms: { en: 'x' } }, 'extra.paymentTerms'],
    ['bank_account', grand, { bank_account: { bank: 'x' } }, 'extra.bank_account'],
    ['location.region_code', grand, { location: { regionCode: 'x' } }, 'extra.location.regionCode'],
    ['roles', ana, { roles: ['x'] }, 'extra.roles'],
  ])('may stand outside extra or under it, but not in both: %s', async (name, entry, extra, field) => {
    const { problems } = await read(json([{ ...entry, extra }]), { dialect: apaleo });

    expect(problems).toEqual([
      `x.json: line 1: ${field}: is given twice: ${name} is also given outside extra`,
    ]);
  });

  test.each([
    [{ description: { en: 'two\nlines' } }, 'description.en: has a line break'],
    [{ description: 7 }, 'description: must hold a text for each language code'],
    [{ managing_directors: ['Ana', 'Ben'] }, 'managing_directors: must be a text, and is a list'],
    [
      { bank_account: { ibna: 'DE89' } },
      'bank_account.ibna: is not a field of a bank account; did you mean bank_account.iban?',
    ],
    [{ bank_account: { iban: 7 } }, 'bank_account.iban: must be a text, in quotes'],
    ...['D', 'DE-', 'DE-BRLN', 'W0001', 'DE-b', 'Berlin'].map((code): [Record<string, unknown>, string] => [
      { location: { ...location, region_code: code } },
      `location.region_code: "${code}" is not a region code of ISO 3166-2 such as DE-BY`,
    ]),
    [{ code: 'BE' }, 'code: "BE" is not a code of 3 to 10 letters A to Z, digits and underscores'],
  ])('of a property are validated: %j', async (fields, problem) => {
    const { problems } = await read(json([hotel(fields)]), { dialect: apaleo });

    expect(problems).toEqual([`x.json: line 1: ${problem}`]);
  });

  test.each([
    [{ ...ana, roles: 'Auditor' }, 'roles: must be a list of roles: [Housekeeping, Auditor]'],
    [{ ...ana, roles: ['Auditor', 7] }, 'roles: item 2: must be a text, in quotes'],
    [
      { ...ana, roles: ['Auditor, Housekeeping'] },
      'roles: item 1: "Auditor, Housekeeping" is more than one role',
    ],
    [
      { ...ben, is_account_admin: 'maybe' },
      'is_account_admin: "maybe" is neither true nor false: write true or false',
    ],
    [{ ...ben, roles: ['Auditor'] }, 'roles: is not a field of a user'],
    [
      { kind: 'user', email: 'ben@example.com' },
      'give enabled, properties or another field that says how the user should be',
    ],
  ])('of a user or invitation are validated: %j', async (entry, problem) => {
    const { problems } = await read(json([entry]), { dialect: apaleo });

    expect(problems).toEqual([`x.json: line 1: ${problem}`]);
  });

  test('do not include the code format of apaleo: the contract dialect accepts any code', async () => {
    expect((await read(json([hotel({ code: 'Zürich 1' })]))).problems).toEqual([]);
  });
});

describe('dialect fields in a table', () => {
  const columns =
    'code,name.en,company_name,commercial_register_entry,tax_id,location.address_line1,location.address_line2,' +
    'location.postal_code,location.city,location.region_code,location.country_code,time_zone,currency_code,' +
    'payment_terms.en,payment_terms.de,bank_account.iban,managing_directors';
  const row =
    'BER,Hotel Berlin,Innkeepers,HRB 1,DE1,Mohrenstr. 1,Hof 2,01067,Berlin,DE-BE,DE,Europe/Berlin,EUR,cash,bar,DE89,';

  test('use dotted columns like those of the contract', async () => {
    const { entries, problems } = await read({ 'x.csv': `${columns}\n${row}\n` }, { dialect: apaleo });

    expect(problems).toEqual([]);
    expect(entries[0]?.fields).toEqual(
      hotel({
        location: { ...location, address_line2: 'Hof 2', region_code: 'DE-BE' },
        payment_terms: { en: 'cash', de: 'bar' },
        bank_account: { iban: 'DE89' },
        default_check_in_time: undefined,
        default_check_out_time: undefined,
      }),
    );
  });

  test('hold several roles in one cell, separated by commas or semicolons', async () => {
    const text =
      'email;roles;properties\nana@example.com;Front Desk,Auditor , Auditor;BER\nben@example.com;[];BER\ncyd@example.com;"A; B";\n';

    const { entries, problems } = await read({ 'x.csv': text }, { dialect: apaleo });

    expect(problems).toEqual([]);
    expect(entries.map(({ fields }) => fields['roles'])).toEqual([['Front Desk', 'Auditor'], [], ['A', 'B']]);
  });

  test.each([
    ['description.en.x', 'description.en.x: is not a column: write description.en'],
    ['bank_account', 'bank_account: is not a column: write bank_account.iban'],
    ['ibam', 'ibam: is not a field of a property; did you mean bank_account.iban?'],
  ])('reject the column %s with a suggestion', async (column, problem) => {
    const { problems } = await read({
      'x.csv': `${columns.replace('managing_directors', column)}\n${row}\n`,
    });

    expect(problems).toContain(`x.csv: row 1: ${problem}`);
  });
});

test('the JSON Schema marks the fields of a dialect, with examples of their own', async () => {
  const { property, invitation, user } = Object((await manifestJsonSchema())['$defs']);

  expect(JSON.stringify(property.properties.payment_terms)).toContain('Payment on check-in');
  expect(JSON.stringify(property.properties.name)).toContain('Grand Hotel');
  for (const schema of [
    property.properties.bank_account,
    invitation.properties.roles,
    user.properties.first_name,
  ])
    expect(JSON.stringify(schema)).toContain('(services of the dialect apaleo)');
  expect(JSON.stringify(property.properties.tax_id)).not.toContain('dialect');
});

test('a property cannot be created without payment terms where the dialect requires them; an invitation can', () => {
  const lacking = hotel({ default_check_in_time: undefined, default_check_out_time: undefined });
  const missing = (fields: Record<string, unknown>) =>
    missingToCreate('property', bodyOf({ fields }), apaleo);

  expect(missing(lacking)).toEqual(['default_check_in_time', 'default_check_out_time', 'payment_terms']);
  expect(missing(hotel({ extra: { payment_terms: {} } }))).toEqual(['payment_terms']);
  expect(missing(hotel({ payment_terms: { en: 'cash' } }))).toEqual([]);
  expect(missing(hotel({ extra: { paymentTerms: { en: 'cash' } } }))).toEqual([]);
  const found = missingToCreate('property', hotel({ location: { city: 'Berlin' } }), contract);
  expect(found).toEqual(['location.address_line1', 'location.postal_code', 'location.country_code']);
  expect(missingToCreate('property', hotel(), contract)).toEqual([]);
  expect(missingToCreate('invitation', { email: 'ana@example.com' }, contract)).toEqual([]);
});

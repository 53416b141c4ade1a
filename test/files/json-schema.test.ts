import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { manifestJsonSchema } from '../../src/files/json-schema.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { cli } from '../helpers/cli.ts';
import { hotel, read } from './reading.ts';

const ana = { email: 'ana@example.com', role: 'Housekeeping', properties: ['BER'], is_account_admin: false };
const further = {
  payment_terms: { en: 'Payment on check-in', de: 'Zahlung bei Anreise' },
  description: { en: 'At the river' },
  managing_directors: 'Ana Adler, Ben Berg',
  bank_account: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', bank: 'Commerzbank' },
};
const location = Object(hotel()['location']);
const ben = { email: 'ben@example.com', enabled: true, properties: [] };

const accepts = new Ajv2020({ allErrors: true, strict: false }).compile(await manifestJsonSchema());

async function verdicts(document: unknown) {
  const { entries, problems } = await read({ 'x.json': JSON.stringify(document) }, { dialect: apaleo });
  return {
    schema: accepts(document),
    reader: problems.length === 0 && entries.length >= 0,
  };
}

test.each([
  [
    'a manifest',
    { $schema: 'manifest.schema.json', properties: [hotel()], invitations: [ana], users: [ben] },
  ],
  ['a list', [hotel(), ana, { kind: 'user', ...ben }]],
  ['fields of a property that exists', { code: 'BER', tax_id: 'DE1', location: { city: 'Potsdam' } }],
  ['a property', hotel({ extra: { stars: 4, location: { region_code: 'BE' } } })],
  ['an invitation', { email: 'ana@example.com', role: null }],
  [
    'a user with roles',
    { ...ben, properties: ['BER'], property_roles: [{ id: 'BER', roles: ['FrontDesk', 'Auditor'] }] },
  ],
  ['a user by id', { subject_id: 'ben-1', email: null, enabled: false }],
  ['all fields of a property', hotel({ ...further, location: { ...location, address_line2: 'Hof 2' } })],
  ['several roles', { email: 'ana@example.com', roles: ['Auditor', 'Housekeeping'], properties: ['BER'] }],
  ['null for all fields of a dialect', hotel({ payment_terms: null, bank_account: null, description: null })],
  ['top-level keys that hold nothing', { properties: [], users: null }],
])('the JSON Schema accepts %s, as the parser does', async (_, document) => {
  expect(await verdicts(document)).toEqual({ schema: true, reader: true });
});

test.each([
  ['a misspelt top-level key', { properteis: [] }],
  ['a property without a code', { properties: [hotel({ code: undefined })] }],
  ['a blank code', { properties: [hotel({ code: ' ' })] }],
  ['an invalid country', hotel({ location: { ...location, country_code: 'UK' } })],
  ['a time that is none', hotel({ default_check_in_time: '25:00' })],
  ['an invalid language code', hotel({ name: { 'in English': 'x' } })],
  ['a number instead of a text', hotel({ name: { en: 7 } })],
  ['a contract field under extra', hotel({ extra: { tax_id: 'x' } })],
  ['a user with both email and subject_id', { ...ben, subject_id: 'ben-1' }],
  ['roles that are not a list', { ...ben, property_roles: { BER: ['Auditor'] } }],
  ['a misspelt field beside roles', { ...ben, property_roles: [{ id: 'BER', rols: [], roles: [] }] }],
  ['a user without any field to set', { subject_id: 'ben-1' }],
  ['another word instead of true', { ...ben, enabled: 'maybe' }],
  ['a string instead of texts', hotel({ payment_terms: 'cash' })],
  ['an invalid region', hotel({ location: { ...location, region_code: 'Berlin' } })],
  ['a bank account with a misspelt field', hotel({ bank_account: { ibna: 'x' } })],
  ['an unknown kind', { kind: 'room', ...ana }],
  ['an entry in the wrong list', { users: [ana] }],
  ['null', null],
])('the JSON Schema rejects %s, as the parser does', async (_, document) => {
  expect(await verdicts(document)).toEqual({ schema: false, reader: false });
});

test('the schema describes fields for editors, and lists the countries', async () => {
  const { $schema, $defs } = await manifestJsonSchema();
  const { location, time_zone: zone } = Object($defs).property.properties;

  expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(zone.anyOf[0]).toMatchObject({
    description: 'IANA time zone, needed to create it',
    examples: ['Europe/Berlin'],
  });
  expect(location.anyOf[0].properties.country_code.anyOf[0].enum).toHaveLength(249);
});

test.each(['schema manifest', 'schema manifest --json', '-o json schema manifest'])(
  '%s prints the schema',
  async (line) => {
    const { exitCode, stdout, stderr } = await cli(line);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(await manifestJsonSchema())));
  },
);

import { describe, expect, test } from 'vitest';
import { invitationShapeFor, propertyShape, userShape } from '../../src/commands/shapes.ts';
import { meantColumn } from '../../src/files/header-words.ts';
import { isInLanguages, kindTable } from '../../src/model/kinds.ts';
import { labelOf } from '../../src/print/labels.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { read } from './reading.ts';

test.each([
  ['code', 'Code CODE Hotelcode Hotel-Code Kürzel'],
  ['company_name', 'Firma|Company|company-name|Company Name|companyName|Betreiber'],
  ['tax_id', 'Steuernummer|Tax ID|Tax_Id|USt-IdNr.|VAT number'],
  [
    'location.address_line1',
    'Straße|STRASSE|Strasse|Address line 1|Address|Street|Straße und Hausnummer|Anschrift',
  ],
  ['location.postal_code', 'PLZ|plz|Postleitzahl|Postal code|POSTAL_CODE|Zip|ZIP code|Postcode'],
  ['location.city', 'Ort|Stadt|City|location city|Location (city)| city '],
  ['location.country_code', 'Land|Country|Country code|Ländercode|Laendercode'],
  ['time_zone', 'Zeitzone|Time zone|TimeZone|time-zone'],
  ['default_check_in_time', 'Check-in|Check in|Checkin|CHECK-IN|Check-in time|Anreise'],
  ['currency_code', 'Währung|Waehrung|WÄHRUNG|Wa\u0308hrung|Currency'],
  ['name.de', 'Name (de)|Name de|name_de|NAME.DE|Name [de]|Name/DE|Hotelname (Deutsch)|Name (German)'],
  [
    undefined,
    'Name|Nam (de)|Name (xq)|Orte|Postleitzal|Stars|Bemerkung|City 2|E-Mail|__proto__|constructor|' + ' ',
  ],
])('in a table of properties, %s is meant by %s', (column, headers) => {
  const split = headers.includes('|') ? '|' : ' ';

  expect(headers.split(split).map((header) => meantColumn(header, 'property'))).toEqual(
    headers.split(split).map(() => column),
  );
});

test.each([
  ['email', ['E-Mail', 'E-mail', 'e mail', 'EMail', 'Mail', 'E-Mail-Adresse', '\ufeffE-Mail']],
  ['role', ['Rolle', 'ROLE']],
  ['properties', ['Hotel', 'Hotels', 'Property', 'Property ids']],
  ['is_account_admin', ['Account admin', 'Is Account Admin', 'Admin']],
  [undefined, ['Vorname', 'Aktiv', 'Ort', 'Benutzer']],
])('in a table of invitations, %s is meant by %j', (column, headers) => {
  expect(headers.map((header) => meantColumn(header, 'invitation'))).toEqual(headers.map(() => column));
});

test.each([
  ['property', propertyShape],
  ['invitation', invitationShapeFor(apaleo)],
  ['user', userShape],
] as const)('the labels in the tables and cards of a %s mean its fields', (kind, { columns }) => {
  const fields = kindTable[kind].fields.map((field) =>
    isInLanguages(field) ? `${field.name}.en` : field.name,
  );

  expect(fields.map((field) => meantColumn(labelOf(field, columns), kind))).toEqual(fields);
});

const german =
  'Kürzel;Name (de);Firma;Handelsregister;Steuernummer;Straße;PLZ;Ort;Land;Zeitzone;Check-in;Check-out;Währung';
const ber =
  'BER;Hotel Berlin;Innkeepers;HRB 1;DE1;Mohrenstr. 1;01067;Berlin;DE;Europe/Berlin;15:00:00;11:00:00;EUR';

test('a German sheet of hotels is read', async () => {
  const { entries, problems } = await read({ 'hotels.csv': `\ufeff${german}\r\n${ber}\r\n` });

  expect(problems).toEqual([]);
  expect(entries).toMatchObject([
    {
      kind: 'property',
      fields: {
        code: 'BER',
        name: { de: 'Hotel Berlin' },
        location: { address_line1: 'Mohrenstr. 1', postal_code: '01067', city: 'Berlin', country_code: 'DE' },
        default_check_in_time: '15:00:00',
        currency_code: 'EUR',
      },
    },
  ]);
});

test('a header that is only similar is an error with a suggestion', async () => {
  const text = `${german.replace('Straße', 'Strase').replace('Handelsregister', 'Handelsregistre')}\n${ber}\n`;

  expect((await read({ 'hotels.csv': text })).problems).toEqual([
    'hotels.csv: row 1: Handelsregistre: is not a field of a property; did you mean commercial_register_entry?',
    'hotels.csv: row 1: Strase: is not a field of a property; did you mean location.address_line1?',
  ]);
});

test.each([
  [german.replace('Kürzel', 'Hausnr'), 'Hausnr', 'a property', 'code'],
  ['Kontakt;Rolle;Hotel', 'Kontakt', 'an invitation', 'email'],
])(
  'the other headers show what the rows are where the key has an unknown one: %s',
  async (head, key, one, column) => {
    expect((await read({ 'a.csv': `${head}\n` })).problems).toEqual([
      `a.csv: row 1: ${key}: is not a field of ${one}`,
      `a.csv: row 1: has no column ${column}, which ${one} needs`,
    ]);
  },
);

describe('a list of something else with a column email', () => {
  test.each([
    ['name,city,country,email', 'email: is not a field of a property'],
    ['Name;Straße;PLZ;Ort;Mail', 'Mail: is not a field of a property'],
    ['property,name,group,max_persons,email', 'email: is not a field of a unit'],
    ['Kürzel;Hotel;PLZ', 'Hotel: is not a field of a property'],
  ])('is what most of its columns are: %s', async (head, problem) => {
    expect((await read({ 'a.csv': `${head}\n` })).problems).toContain(`a.csv: row 1: ${problem}`);
  });

  test.each([
    ['id;name;Address-it;email;phone;stars', 'invitations (email) or of properties (name)'],
    ['Hotel;Ort;PLZ;E-Mail;Sterne', 'invitations (Hotel, E-Mail) or of properties (Ort, PLZ)'],
    ['code,email', 'properties (code) or of invitations (email)'],
  ])('is refused where its columns do not tell: %s', async (head, both) => {
    expect((await read({ 'a.csv': `${head}\n` })).problems).toEqual([
      `a.csv: row 1: may be of ${both}: add a column kind`,
    ]);
  });

  test('is what its column kind says', async () => {
    const { entries } = await read({ 'a.csv': 'kind,email,name\ninvitation,ana@example.com,\n' });

    expect(entries).toMatchObject([{ kind: 'invitation', name: 'ana@example.com' }]);
  });
});

test.each([
  ['E-Mail;Mail;Rolle', 'is given twice, as "E-Mail" and "Mail"'],
  ['email;email;Rolle', 'is given twice, as "email" and "email"'],
])('two headers for one column are an error that names both: %s', async (head, problem) => {
  const { problems } = await read({ 'people.csv': `${head}\nana@example.com;;x\n` });

  expect(problems).toEqual([`people.csv: row 1: email: ${problem}`]);
});

describe('--map', () => {
  test.each([
    ['a field', 'Sitz=location.city'],
    ['a header in other letters', 'SITZ=city'],
  ])('names the column for a header: %s', async (_, word) => {
    const text = `${german.replace('Ort', 'Sitz')}\n${ber}\n`;

    const { entries, problems } = await read({ 'hotels.csv': text }, { map: [word] });

    expect(problems).toEqual([]);
    expect(entries[0]?.fields['location']).toMatchObject({ city: 'Berlin' });
  });

  test('leaves a column out, also one with values', async () => {
    const text = `${german};Bemerkung\n${ber};nice\n`;

    const { entries, problems } = await read({ 'hotels.csv': text }, { map: ['Bemerkung='] });

    expect(problems).toEqual([]);
    expect(Object.keys(entries[0]?.fields ?? {})).not.toContain('Bemerkung');
  });

  test.each([
    ['Sitz=citty', '--map: "Sitz=citty": citty is not a field of a property; did you mean location.city?'],
    [
      'Sitz=payment_terms',
      '--map: "Sitz=payment_terms": payment_terms is not a column: write payment_terms.en',
    ],
    ['Orrt=city', '--map: no table has a column "Orrt"; did you mean Ort?'],
  ])('%s is rejected with what was meant', async (word, problem) => {
    expect((await read({ 'hotels.csv': `${german}\n${ber}\n` }, { map: [word] })).problems).toEqual([
      problem,
    ]);
  });

  test('with no table is rejected', async () => {
    expect(
      (await read({ 'people.json': '[{ "email": "ana@example.com" }]' }, { map: ['Ort=city'] })).problems,
    ).toEqual(['--map: no table has a column "Ort"']);
  });
});

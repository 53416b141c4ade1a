import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read } from './reading.ts';

const ben = '{"subject_id":"ben-1","enabled":true';

test('YAML keeps the source text of plain scalars, except under extra', async () => {
  const text = `
# yaml-language-server: $schema=manifest.schema.json
properties:
  - code: 12
    name: { en: NO }
    company_name: 1e3
    commercial_register_entry: 2024-01-01
    tax_id: 0x10
    location: { address_line1: ~x, postal_code: 01067, city: Yes, country_code: NO }
    time_zone: Europe/Oslo
    default_check_in_time: 15:00:00
    currency_code: NOK
    extra: { stars: 4, pool: true, location: { region_code: BE } }
users:
  - email: ben@example.com
    enabled: True
`;

  const { entries, problems } = await read({ 'x.yaml': text });

  expect(problems).toEqual([]);
  expect(entries).toEqual([
    {
      kind: 'property',
      name: '12',
      place: { file: 'x.yaml', unit: 'line', number: 4 },
      fields: {
        code: '12',
        name: { en: 'NO' },
        company_name: '1e3',
        commercial_register_entry: '2024-01-01',
        tax_id: '0x10',
        location: { address_line1: '~x', postal_code: '01067', city: 'Yes', country_code: 'NO' },
        time_zone: 'Europe/Oslo',
        default_check_in_time: '15:00:00',
        currency_code: 'NOK',
        extra: { stars: 4, pool: true, location: { region_code: 'BE' } },
      },
    },
    {
      kind: 'user',
      name: 'ben@example.com',
      place: { file: 'x.yaml', unit: 'line', number: 15 },
      fields: { email: 'ben@example.com', enabled: true },
    },
  ]);
});

test('a YAML file may hold several documents, and empty ones are skipped', async () => {
  const text = `---\n- ${ben}}\n---\n${ben.replace('1', '2')}}\n---\nusers:\n  - ${ben.replace('1', '3')}}\n---\n`;

  const { entries } = await read({ 'x.yml': text });

  expect(entries.map(({ name, place }) => [name, place.number])).toEqual([
    ['ben-1', 2],
    ['ben-2', 4],
    ['ben-3', 7],
  ]);
});

test('an alias resolves to its anchor', async () => {
  const text = `users:\n  - &ben { email: ben@example.com, properties: &ids [BER] }\n  - { email: ana@example.com, properties: *ids }\n`;

  const { entries } = await read({ 'x.yaml': text });

  expect(entries.map(({ fields }) => fields['properties'])).toEqual([['BER'], ['BER']]);
});

test.each([
  [100, []],
  [101, ['x.yaml: uses aliases (*) of one anchor (&) more than 100 times']],
])('an anchor may have a hundred aliases: %i', async (count, problems) => {
  const user = (index: number, ids: string) => `- { subject_id: u${index}, properties: ${ids} }\n`;
  const text = Array.from({ length: count }, (_, index) => user(index, '*ids')).join('');

  expect((await read({ 'x.yaml': user(-1, '&ids [BER]') + text })).problems).toEqual(problems);
});

test('each error in a YAML file is reported with its own line', async () => {
  const text = `
- { email: ana@example.com, extra: { no: 12345678901234567890, location: [{ a: 1, a: 2 }] } }
- { email: mia@example.com, extra: { city: a, city: b } }
- { email: ben }
`;

  const { problems } = await read({ 'x.yaml': text });

  expect(problems).toEqual([
    'x.yaml: line 2: names "a" twice',
    'x.yaml: line 3: names "city" twice',
    'x.yaml: line 2: has the number "12345678901234567890", which cannot be sent exactly; write it in quotes',
    'x.yaml: line 4: email: "ben" is not an e-mail address',
  ]);
});

test('each error in a JSON file is reported with its own line', async () => {
  const text = `{
  "invitations": [
    { "email": "ana@example.com", "is_account_admin": true,
      "extra": {
        "a": 1,
        "a": 2,
        "b": {
          "no":
            12345678901234567890 }
      }
    },
    5,
    {
      "email": "ben" }
  ],
  "guests":
    [],
  "properties":
    7,
  "users": [
    [],
    { "subject_id": "u", "enabled": true },
    { "subject_id": "u", "enabled": true }
  ]
}`;

  const { problems } = await read({ 'x.json': text });

  expect(problems.toSorted()).toEqual([
    'subject_id: "u" is given at x.json: line 22 and at x.json: line 23',
    'x.json: line 12: is no entry: an entry holds fields and values',
    'x.json: line 13: email: "ben" is not an e-mail address',
    'x.json: line 16: guests: is not part of a manifest; it has properties, invitations, users, unit_attributes, unit_groups, units',
    'x.json: line 18: properties: must be a list of entries',
    'x.json: line 21: is no entry: an entry holds fields and values',
    'x.json: line 6: names "a" twice',
    expect.stringMatching(/^x\.json: line 9: has the number "12345678901234567890"/),
  ]);
});

const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]',
  'c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]',
];

test.each([
  ['nothing', '', 'x.yaml: is empty'],
  [
    'a syntax error',
    'users:\n  - a: b: c\n',
    'x.yaml: line 2: is not valid YAML: Nested mappings are not allowed in compact mappings',
  ],
  [
    'an alias without an anchor',
    'users: *a\n',
    'x.yaml: line 1: has an alias (*a) without an anchor (&a) before it',
  ],
  [
    'a duplicate key',
    'users:\n  - subject_id: a\n    enabled: true\n    "enabled": false\n',
    'x.yaml: line 4: names "enabled" twice',
  ],
  ['too many levels', `extra: ${'['.repeat(80)}${']'.repeat(80)}\n`, 'x.yaml: is nested deeper than 50'],
  [
    'an alias bomb',
    `extra:\n  ${bomb.join('\n  ')}\n  d: [*c,*c,*c]\n`,
    'x.yaml: uses aliases (*) of one anchor (&) more than 100 times',
  ],
  [
    '__proto__',
    `- email: a@example.com\n  extra: { __proto__: { a: b } }\n`,
    'x.yaml: uses the name __proto__, which is not taken',
  ],
  [
    'a long number',
    '- email: a@example.com\n  extra:\n    no: 12345678901234567890\n',
    'x.yaml: line 3: has the number "12345678901234567890", which cannot be sent exactly; write it in quotes',
  ],
])('YAML with %s is rejected', async (_, text, problem) => {
  const [first = ''] = (await read({ 'x.yaml': text })).problems;

  expect(first.slice(0, problem.length)).toBe(problem);
});

test.each([
  ['nothing', ' \n', 'x.json: is empty'],
  [
    'a syntax error',
    `[\n ${ben}}\n {"b":2}]`,
    "x.json: line 3: is not valid JSON: Expected ',' or ']' after array element",
  ],
  [
    'several JSON values',
    `${ben}}\n${ben}}\n`,
    expect.stringMatching(/^x\.json: line 2: is not valid JSON: /),
  ],
  ['a duplicate key', `[\n${ben},\n"enabled":false}]`, 'x.json: line 3: names "enabled" twice'],
  [
    'a long number',
    '{"email":"a@example.com","extra":\n{"a":0.30000000000000001}}',
    'x.json: line 2: has the number "0.30000000000000001", which cannot be sent exactly; write it as a text',
  ],
  [
    '__proto__',
    '{"email":"a@example.com","__proto__":{"a":1}}',
    'x.json: uses the name __proto__, which is not taken',
  ],
  ['too many levels', `{"extra":${'['.repeat(80)}${']'.repeat(80)}}`, 'x.json: is nested deeper than 50'],
])('JSON with %s is rejected', async (_, text, problem) => {
  expect((await read({ 'x.json': text })).problems).toEqual([problem]);
});

test('NDJSON has one entry per line; a byte order mark, blank lines and CRLF are accepted', async () => {
  const text = `\ufeff${ben}}\r\n\r\n  \n${ben.replace('1', '2')}}`;

  const { entries } = await read({ 'x.ndjson': text, 'y.jsonl': `${ben.replace('1', '3')}}` });

  expect(entries.map(({ name, place }) => [name, place.number])).toEqual([
    ['ben-1', 1],
    ['ben-2', 4],
    ['ben-3', 1],
  ]);
});

test.each([
  ['nothing', '\n \n', 'x.ndjson: is empty'],
  [
    'an incomplete entry',
    `${ben}}\n{"a":\n`,
    'x.ndjson: line 2: is not valid JSON: an NDJSON file has one whole entry on each line',
  ],
])('NDJSON with %s is rejected', async (_, text, problem) => {
  expect((await read({ 'x.ndjson': text })).problems).toEqual([problem]);
});

test('strings that look like keys and numbers cause no error', async () => {
  const extra = { note: 'a "quoted": text, 12345678901234567890', 'a: "b"': '\\' };
  const entry = { email: 'ana@example.com', is_account_admin: true, extra };

  const { entries } = await read({
    'x.ndjson': JSON.stringify(entry),
    'y.json': JSON.stringify({ ...entry, email: 'ben@example.com' }),
  });

  expect(entries.map(({ fields }) => fields['extra'])).toEqual([extra, extra]);
});

test.each(['x.yaml', 'x.json', 'x.ndjson', 'x.csv'])(
  '%s in another encoding, or binary is rejected',
  async (name) => {
    const read1 = async (bytes: Buffer) => await read({ [name]: bytes });
    const files = [Buffer.from('code: M\xfcnchen\n', 'latin1'), Buffer.from([1, 0, 2])];

    expect(await Promise.all(files.map(read1))).toEqual(
      files.map(() =>
        expect.objectContaining({
          problems: [`${name}: is not UTF-8 text`],
          hint: 'Save it as UTF-8, from a spreadsheet as "CSV UTF-8".',
        }),
      ),
    );
  },
);

const smaller = 'give it in several files; NDJSON and CSV may have 64 MiB';

test.each<[string, number, string]>([
  ['x.yaml', 8, smaller],
  ['x.json', 16, smaller],
  ['x.ndjson', 64, smaller],
  ['x.csv', 64, smaller],
])('%s may have %d MiB', async (name, mebibytes, advice) => {
  const prepare = (folder: string) => truncate(join(folder, name), mebibytes * 1_048_576 + 1);

  expect((await read({ [name]: '' }, { prepare })).problems).toEqual([
    `${name}: is larger than ${mebibytes} MiB; ${advice}`,
  ]);
});

test.each([
  ['YAML', '# hotels\n', 8],
  ['JSON', '{           ', 16],
])('%s from stdin has the same size limit as a file', async (_, start, mebibytes) => {
  const stdin = start + ' '.repeat(mebibytes * 1_048_576);

  expect((await read({}, { paths: ['-'], stdin })).problems).toEqual([
    `stdin: is larger than ${mebibytes} MiB; ${smaller}`,
  ]);
});

test('250,000 entries are accepted, and no more', async () => {
  const users = (count: number) =>
    `subject_id,enabled\n${Array.from({ length: count }, (_, at) => `u${at},true\n`).join('')}`;

  expect((await read({ 'x.csv': users(250_001) })).problems).toEqual([
    'The files hold more than 250,000 entries; give them in parts.',
  ]);
});

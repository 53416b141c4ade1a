import { expect, test } from 'vitest';
import { hotel, read } from './reading.ts';

const kinds = 'property, invitation, user, unit_attribute, unit_group, unit';
const lists = 'properties, invitations, users, unit_attributes, unit_groups, units';
const unclear = 'does not say what it is: it has no kind, code, subject_id or email';
const wholeLocation = Object(hotel()['location']);
const located = (changes: object) => ({ location: { ...wholeLocation, ...changes } });
const ana = { email: 'ana@example.com', role: 'Housekeeping', properties: ['BER'] };
const ben = { subject_id: 'ben-1', enabled: true };

function json(value: unknown): string {
  return JSON.stringify(value);
}

test.each([
  ['a manifest', { $schema: './s.json', properties: [hotel()], invitations: [ana], users: [ben] }],
  ['a list of entries', [hotel(), ana, ben]],
])('a file may hold %s', async (_, value) => {
  const { entries, problems } = await read({ 'all.json': json(value) });

  expect(problems).toEqual([]);
  expect(entries.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'property BER',
    'invitation ana@example.com',
    'user ben-1',
  ]);
});

test('a file may hold one entry, and its list of properties does not make it a manifest', async () => {
  const { entries } = await read({ 'ana.json': json(ana) });

  expect(entries).toEqual([
    {
      kind: 'invitation',
      name: 'ana@example.com',
      place: { file: 'ana.json', unit: 'line', number: 1 },
      fields: ana,
    },
  ]);
});

test('entries keep the order of files and lines, and their fields', async () => {
  const { entries } = await read({
    'b.json': json([hotel({ code: 'VIE' })]),
    'a.json': json([hotel({ code: 'BER', extra: { stars: 4 } })]),
  });

  expect(entries.map(({ name }) => name)).toEqual(['VIE', 'BER']);
  expect(entries[1]?.fields).toEqual(hotel({ extra: { stars: 4 } }));
});

test.each([
  ['an entry without fields', {}, unclear],
  ['a misspelt key field', { emial: 'ana@example.com' }, `${unclear}; did you mean email?`],
  [
    'an entry with a kind in several lists',
    { kind: 'properties', code: 'BER' },
    `kind: "properties" is not one of ${kinds}; did you mean property?`,
  ],
  ['an unknown kind', { kind: 'room' }, `kind: "room" is not one of ${kinds}`],
  ['a numeric kind', { kind: 1 }, `kind: must be ${kinds}`],
  ['a top-level key that is not a list', { properties: {} }, 'properties: must be a list of entries'],
  [
    'a misspelt top-level key',
    { propertis: [], users: [] },
    'propertis: is not part of a manifest; did you mean properties?',
  ],
  ['an unknown top-level key', { rooms: [], users: [] }, `rooms: is not part of a manifest; it has ${lists}`],
  [
    'a kind that contradicts its list',
    { users: [{ kind: 'invitation', email: 'ana@example.com' }] },
    'kind: says invitation, but the entry is in the list of users',
  ],
])('%s is rejected', async (_, value, problem) => {
  expect((await read({ 'x.json': json(value) })).problems).toEqual([`x.json: line 1: ${problem}`]);
});

test('top-level keys that are null or empty hold no entries', async () => {
  expect(await read({ 'x.yaml': 'properties:\ninvitations: []\n' })).toEqual({
    entries: [],
    problems: [],
    message: '',
    warnings: [],
    skipped: [],
  });
});

test('fields without a value are omitted, also under extra and its nested levels', async () => {
  const extra = { motto: ' ', note: null, stars: 0, description: { en: 'Near', de: '' }, list: [null, ''] };
  const value = hotel({ default_check_in_time: '', extra });

  const { entries } = await read({ 'x.json': json(value) });

  expect(entries.map(({ fields }) => fields)).toEqual([
    hotel({
      default_check_in_time: undefined,
      extra: { stars: 0, description: { en: 'Near' }, list: [null, ''] },
    }),
  ]);
});

test('errors of all files are reported together, with line and field', async () => {
  const { problems, hint } = await read({
    'one.yaml': `# hotels\nproperties:\n  - ${json(hotel({ companyName: 'x', currency_code: 'eur' }))}\n`,
    'two.ndjson': `${json({ email: 'ana' })}\n\n${json(hotel({ tax_id: 12, city: 'Bonn' }))}\n`,
    'three.json': '',
    'four.txt': '',
  });

  expect(problems).toEqual([
    'four.txt: is a .txt file; save it as .csv or .xlsx',
    'one.yaml: line 3: companyName: is not a field of a property; did you mean company_name?',
    'one.yaml: line 3: currency_code: "eur" is not a currency code of ISO 4217: write EUR',
    'two.ndjson: line 1: email: "ana" is not an e-mail address',
    'two.ndjson: line 3: city: is not a field of a property; did you mean location.city?',
    'two.ndjson: line 3: tax_id: must be a text, in quotes',
    'code: "BER" is given at one.yaml: line 3 and at two.ndjson: line 3',
    'three.json: is empty',
  ]);
  expect(hint).toBeUndefined();
});

const underExtra = 'Fields of your service that the contract does not name go under "extra".';

test.each([
  ['an unknown field that resembles no other', hotel({ stars: 4 }), underExtra],
  ['an unknown field of a location', hotel(located({ floor: 4 })), underExtra],
  ['a field that a user does not have', { ...ben, stars: 4 }, undefined],
  ['a contract field under extra', hotel({ extra: { tax_id: 'x' } }), undefined],
])('the hint about extra is given only where it helps: %s', async (_, value, hint) => {
  const found = await read({ 'x.json': json(value) });

  expect([found.problems.length, found.hint]).toEqual([1, hint]);
});

test.each([
  ['a string instead of a location', { location: 'Berlin' }, 'location: must hold fields and values'],
  [
    'an invalid language code',
    { name: { english: 'Hotel' } },
    'name.english: "english" is not a language code such as en, de or de-AT',
  ],
  [
    'a contract field under extra',
    { extra: { taxId: '1' } },
    'extra.taxId: is a field of the contract: write tax_id outside extra',
  ],
  ['a name with control characters', { 'a\u001b[31m': 1 }, '"a\\u001b[31m": is not a field of a property'],
])('of a property, %s is rejected', async (_, changes, problem) => {
  expect((await read({ 'x.json': json(hotel(changes)) })).problems).toEqual([`x.json: line 1: ${problem}`]);
});

const eitherOr = 'give either email or subject_id, to say which user it is';

test.each([
  [
    'an invitation with an invalid list',
    { ...ana, properties: 'BER' },
    'properties: must be a list of property ids: [BER, VIE]',
  ],
  ['a user with both email and subject_id', { ...ben, email: 'ben@example.com' }, eitherOr],
  ['a user without email and subject_id', { kind: 'user', enabled: true }, eitherOr],
  ['a misspelt list as the only field', { propertys: [] }, `${unclear}; did you mean properties?`],
])('rejects %s', async (_, value, problem) => {
  expect((await read({ 'x.json': json(value) })).problems).toEqual([`x.json: line 1: ${problem}`]);
});

test('in a list of ids, each invalid and each duplicate id is reported', async () => {
  const { problems } = await read({ 'x.json': json({ ...ana, properties: ['BER', 'ber', 5, null, ['a']] }) });

  expect(problems).toEqual([
    'x.json: line 1: properties: item 3: must be a text, in quotes',
    'x.json: line 1: properties: item 4: is empty',
    'x.json: line 1: properties: item 5: must be a text, and is a list',
    'x.json: line 1: properties: "BER" is listed twice, also in other letters',
  ]);
});

test('a string field rejects lists, objects and line breaks', async () => {
  const { problems } = await read({
    'x.json': json(hotel({ company_name: ['a', 'b'], tax_id: { a: 'b' }, code: 'B\nR' })),
  });

  expect(problems).toEqual([
    'x.json: line 1: code: has a line break',
    'x.json: line 1: company_name: must be a text, and is a list',
    'x.json: line 1: tax_id: must be a text, and holds fields and values',
  ]);
});

test('a truth is written in English or German', async () => {
  const words = ['true', 'TRUE', '"true"', 'ja', 'WAHR', 'yes', 'False', 'FALSCH', 'nein', 'no'];
  const text = words.map((word, index) => `- { subject_id: u${index}, enabled: ${word} }\n`).join('');

  const { entries } = await read({ 'x.yaml': text });

  expect(entries.map(({ fields }) => fields['enabled'])).toEqual(words.map((_, index) => index < 6));
  expect((await read({ 'x.yaml': '- { subject_id: u, enabled: maybe }' })).problems).toEqual([
    'x.yaml: line 1: enabled: "maybe" is neither true nor false: write true or false',
  ]);
});

test('ids of a list are deduplicated, and an empty list is kept', async () => {
  const { entries } = await read({
    'x.json': json([
      { ...ana, properties: ['BER', 'VIE', 'BER'] },
      { email: 'ben@example.com', enabled: false, properties: [] },
    ]),
  });

  expect(entries.map(({ fields }) => fields['properties'])).toEqual([['BER', 'VIE'], []]);
});

test.each([
  [
    'a code in another case',
    [hotel(), hotel({ code: 'ber' })],
    'code: "BER" is given at x.yaml: line 1 and, as "ber", at x.yaml: line 2',
  ],
  [
    'an address as invitation and as user',
    [ana, { email: 'Ana@example.com', enabled: true }],
    'email: "ana@example.com" is given at x.yaml: line 1 and, as "Ana@example.com", at x.yaml: line 2, as an invitation and as a user: a person is either invited or has access',
  ],
  ['a subject id', [ben, ben], 'subject_id: "ben-1" is given at x.yaml: line 1 and at x.yaml: line 2'],
])('a duplicate is rejected with both places: %s', async (_, values, problem) => {
  const text = values.map((value) => `- ${json(value)}\n`).join('');

  expect((await read({ 'x.yaml': text })).problems).toEqual([problem]);
});

test('of many errors a hundred are reported, and the rest is counted', async () => {
  const lines = Array.from({ length: 1_350 }, (_, index) => JSON.stringify({ email: `ana-${index}` }));

  const { problems, message } = await read({ 'x.ndjson': lines.join('\n') });

  expect(problems).toHaveLength(100);
  expect(message.split('\n').filter((_, index) => [0, 1, 101].includes(index))).toEqual([
    '1,350 problems in the files:',
    '  x.ndjson: line 1: email: "ana-0" is not an e-mail address',
    '  and 1,250 more',
  ]);
});

test('a withdrawn currency, a lost zero and invitations without access are warned about once', async () => {
  const { warnings } = await read({
    'x.json': json([
      hotel({ currency_code: 'BGN' }),
      hotel({ code: 'MUC', currency_code: 'BGN' }),
      hotel({ code: 'VIE', ...located({ postal_code: '1010', country_code: 'AT' }) }),
      hotel({ code: 'LEJ', ...located({ postal_code: '1067' }) }),
      { email: 'ana@example.com' },
      { email: 'ben@example.com', role: 'Housekeeping' },
      { email: 'eva@example.com', is_account_admin: true },
    ]),
  });

  expect(warnings).toEqual([
    'x.json: line 1: BGN is no longer a currency of ISO 4217.',
    'x.json: line 1: the postal code "1067" may have lost a zero in a spreadsheet.',
    'Without is_account_admin, or role and properties, the invitation of ana@example.com (x.json: line 1), and 1 more, gives access to nothing.',
  ]);
});

test('the first error of each document is reported, and documents without one are read', async () => {
  const text = 'email: "a"x\n---\nemail: eva@\n---\nemail: !!str a@x.org\nrole: *x\n';

  expect((await read({ 'x.yaml': text })).problems).toEqual([
    'x.yaml: line 1: is not valid YAML: Unexpected scalar at node end',
    'x.yaml: line 3: email: "eva@" is not an e-mail address',
    'x.yaml: line 5: has a tag (tag:yaml.org,2002:str), and tags are not taken',
    'x.yaml: line 6: has an alias (*x) without an anchor (&x) before it',
  ]);
});

test('the name of a hotel in the same files is reported with its code, also in roles of users', async () => {
  const properties = [hotel({ code: 'HAM', name: { en: 'Harbour Hotel', de: 'Hotel am Hafen' } })];
  const invitations = [{ email: 'ana@example.com', properties: ['Hotel am Hafen'] }];
  const users = [{ email: 'ben@example.com', property_roles: [{ id: 'harbour hotel', roles: [] }] }];

  const { problems } = await read({ 'x.yaml': JSON.stringify({ properties, invitations, users }) });

  expect(problems).toEqual([
    'x.yaml: line 1: properties: item 1: "Hotel am Hafen" is the name of HAM: give the id',
    'x.yaml: line 1: property_roles: item 1: id "harbour hotel" is the name of HAM: give the id',
  ]);
});

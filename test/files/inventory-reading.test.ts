import { describe, expect, test } from 'vitest';
import { apaleo } from '../../src/service/apaleo.ts';
import { type Reading, read as readIn } from './reading.ts';

const read = (files: Readonly<Record<string, string>>, options: Partial<Reading> = {}) =>
  readIn(files, { dialect: apaleo, ...options });

/** The names of the units of a file. */
async function unitsIn(names: string): Promise<readonly string[]> {
  const { entries = [], problems } = await read({ 'x.yaml': `units: [{ property: BER, names: ${names} }]` });
  return problems.length > 0 ? problems : entries.map(({ name }) => name);
}

describe('names of units', () => {
  test.each<[string, readonly string[]]>([
    ['201..203', ['201', '202', '203']],
    ['[101, 103..104, Garden]', ['101', '103', '104', 'Garden']],
    ['"101, 103..104"', ['101', '103', '104']],
  ])('%s are %j', async (names, expected) => {
    expect(await unitsIn(names)).toEqual(expected.map((name) => `BER/${name}`));
  });

  test.each([
    ['228..201', '"228..201" is reversed: write 201..228'],
    ['1..1001', '"1..1001" has 1001 names, more than 1000'],
    ['""', undefined],
    ['[]', 'must be names and ranges: 201..228, or a list of them'],
    ['{ a: b }', 'must be names and ranges: 201..228, or a list of them'],
  ])('%s is refused', async (names, reason) => {
    const problems = await unitsIn(names);

    expect(problems).toEqual([
      reason === undefined ? 'x.yaml: line 1: give either name or names' : `x.yaml: line 1: names: ${reason}`,
    ]);
  });

  test('one name in two ranges is refused, in files of any kind', async () => {
    const { problems } = await read({
      'a.yaml': 'units: [{ property: BER, names: 1..3 }]',
      'b.csv': 'property,name,group\nber,2,DBL\n',
    });

    expect(problems).toEqual(['name: "BER/2" is given at a.yaml: line 1 and, as "ber/2", at b.csv: row 2']);
  });

  test('a range in place of a name is not taken for a unit', async () => {
    const { problems } = await read({ 'x.csv': 'property,name\nBER,201..228\n' });

    expect(problems).toEqual(['x.csv: row 2: name: "201..228" is a range: names takes it']);
  });

  test('a name in a table that people take for a range is one unit, with a warning', async () => {
    const { entries, warnings } = await read({
      'x.csv': 'property,name\nBER,201-228\nBER,301 - 303\nBER,401\n',
    });

    expect(entries?.map(({ name }) => name)).toEqual(['BER/201-228', 'BER/301 - 303', 'BER/401']);
    expect(warnings).toEqual([
      'x.csv: row 2: "201-228" is the name of one unit, and 1 more like it; write a range such as 701..705 in a column names (--map HEADER=names).',
    ]);
  });
});

describe('inside a property', () => {
  const hotel = (inside: string) =>
    `code: BER\nname: { en: Hotel }\ncompany_name: A\ncommercial_register_entry: B\ntax_id: C\n` +
    `location: { address_line1: D, postal_code: 10117, city: E, country_code: DE }\n` +
    `time_zone: Europe/Berlin\ncurrency_code: EUR\n${inside}`;

  test('groups and units belong to it, with their own lines', async () => {
    const { entries } = await read({
      'x.yaml': hotel(
        'unit_groups:\n  - { code: DBL }\nunits:\n  - { name: 1, group: DBL }\n  - { names: 2..3 }\n',
      ),
    });

    expect(entries?.map(({ kind, name, place }) => [kind, name, place.number])).toEqual([
      ['property', 'BER', 1],
      ['unit_group', 'BER/DBL', 10],
      ['unit', 'BER/1', 12],
      ['unit', 'BER/2', 13],
      ['unit', 'BER/3', 13],
    ]);
    expect(entries?.[0]?.fields).not.toHaveProperty('units');
  });

  test.each([
    ['units: { names: 1..3 }', 'x.yaml: line 9: units: must be a list of entries'],
    ['units: [5]', 'x.yaml: line 9: is no entry: an entry holds fields and values'],
    ['units: [{ property: BER, name: 5 }]', 'x.yaml: line 9: property: is the one around it: leave it out'],
    ['unit_groups: [{ name: { en: x } }]', 'x.yaml: line 9: code: is missing'],
    ['unitgroups: []', 'x.yaml: line 9: unitgroups: is not a field of a property; did you mean unit_groups?'],
  ])('%s is refused', async (inside, problem) => {
    expect((await read({ 'x.yaml': hotel(inside) })).problems).toEqual([problem]);
  });
});

describe('values', () => {
  test.each([
    ['max_persons: 2', { max_persons: 2 }],
    [
      'description: { en: Nice }, attributes: [A, A, B]',
      { description: { en: 'Nice' }, attributes: ['A', 'B'] },
    ],
    ['condition: Dirty, connects: ["2"]', { condition: 'Dirty', connects: ['2'] }],
  ])('of a unit: %s', async (fields, expected) => {
    const { entries } = await read({ 'x.yaml': `units: [{ property: BER, name: 1, ${fields} }]` });

    expect(entries?.[0]?.fields).toEqual({ property: 'BER', name: '1', ...expected });
  });

  test.each([
    ['unit', 'max_persons: 0', 'max_persons: "0" is not a whole number from 1'],
    ['unit', 'max_persons: [2]', 'max_persons: must be a whole number from 1'],
    ['unit', 'condition: clean', 'condition: "clean" is not one of Clean, CleanToBeInspected, Dirty'],
    ['unit', 'attributes: BALCONY', 'attributes: must be a list: [BALCONY]'],
    ['unit', 'description: { english: Nice }', 'description.english: "english" is not a language code'],
    ['unit', 'roup: DBL', 'roup: is not a field of a unit; did you mean group?'],
    ['unit_group', 'connected: { DBL: 0 }', 'connected.DBL: "0" is not a whole number from 1'],
    ['unit_group', 'connected: [DBL]', 'connected: must say how many of each: { DBL: 1 }'],
    ['unit_group', 'type: Room', 'type: "Room" is not one of BedRoom, MeetingRoom, EventSpace, ParkingLot'],
  ])('of a %s are refused: %s', async (kind, fields, problem) => {
    const own = kind === 'unit' ? 'name: 1' : 'code: ABC';
    const { problems } = await read({ 'x.yaml': `${kind}s: [{ property: BER, ${own}, ${fields} }]` });

    expect(problems.map((each) => each.replace('x.yaml: line 1: ', ''))).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  test('what is made of itself in a circle is refused', async () => {
    const group = (code: string, part: string) =>
      `{ property: BER, code: ${code}, connected: { ${part}: 1 } }`;
    const { problems } = await read({
      'x.yaml': `unit_groups:\n- ${group('AAA', 'BBB')}\n- ${group('BBB', 'CCC')}\n- ${group('CCC', 'AAA')}\n- ${group('DDD', 'EEE')}`,
    });

    expect(problems).toEqual(
      ['AAA', 'BBB', 'CCC'].map(
        (code, index) =>
          `x.yaml: line ${index + 2}: connected: "BER/${code}" leads into a circle of unit groups`,
      ),
    );
  });
});

describe('tables', () => {
  test('a table of units has a range, lists and texts', async () => {
    const { entries } = await read({
      'u.csv':
        'property,names,group,max_persons,description.en,attributes,connects\nBER,201..202,DBL,2,Nice,"A, B",\nBER,301,SUI,,,,"201;202"\n',
    });

    expect(entries?.map(({ fields }) => fields)).toEqual([
      ...['201', '202'].map((name) => ({
        ...{ property: 'BER', name, group: 'DBL', max_persons: 2 },
        ...{ description: { en: 'Nice' }, attributes: ['A', 'B'] },
      })),
      { property: 'BER', name: '301', group: 'SUI', connects: ['201', '202'] },
    ]);
  });

  test('a table of groups has a column for each part', async () => {
    const { entries } = await read({
      'g.csv': 'property,code,name.en,max_persons,connected.DBL\nBER,SUI,Suite,4,2\nBER,DBL,Double,2,\n',
    });

    expect(entries?.map(({ kind, fields }) => [kind, fields])).toEqual([
      [
        'unit_group',
        { property: 'BER', code: 'SUI', name: { en: 'Suite' }, max_persons: 4, connected: { DBL: 2 } },
      ],
      ['unit_group', { property: 'BER', code: 'DBL', name: { en: 'Double' }, max_persons: 2 }],
    ]);
  });

  test('headers of a spreadsheet are read in English and German', async () => {
    const { entries } = await read({ 'z.csv': 'Hotel;Zimmer;Zimmerkategorie;Personen\nBER;101;DBL;2\n' });

    expect(entries?.map(({ kind, fields }) => [kind, fields])).toEqual([
      ['unit', { property: 'BER', name: '101', group: 'DBL', max_persons: 2 }],
    ]);
  });

  test.each([
    ['name,group\n1,DBL\n', 'u.csv: row 1: has no column property, which a unit needs'],
    ['property,name,group.x\nBER,1,2\n', 'u.csv: row 1: group.x: is not a column: write group'],
    ['property,name,group,description\nBER,1,2,x\n', /description: is not a column: write description.en/],
    ['property,code,connected\nBER,DBL,1\n', 'u.csv: row 1: connected: is not a column: write connected.DBL'],
  ])('%j is refused', async (text, problem) => {
    const { problems } = await read({ 'u.csv': text });

    expect(problems).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)]);
  });
});

test('in the dialect contract all kinds are refused once, beside what else is wrong', async () => {
  const { problems } = await readIn({
    'x.yaml': 'units: [{ property: BER, names: 1..3 }, { property: BER, name: 9, grup: DBL }]',
    'y.yaml': 'unit_attributes: [{ name: A }]\ninvitations: [{ email: ana@example.com, roles: [A] }]',
  });

  expect(problems).toEqual([
    'x.yaml, y.yaml: needs dialect apaleo (this profile uses contract) for 3 entries (units, unit attributes) and 1 field (roles)',
    'x.yaml: line 1: grup: is not a field of a unit; did you mean group?',
  ]);
});

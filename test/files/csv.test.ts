import { describe, expect, test } from 'vitest';
import { apaleo } from '../../src/service/apaleo.ts';
import { contract } from '../../src/service/dialect.ts';
import { tableRow as ber, tableHeader as header, hotel, read } from './reading.ts';

test('a row becomes an entry whose place is the row number of a spreadsheet', async () => {
  const { entries, problems } = await read({ 'x.csv': `${header}\n${ber}\n` });

  expect(problems).toEqual([]);
  expect(entries).toEqual([
    { kind: 'property', name: 'BER', place: { file: 'x.csv', unit: 'row', number: 2 }, fields: hotel() },
  ]);
});

test('quoted cells may hold delimiters, quotes and line breaks; blank rows are counted but hold no entry', async () => {
  const text = 'email,role,extra.note\n"ana@example.com","a ""b"", c","one\ntwo"\n\n,,\nben@example.com,,\n';

  const { entries } = await read({ 'x.csv': text });

  expect(entries.map(({ fields, place }) => [place.number, fields])).toEqual([
    [2, { email: 'ana@example.com', role: 'a "b", c', extra: { note: 'one\ntwo' } }],
    [5, { email: 'ben@example.com' }],
  ]);
});

test('the one leading apostrophe that protects a cell from being a formula is removed', async () => {
  const cells = ["'=1+1", "'+49", "'-1", "'@home", "''quoted", "'\tx", "O'Hara", "'plain", "'"];
  const rows = cells.map((cell, index) => `a${index}@example.com,"${cell}"\n`);

  const { entries } = await read({ 'x.csv': `email,extra.note\n${rows.join('')}` });

  expect(entries.map(({ fields }) => Object(fields['extra']).note)).toEqual([
    '=1+1',
    '+49',
    '-1',
    '@home',
    "'quoted",
    '\tx',
    "O'Hara",
    "'plain",
    "'",
  ]);
});

test('lists are split, booleans are read in spreadsheet spelling, and dotted columns build objects', async () => {
  const text =
    'kind,email,subject_id,is_account_admin,enabled,properties,extra.description.en,extra.description.de\n' +
    'invitation,ana@example.com,,FALSE,,"BER, VIE;MUC",Hi,Hallo\n' +
    'user,,ben-1,,true,"BER;VIE",,\n' +
    ',,ben-2,,false,,,\n';

  const { entries } = await read({ 'x.csv': text });

  expect(entries.map(({ kind, fields }) => [kind, fields])).toEqual([
    [
      'invitation',
      {
        email: 'ana@example.com',
        properties: ['BER', 'VIE', 'MUC'],
        is_account_admin: false,
        extra: { description: { en: 'Hi', de: 'Hallo' } },
      },
    ],
    ['user', { subject_id: 'ben-1', enabled: true, properties: ['BER', 'VIE'] }],
    ['user', { subject_id: 'ben-2', enabled: false }],
  ]);
});

test.each([
  ['code', header, 'property'],
  ['enabled', 'email,enabled', 'user'],
  ['subject_id', 'subject_id,properties', 'user'],
  ['email', 'email,properties', 'invitation'],
])('the column %s decides the kind of the rows', async (_, head, kind) => {
  const row = kind === 'property' ? ber : 'x@example.com,true';

  expect((await read({ 'x.csv': `${head}\n${row}\n` })).entries.map((entry) => entry.kind)).toEqual([kind]);
});

test.each([
  [
    'a misspelt location column',
    header.replace('location.city', 'location.citty'),
    'x.csv: row 1: location.citty: is not a field of a location; did you mean location.city?',
  ],
  [
    'a location column without a field',
    `${header},location`,
    'x.csv: row 1: location: is not a column: write location.address_line1',
  ],
  [
    'a name column without a language',
    header.replace('name.en', 'name'),
    'x.csv: row 1: name: is not a column: write name.en',
  ],
  [
    'an unknown language',
    header.replace('name.en', 'name.englitsch'),
    'x.csv: row 1: name.englitsch: "englitsch" is not a language code such as en, de or de-AT',
  ],
  ['extra without a field', `${header},extra`, 'x.csv: row 1: extra: is not a column: write extra.<field>'],
  [
    '__proto__',
    `${header},extra.__proto__.a`,
    'x.csv: row 1: extra.__proto__.a: is not a column: write extra.<field>',
  ],
  [
    'a column nested in another',
    `${header},extra.a,extra.a.b`,
    'x.csv: row 1: extra.a.b: is part of extra.a, which is also a column',
  ],
  [
    'too many levels',
    `${header},extra${'.a'.repeat(50)}`,
    `x.csv: row 1: "extra${'.a'.repeat(27)}…": is nested deeper than 50`,
  ],
  [
    'no column that decides the kind',
    'role,properties',
    'x.csv: row 1: has no column email, which an invitation needs',
  ],
])('a header with %s is rejected', async (_, head, problem) => {
  expect((await read({ 'x.csv': `${head}\n${ber}\n` })).problems[0]).toBe(problem);
});

test('misspelt column names are reported with suggestions', async () => {
  expect((await read({ 'x.csv': 'Emial;Roel;Stars;properties\nx;x;x;x\n' })).problems).toEqual([
    'x.csv: row 1: Emial: is not a field of an invitation; did you mean email?',
    'x.csv: row 1: Roel: is not a field of an invitation; did you mean role?',
    'x.csv: row 1: Stars: is not a field of an invitation',
  ]);
});

test('a first row of values is reported, split by the delimiter of the file', async () => {
  expect((await read({ 'x.csv': 'BER;Berlin;x;y;z\n' })).problems).toEqual([
    'x.csv: row 1: is not a header: BER, Berlin, x and 2 more name no fields; the first row does, or that of --header-row, such as code;name.en;company_name',
  ]);
});

test('known columns are judged although the header is wrong in others', async () => {
  const head = header.replace('tax_id', 'tax_ix');
  const { problems } = await read({
    'x.csv': `${head},code\n${ber},\n${ber.replace('Europe', 'Europa')},\nMUC\n`,
  });

  expect(problems).toEqual([
    'x.csv: row 1: tax_ix: is not a field of a property; did you mean tax_id?',
    'x.csv: row 1: code: is given twice, as "code" and "code"',
    'x.csv: row 3: time_zone: "Europa/Berlin" is not an IANA time zone; did you mean Europe/Berlin?',
    'code: "BER" is given at x.csv: row 2 and at x.csv: row 3',
    'x.csv: row 4: has 1 cell, and the header 14; an empty cell keeps its delimiter',
  ]);
});

test('rows before an unclosed quote are validated', async () => {
  expect((await read({ 'x.csv': 'email,role\nana\nben,x\n"eva,\n' })).problems).toEqual([
    'x.csv: row 2: has 1 cell, and the header 2; an empty cell keeps its delimiter',
    'x.csv: row 3: email: "ben" is not an e-mail address',
    'x.csv: row 4: has a quote (") in a wrong place; a cell with quotes is written as "a ""b"""',
  ]);
});

test('[] is an empty list, and an empty cell is no value', async () => {
  const { entries } = await read({
    'x.csv':
      'email,enabled,properties,\nben@example.com,,[],\nzoe@example.com,true, [] ,\neva@example.com,true,,\n'.replaceAll(
        ',\n',
        '\n',
      ),
  });

  expect(entries.map(({ fields }) => fields)).toEqual([
    { email: 'ben@example.com', properties: [] },
    { email: 'zoe@example.com', enabled: true, properties: [] },
    { email: 'eva@example.com', enabled: true },
  ]);
});

test('a name of fifty levels, and a thousand columns, are accepted', async () => {
  const deep = `extra${'.a'.repeat(49)}`;
  const more = Array.from({ length: 986 }, (_, index) => `extra.b${index}`);
  const values = [deep, ...more].map(() => 'x').join();

  const { entries, problems } = await read({
    'x.csv': `${header},${deep},${more.join()}\n${ber},${values}\n`,
  });

  expect(problems).toEqual([]);
  expect(Object.keys(Object(entries[0]?.fields['extra']))).toHaveLength(987);
});

test('a header alone is an empty list, like [] in JSON', async () => {
  expect(await read({ 'x.csv': `${header}\n\n`, 'y.csv': 'kind,email\n' })).toMatchObject({
    entries: [],
    problems: [],
  });
});

test.each([
  ['blank rows', '\n\n', 'x.csv: is empty'],
  [
    'a quote inside a cell',
    `${header}\n${ber.replace('Hotel', 'Hotel "H"')}\n`,
    'x.csv: row 2: has a quote (") in a wrong place; a cell with quotes is written as "a ""b"""',
  ],
  [
    'a cell of a field of another kind',
    'kind,code,email,enabled\ninvitation,,ana@example.com,true\n',
    'x.csv: row 2: enabled: is not a field of an invitation',
  ],
  [
    'a lone CR in a cell',
    `${header}\n${ber.replace('Hotel', 'Ho\rtel')}\n`,
    'x.csv: row 2: has 2 cells, and the header 13; an empty cell keeps its delimiter',
  ],
])('a table with %s is rejected', async (_, text, problem) => {
  expect((await read({ 'x.csv': text })).problems[0]).toBe(problem);
});

test('the hint for an unknown column maps it if another is missing, and else leaves it out', async () => {
  const { hint } = await read({ 'x.csv': `${header},stars\n${ber},4\n` });
  const lacking = await read({ 'x.csv': `${header.replace('code', 'stars')}\n${ber}\n` });
  const { entries, problems } = await read({ 'x.csv': `${header},stars\n${ber},4\n` }, { mapRest: 'ignore' });

  expect(hint).toBe('innctl plan --map-rest ignore');
  expect(lacking.hint).toBe('innctl plan --map stars=COLUMN');
  expect([entries.map(({ name }) => name), problems]).toEqual([['BER'], []]);
});

test.each([
  ['one that is never closed', 'email,role\n"ana,x\neva,x\n', [2]],
  ['one that meets another', 'email,role\r\n"ana,x\r\nben,"x\r\neva,x', [2, 3]],
  ['text after a closing one', 'email,role\n"ana"n,x\neva,\n', [2]],
])('reading goes on after the row of a wrong quote: %s', async (_, text, rows) => {
  expect((await read({ 'x.csv': text })).problems).toEqual([
    ...rows.map(
      (row) =>
        `x.csv: row ${row}: has a quote (") in a wrong place; a cell with quotes is written as "a ""b"""`,
    ),
    `x.csv: row ${Math.max(...rows) + 1}: email: "eva" is not an e-mail address`,
  ]);
});

test('reading ends after twenty rows of wrong quotes', async () => {
  const { problems } = await read({ 'x.csv': `email\n${'"a"b\n'.repeat(30)}` });

  expect(problems).toHaveLength(20);
  expect(problems.at(-1)).toMatch(/^x.csv: row 21: .*; the rows after it are not read$/);
});

describe('above the header', () => {
  const [head, row] = ['E-Mail;Rolle;Hotel', 'ana@example.com;Auditor;BER'];

  test.each([
    ['a title', `Mitarbeiter 2026;;\n\n${head}\n${row}\n`, 3],
    ['a title with the mark of another table', `Aurora, Berlin\n${head}\n${row}\n`, 2],
    ['a title that is a column', `Hotel;;\n${head}\n${row}\n`, 2],
    ['comments', `# made, by hand, today\n# "x"y\n${head}\n${row}\n`, 3],
  ])('%s is left out with a warning', async (_, text, line) => {
    const { entries, problems, warnings } = await read({ 'x.csv': text });

    expect(problems).toEqual([]);
    expect(entries).toMatchObject([
      {
        fields: { email: 'ana@example.com', role: 'Auditor', properties: ['BER'] },
        place: { number: line + 1 },
      },
    ]);
    expect(warnings).toEqual([`x.csv: what is above the header in row ${line} is not read.`]);
  });

  test('a row of several words is no title, and is left out by the number of the header', async () => {
    const text = `Liste;von;Leuten\n${head}\n${row}\n`;
    const { entries } = await read({ 'x.csv': text }, { headerRow: 2 });

    expect((await read({ 'x.csv': text })).problems).toEqual([
      expect.stringContaining('row 1: is not a header'),
    ]);
    expect(entries.map(({ name }) => name)).toEqual(['ana@example.com']);
    expect((await read({ 'x.csv': text }, { headerRow: 9 })).problems).toEqual([
      'x.csv: has nothing in row 9, which --header-row names',
    ]);
  });
});

test('a list of addresses needs no header', async () => {
  const { entries } = await read({ 'x.csv': 'ana@example.com\n ben@example.com\n' });

  expect(entries.map(({ kind, name, place }) => [kind, name, place.number])).toEqual([
    ['invitation', 'ana@example.com', 1],
    ['invitation', 'ben@example.com', 2],
  ]);
});

test('the row of a wrong quote is that of the table, however long it is', async () => {
  const many = Array.from({ length: 9_000 }, (_, index) => `b${index}@example.com,x\n`).join('');

  expect((await read({ 'x.csv': `email,role\n${many}"ana,x\n` })).problems).toEqual([
    'x.csv: row 9002: has a quote (") in a wrong place; a cell with quotes is written as "a ""b"""',
  ]);
});

describe('spreadsheet error values', () => {
  test.each(['#REF!', '#N/A', '#VALUE!', '#NAME?', '#DIV/0!', '#BEZUG!', '#NV', '#¡REF!', 'Err:502', '####'])(
    '%s is reported in each of its cells, and the other cells are validated',
    async (error) => {
      const text = `email,role,properties,extra.note\n${error},Auditor,"BER, ${error}",${error}\neva,x,,\n`;

      expect((await read({ 'x.csv': text })).problems).toEqual([
        ...['email', 'properties', 'extra.note'].map(
          (field) =>
            `x.csv: row 2: ${field}: "${error}" looks like a spreadsheet error: write the value itself`,
        ),
        'x.csv: row 3: email: "eva" is not an e-mail address',
      ]);
    },
  );

  test.each([
    ['tax_id', 'DE1', '1.07E+03'],
    ['commercial_register_entry', 'HRB 1', '1.23457E+11'],
  ])('a number in scientific notation in %s is reported once', async (field, before, number) => {
    expect((await read({ 'x.csv': `${header}\n${ber.replace(before, `"${number}"`)}\n` })).problems).toEqual([
      `x.csv: row 2: ${field}: "${number}" was rewritten by a spreadsheet: format its column as text, and enter the value again`,
    ]);
  });

  test('an id that contains E, and a number under extra, are accepted', async () => {
    const { entries, problems } = await read({
      'x.csv': `${header},extra.factor\n${ber.replace('DE1', '1e3')},1.07E+03\n`,
    });

    expect([problems, entries.map(({ fields }) => [fields['tax_id'], fields['extra']])]).toEqual([
      [],
      [['1e3', { factor: '1.07E+03' }]],
    ]);
  });
});

test.each([
  ['roles,Auditor; Err:502', 'Err:502'],
  ['properties,"1,07E+03"', '1,07E+03'],
  ['property_roles,BER: FrontDesk; VIE: #N/A', '#N/A'],
  ['property_roles,#REF!: FrontDesk', '#REF!'],
])('spreadsheet error values are found inside a list cell: %s', async (column, word) => {
  const [field, cell] = column.split(/,(.*)/);
  const { problems } = await read(
    { 'x.csv': `email,${field}\nana@example.com,${cell}\n` },
    { dialect: field === 'roles' ? apaleo : contract },
  );

  expect(problems).toEqual([expect.stringContaining(`x.csv: row 2: ${field}: "${word}" `)]);
});

test.each([
  ['BER VIE', '"BER VIE" has a blank: ids are separated by commas or semicolons, as in BER,VIE'],
  ['grand hotel  BERLIN', '"grand hotel  BERLIN" is the name of BER: give the id'],
])('%s is rejected as a list of ids', async (cell, reason) => {
  expect((await read({ 'x.csv': `email,properties\nana@example.com,${cell}\n` })).problems).toEqual([
    `x.csv: row 2: properties: item 1: ${reason}`,
  ]);
});

describe('columns without a name', () => {
  const mark = (text: string, delimiter: string) => text.replaceAll(',', delimiter);

  test.each([',', ';', '\t'])('are ignored when empty in every row: %j', async (delimiter) => {
    const text = `email,,role,"  ",,,\nana@example.com,,Housekeeping,, \t,,\n\nben@example.com,,,,,"",\n`;
    const spaced = delimiter === '\t' ? text.replace(' \t', ' ') : text;

    const { entries, problems } = await read({ 'x.csv': mark(spaced, delimiter) });

    expect(problems).toEqual([]);
    expect(entries.map(({ fields }) => fields)).toEqual([
      { email: 'ana@example.com', role: 'Housekeeping' },
      { email: 'ben@example.com' },
    ]);
  });

  test('may be omitted at the end of a row, and other columns may not', async () => {
    const text =
      'email,role,,,\nana@example.com,x\nben@example.com,x,,\neva@example.com\ntom@example.com,x,,,,\n';

    expect((await read({ 'x.csv': text })).problems).toEqual([
      'x.csv: row 4: has 1 cell, and the header 5; an empty cell keeps its delimiter',
      'x.csv: row 5: has 6 cells, and the header 5; a cell with the delimiter in it is written in quotes',
    ]);
  });

  test('are reported with row and column when they hold a value', async () => {
    const text = 'email,,role,,\nana@example.com,,x,,\nben@example.com,Auditor,x,,see mail\n';

    expect((await read({ 'x.csv': text })).problems).toEqual([
      'x.csv: row 3: column 2: has the value "Auditor", and the header has no name for its column',
      'x.csv: row 3: column 5: has the value "see mail", and the header has no name for its column',
    ]);
  });

  test('do not count toward the column limit', async () => {
    const { entries } = await read({
      'x.csv': `email${','.repeat(2_000)}\nana@example.com${','.repeat(2_000)}\n`,
    });

    expect(entries.map(({ fields }) => fields)).toEqual([{ email: 'ana@example.com' }]);
  });
});

describe('a formula that contains only a text', () => {
  test.each([
    ['quoted as CSV requires', '"=""01067"""', '01067'],
    ['with quotes in it', '="a""b"', 'a"b'],
    ['with quotes at its ends', '="""a"""', '"a"'],
    ['with a leading apostrophe', `="'=1"`, "'=1"],
  ])('is read as its text, %s', async (_, cell, text) => {
    const { entries, problems } = await read({
      'x.csv': `email,is_account_admin,extra.note,extra.end\nana@example.com,true,${cell},x\n`,
    });

    expect(problems).toEqual([]);
    expect(entries.map(({ fields }) => fields['extra'])).toEqual([{ note: text, end: 'x' }]);
  });

  test.each([
    ['commas', ','],
    ['semicolons', ';'],
    ['tabs', '\t'],
  ])(
    'is read in first and last columns, before any line ending, with the delimiter %s',
    async (_, delimiter) => {
      const text =
        '\ufeff="email",is_account_admin,="extra.a"\r\n="ana@example.com",true,="1"\r\n="ben@example.com",true,="2"\neva@example.com,true,="3"';

      const { entries } = await read({ 'x.csv': text.replaceAll(',', delimiter) });

      expect(entries.map(({ name, fields }) => [name, fields['extra']])).toEqual([
        ['ana@example.com', { a: '1' }],
        ['ben@example.com', { a: '2' }],
        ['eva@example.com', { a: '3' }],
      ]);
    },
  );

  test('is an empty cell when its text is empty', async () => {
    const { entries } = await read({
      'x.csv': 'email,is_account_admin,role\nana@example.com,true,=""\n',
    });

    expect(entries.map(({ fields }) => fields['role'])).toEqual([undefined]);
  });

  test.each([
    ['a quoted formula of two strings', '"=""a""&""b"""', '="a"&"b"'],
    ['one without its closing quote', '"=""01067"', '="01067'],
    ['only the opening of one', '"="""', '="'],
    ['quotes inside a text', '"a,="""",b"', 'a,="",b'],
  ])('is not unwrapped: %s', async (_, cell, text) => {
    const { entries } = await read({
      'x.csv': `email,is_account_admin,extra.note\nana@example.com,true,${cell}\n`,
    });

    expect(entries.map(({ fields }) => fields['extra'])).toEqual([{ note: text }]);
  });

  test.each(['="a"&"b"', '="01067', '="a" ', '="a\nb"'])(
    'is unwrapped only where it is complete: %j',
    async (cell) => {
      const { problems } = await read({
        'x.csv': `email,is_account_admin,extra.note\nana@example.com,true,${cell}\n`,
      });

      expect(problems[0]).toMatch(/^x\.csv: row 2: has a quote/);
    },
  );
});

test.each([
  ['a semicolon', 'sep=;\nemail;role\nana@example.com;a,b,c\n'],
  ['a tab, after a byte order mark', '\ufeffsep=\t\r\nemail\trole\r\nana@example.com\ta,b,c\r\n'],
  ['a bar, in quotes and capitals', '"SEP=|"\remail|role\rana@example.com|a,b,c\r'],
])('a first line that sets the delimiter to %s is not a row', async (_, text) => {
  const { entries, problems } = await read({ 'x.csv': text });

  expect(problems).toEqual([]);
  expect(entries.map(({ fields, place }) => [place.number, fields])).toEqual([
    [2, { email: 'ana@example.com', role: 'a,b,c' }],
  ]);
});

test.each(['sep=', 'sep=;;', 'sep=x', 'sep="'])('a first line %s sets no delimiter', async (line) => {
  const { entries } = await read({ 'x.csv': `${line}\nemail;role\nana@example.com;x\n` });

  expect(entries.map(({ place }) => place.number)).toEqual([3]);
});

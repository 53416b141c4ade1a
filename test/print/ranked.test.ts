import { describe, expect, test } from 'vitest';
import { propertyShape, userShape } from '../../src/commands/shapes.ts';
import type { ServiceRecord } from '../../src/model/records.ts';
import { desk, onePage } from './desk.ts';

const roles = (id: string, ...names: readonly string[]) => ({ id, roles: names });

const ana: ServiceRecord = {
  subject_id: '6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01',
  email: 'ana@example.com',
  first_name: 'Ana',
  last_name: 'Lindner',
  enabled: true,
  is_account_admin: true,
  is_mfa_enabled: null,
  properties: [],
};

const ben: ServiceRecord = {
  subject_id: '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01',
  email: 'ben@example.com',
  first_name: 'Ben',
  enabled: false,
  is_account_admin: false,
  properties: ['BER', 'MUC', 'VIE', 'HAM'],
  property_roles: [roles('BER', 'FrontDesk', 'Auditor'), roles('MUC', 'FrontDesk', 'Auditor'), roles('HAM')],
};

const people = [ana, ben];

async function shownAt(
  columns: number,
  items = people,
  more: Parameters<typeof desk>[0] = {},
  shape = userShape,
) {
  const { out, shown } = desk({ terminal: true, columns, ...more });
  await out.records(shape, onePage(items));
  const { stdout, stderr } = shown();
  const lines = stdout.split('\n');
  const title = lines.find((line) => line.includes('Name')) ?? '';
  return { stdout, stderr, lines, head: title.split('│').flatMap((cell) => cell.trim() || []) };
}

const all = ['Name', 'E-mail', 'State', 'Roles', 'Account admin', 'Subject id'];
const more = (count: number) =>
  `${count === 1 ? '1 column' : `${count} columns`} more with -o wide or --fields.\n`;

describe('the columns of a list', () => {
  test.each([
    [50, 3, 'ben@example.com', more(3)],
    [60, 4, 'BER, MUC: Fr…', more(2)],
    [70, 4, 'BER, MUC: FrontDesk, A…', more(2)],
    [80, 4, 'BER, MUC: FrontDesk, Auditor; VI…', more(2)],
    [97, 4, 'BER, MUC: FrontDesk, Auditor; VIE; HAM: none', more(2)],
    [120, 5, 'BER, MUC: FrontDesk, Auditor; VIE; HAM: none', more(1)],
    [160, 6, 'BER, MUC: FrontDesk, Auditor; VIE; HAM: none', ''],
  ])('at %i are the first %i that fit, and the others are counted', async (columns, count, cell, stderr) => {
    const shown = await shownAt(columns);

    expect({ head: shown.head, stderr: shown.stderr }).toEqual({ head: all.slice(0, count), stderr });
    expect(shown.stdout).toContain(`│ ${cell} `);
    expect(shown.lines.filter((line) => line.length > columns)).toEqual([]);
  });

  test('are cut, e-mail addresses last, before essential ones are left out', async () => {
    const email = 'benjamin.schuster.be@hotels.example';
    const items = [{ ...ben, first_name: 'Benjamin', last_name: 'Schuster', email }];

    const [wide, narrow] = [await shownAt(80, items), await shownAt(60, items)];

    expect(wide.lines[3]).toBe(`│ Benjamin Sc… │ ${email} │ disabled │ BER, MUC: F… │`);
    expect(narrow.lines[3]).toBe('│ Benjamin Sc… │ benjamin.schuster.be@hotels.e… │ disabled │');
  });

  test.each([
    [60, '│ L1 │ Grand Palace Hotel… │ Llanfairpwllgwyngy… │ Live   │'],
    [
      120,
      '│ L1 │ Grand Palace Hotel and Spa of the Archdukes and … │ Llanfairpwllgwyngyllgogerychwyrndrobwllllantysil… │ Live   │',
    ],
  ])('of properties are cut at %i before city and status are left out', async (columns, line) => {
    const long: ServiceRecord = {
      id: 'L1',
      name: { en: `Grand Palace Hotel and Spa of the Archdukes ${'and so on '.repeat(5)}` },
      location: { city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch', country_code: 'GB' },
      currency_code: 'GBP',
      status: 'Live',
    };

    const { lines } = await shownAt(columns, [long], {}, propertyShape);

    expect(lines[3]).toBe(line);
  });

  test('below 50 are a card for each record', async () => {
    const { stdout, stderr } = await shownAt(49, [ben]);

    expect(stderr).toBe('');
    expect(stdout).toBe(
      [
        'Name:          Ben',
        'E-mail:        ben@example.com',
        'State:         disabled',
        'Roles:         BER, MUC: FrontDesk, Auditor; VIE; HAM: none',
        'Account admin: no',
        'Subject id:    6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01',
        '',
      ].join('\n'),
    );
  });

  test('are all shown as wide, nothing cut, with borders only where they fit', async () => {
    const narrow = await shownAt(50, people, { format: 'wide' });
    const wide = await shownAt(200, people, { format: 'wide' });
    const pipe = await shownAt(80, people, { format: 'wide', terminal: false });

    expect(narrow.lines[0]).toBe(
      'Name         E-mail           State     Roles                                         Account admin  Subject id',
    );
    expect(wide.head).toEqual(all);
    expect(pipe.stdout).toBe(wide.stdout);
    expect([narrow.stderr, wide.stderr, pipe.stderr]).toEqual(['', '', '']);
  });

  test('are exactly those that were asked for, even if they are empty or too wide', async () => {
    const fields = ['is_mfa_enabled', 'subject_id', 'enabled', 'properties'];
    const wide = await shownAt(80, people, { view: { fields } });
    const narrow = await shownAt(60, people, { view: { fields } });

    expect(wide.lines[1]).toBe(
      '│ MFA │ Subject id                           │ Enabled │ Properties         │',
    );
    expect(narrow.lines[0]).toBe('MFA:        -');
    expect([wide.stderr, narrow.stderr]).toEqual(['', '']);
  });

  test('do not change in a pipe', async () => {
    const { stdout, stderr } = await shownAt(80, people, { terminal: false });

    expect({ stdout, stderr }).toEqual({
      stdout:
        '6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01\tana@example.com\tAna\tLindner\ttrue\ttrue\t\t\n' +
        '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01\tben@example.com\tBen\t\tfalse\tfalse\t\tBER: FrontDesk, Auditor; MUC: FrontDesk, Auditor; VIE; HAM: none\n',
      stderr: '',
    });
  });

  test('stay when all of them are empty but the first', async () => {
    expect((await shownAt(80, [{}])).head).toEqual(['Name']);
  });

  test.each([
    ['wide characters', '東京ホテル'.repeat(9)],
    ['emoji', '👩‍🍳🏨'.repeat(12)],
    ['controls', '\u001b[2J\r\n'.repeat(9)],
    ['no blanks', 'x'.repeat(10_001)],
  ])('fit with %s in every cell', async (_, text) => {
    const hostile = { ...ben, first_name: text, last_name: text, email: text, properties: [text] };

    for (const columns of [50, 60, 80, 120, 160]) {
      const { lines, stderr, stdout } = await shownAt(columns, [ana, hostile]);
      expect(lines.filter((line) => /^[┌├└]/.test(line)).map((line) => line.length <= columns)).toEqual([
        true,
        true,
        true,
      ]);
      expect(stderr).toMatch(/^\d columns? more with -o wide or --fields\.\n$/);
      expect(stdout).not.toContain('\u001b');
    }
  });

  test('are decided by the first thousand of many rows', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => ({ ...ben, email: `ben${index}@example.com` }));

    const { lines, stderr } = await shownAt(80, many);

    expect(lines).toHaveLength(1_502);
    expect(lines[0]).toMatch(/^Name {2}E-mail +State +Roles/);
    expect(stderr).toBe(more(2));
  });

  test('say by colour, besides words, who is disabled', async () => {
    const colour = { stdout: true, stderr: true };
    const coloured = await shownAt(80, people, { colour });

    expect(coloured.stdout).toContain('\u001b[1m\u001b[31mdisabled\u001b[39m\u001b[22m');
    expect((await shownAt(80, people)).stdout).toContain('│ disabled │');
  });
});

import { describe, expect, test } from 'vitest';
import { userShape } from '../../src/commands/shapes.ts';
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
  email: 'benjamin.schuster.be@hotels.example',
  first_name: 'Ben',
  enabled: false,
  is_account_admin: false,
  properties: ['BER', 'MUC', 'VIE', 'HAM'],
  property_roles: [roles('BER', 'FrontDesk', 'Auditor'), roles('MUC', 'FrontDesk', 'Auditor'), roles('HAM')],
};

const people = [ana, ben];

async function shownAt(columns: number, items = people, more: Parameters<typeof desk>[0] = {}) {
  const { out, shown } = desk({ terminal: true, columns, ...more });
  await out.records(userShape, onePage(items));
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
    [54, 2, '│ Ben         │ benjamin.schuster.be@hotels.example │'],
    [66, 3, '│ Ben         │ benjamin.schuster.be@hotels.example │ disabled │'],
    [94, 4, '│ Ben         │ benjamin.schuster.be@hotels.example │ disabled │ BER, MUC: FrontDesk, Audit… │'],
    [
      110,
      5,
      '│ Ben         │ benjamin.schuster.be@hotels.example │ disabled │ BER, MUC: FrontDesk, Audit… │ no            │',
    ],
  ])('at %i the widest is cut, then the last ones are left out', async (columns, count, line) => {
    const shown = await shownAt(columns);

    expect({ head: shown.head, stderr: shown.stderr }).toEqual({
      head: all.slice(0, count),
      stderr: more(6 - count),
    });
    expect(shown.lines).toContain(line);
  });

  test('are cards where the first two do not fit', async () => {
    expect((await shownAt(45, [ben])).stdout).toBe(
      [
        'Name:          Ben',
        'E-mail:        benjamin.schuster.be@hotels.example',
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

    expect(narrow.lines[0]).toMatch(/^Name {9}E-mail +State +Roles +Account admin {2}Subject id$/);
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

  test('stay when all of them are empty but the first', async () => {
    expect((await shownAt(80, [{}])).head).toEqual(['Name']);
  });

  test('say by colour, besides words, who is disabled', async () => {
    const colour = { stdout: true, stderr: true };
    const coloured = await shownAt(80, people, { colour });

    expect(coloured.stdout).toContain('\u001b[1m\u001b[31mdisabled\u001b[39m\u001b[22m');
    expect((await shownAt(80, people)).stdout).toContain('│ disabled │');
  });
});

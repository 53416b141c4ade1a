import { expect, test } from 'vitest';
import { unitNames } from '../helpers/inventory.ts';
import { hotelEntry, seedingFrom } from '../helpers/seeding.ts';

const NOON = Date.UTC(2026, 3, 21, 12);

/** A service whose properties have numbers for ids, beside their codes: BER is H1, and the next one will be H4. */
async function openNumbered() {
  let moment = NOON;
  const service = await seedingFrom('numbered', 'apaleo', () => moment);
  const innctl = (...words: readonly string[]) => {
    moment += 1_000;
    return service.innctl(words, { now: () => moment });
  };
  const rows = async (...words: readonly string[]) => {
    const { exitCode, stdout, stderr } = await innctl(...words, '--json');
    const items: readonly Readonly<Record<string, string>>[] = stdout === '' ? [] : JSON.parse(stdout).items;
    const shown = items.map(({ action, outcome, kind, name, reason, error }) =>
      [outcome ?? action, kind, name, reason, error && JSON.stringify(error)].filter(Boolean).join(' '),
    );
    return { exitCode, shown, stderr };
  };
  return {
    ...service,
    innctl,
    plan: (...words: readonly string[]) => rows('plan', ...words),
    apply: (...words: readonly string[]) => rows('apply', ...words, '--yes'),
  };
}

const hotel = `properties:
${hotelEntry('HAM')}    payment_terms: { en: Now }
`;

/** Groups and units of two hotels, by code and by id; what is made of others comes first. */
function stock(ham: string, ber: string): string {
  return `unit_groups:
  - { property: HAM, code: SUI, name: { en: Suite }, description: { en: Two rooms }, max_persons: 4, connected: { DBL: 1 } }
  - { property: ${ham}, code: DBL, name: { en: Double }, description: { en: Queen bed }, max_persons: 2 }
  - { property: BER, code: APT, name: { en: Flat }, description: { en: Kitchen }, max_persons: 4, connected: { KIT: 1 } }
  - { property: ${ber}, code: KIT, name: { en: Kitchen }, description: { en: Small }, max_persons: 2 }
units:
  - { property: HAM, name: "301", group: SUI, connects: ["201"] }
  - { property: ${ham}, names: 201..228, group: DBL }
`;
}

const people = `invitations:
  - { email: mia@aurora.example, role: Housekeeping, properties: [HAM, BER, H2] }
users:
  - { email: felix@aurora.example, properties: [BER, HAM] }
`;

const isChanged = (row: string) => !row.startsWith('same ');

test('properties are found by id and by code where the two differ, and nothing is made twice', async () => {
  const service = await openNumbered();
  const path = await service.file('seed.yaml', `${hotel}${stock('HAM', 'H1')}${people}`);

  const applied = await service.apply(path);

  expect(applied.exitCode).toBe(0);
  expect(applied.shown.filter((row) => !row.startsWith('done '))).toEqual([]);
  expect((await service.hotels()).toSorted()).toEqual(['H1', 'H2', 'H3', 'H4']);
  expect((await service.units('H4')).toSorted()).toEqual(unitNames());
  expect((await service.plan(path)).shown.filter(isChanged)).toEqual([]);

  // The same records under other names of their properties.
  await service.file('seed.yaml', `${hotel}${stock('H4', 'BER')}${people.replaceAll('HAM', 'H4')}`);
  const renamed = await service.plan(path, '--prune');

  expect(renamed.exitCode).toBe(0);
  expect(renamed.shown.filter(isChanged)).toEqual([]);
});

test('what is exported is the same when it is planned, and what was created is pruned', async () => {
  const service = await openNumbered();
  const path = await service.file('seed.yaml', `${hotel}${stock('HAM', 'H1')}`);
  await service.apply(path);

  const { stdout } = await service.innctl('export', '--inventory');
  const exported = await service.plan(await service.file('exported.yaml', stdout));
  await service.file('seed.yaml', 'unit_groups: []\n');
  const pruned = await service.apply(path, '--prune', '--max-deletes', '50');

  expect(exported.shown.filter(isChanged)).toEqual([]);
  expect(pruned.shown.filter((row) => !row.startsWith('done '))).toEqual([]);
  expect(pruned.exitCode).toBe(0);
  expect((await service.hotels()).toSorted()).toEqual(['H1', 'H2', 'H3']);
});

test('commands for units, invitations and users take the id', async () => {
  const service = await openNumbered();
  const text = ['--description', 'en=One', '--max-persons', '1'];
  const lines = [
    ['units', 'create', '--property', 'H1', '--group', 'SGL', '--names', '401..403', ...text],
    ['units', 'list', '--property', 'H1', '--json'],
    ['invitations', 'create', 'mia@aurora.example', '--role', 'Auditor', '--properties', 'H2'],
    ['users', 'update', 'felix@aurora.example', '--add-properties', 'H3'],
  ];

  const ended = [];
  for (const line of lines) ended.push(await service.innctl(...line, '--yes'));

  expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  expect(await service.units('H1')).toEqual(expect.arrayContaining(['401', '402', '403']));
});

test.each([
  ['properties get BER', 3],
  ['units create --property BER --group SGL --names 401..403 --description en=One --max-persons 1', 3],
  ['users update felix@aurora.example --add-properties BER', 6],
  ['invitations create mia@aurora.example --role Auditor --properties BER', 6],
] as const)('a code that is no id is told the id: %s', async (line, exitCode) => {
  const service = await openNumbered();

  const ended = await service.innctl(...line.split(' '), '--yes', '--json');

  expect(ended.exitCode).toBe(exitCode);
  expect(ended.stderr).toMatch(/did you mean H1/i);
});

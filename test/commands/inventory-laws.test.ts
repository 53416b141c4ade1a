import { expect, test } from 'vitest';
import { fc, few } from '../helpers/laws.ts';
import { hotelEntry, seedingIn } from '../helpers/seeding.ts';

/** Texts that people write, and hostile ones; one line each, and none that a form of manifests refuses. */
const texts = fc.oneof(
  fc.constantFrom(
    'Queen bed',
    'Großes Bett: ruhig',
    '- dash',
    '#1',
    '=1+1',
    "it's",
    '"quoted", too',
    '[x]',
    'null',
    '007',
  ),
  fc.stringMatching(/^[A-Za-zäöü0-9 ,.:;#'"&*!|>%@{}[\]-]{1,20}$/).filter((text) => text.trim() === text),
);
const maps = fc.dictionary(fc.constantFrom('en', 'de', 'fr'), texts, { minKeys: 1 });
const persons = fc.integer({ min: 1, max: 9 });

const groups = fc.uniqueArray(
  fc.record({
    code: fc.constantFrom('SGL', 'DBL', 'TWN', 'FAM', 'P_1'),
    name: maps,
    description: maps,
    max_persons: persons,
  }),
  { selector: ({ code }) => code, minLength: 1 },
);

/** Names that count up, with zeros and prefixes, and single ones. */
const rooms = fc.uniqueArray(
  fc.oneof(
    fc.integer({ min: 1, max: 30 }).map(String),
    fc.integer({ min: 1, max: 12 }).map((number) => String(number).padStart(3, '0')),
    fc.integer({ min: 98, max: 103 }).map((number) => `A.${number}`),
    fc.constantFrom('Garden', 'Tower 1', 'x-9', '1e3', 'true'),
  ),
  { minLength: 1, maxLength: 25, selector: (name) => name.toLowerCase() },
);

const hotels = fc.record({ groups, rooms }).chain(({ groups: own, rooms: names }) => {
  const unit = fc.record(
    {
      group: fc.constantFrom(...own.map(({ code }) => code)),
      max_persons: persons,
      description: maps,
      attributes: fc.subarray(['SEA VIEW', 'Balcony, large'], { minLength: 1 }),
    },
    { requiredKeys: ['group'] },
  );
  return fc
    .array(unit, { minLength: names.length, maxLength: names.length })
    .map((units) => ({ groups: own, units: units.map((each, index) => ({ ...each, name: names[index] })) }));
});

test('a manifest, what it made, its export, and a copy of that elsewhere are the same', async () => {
  await fc.assert(
    fc.asyncProperty(hotels, fc.constantFrom('yaml', 'json', 'ndjson', 'csv'), async (hotel, format) => {
      const here = await seedingIn('apaleo', Date.now);
      const there = await seedingIn('apaleo', Date.now);
      const property = `properties:\n${hotelEntry('HAM')}    payment_terms: { en: Now }\n`;
      const inside = {
        unit_attributes: [{ name: 'SEA VIEW' }, { name: 'Balcony, large', description: 'Of 8 m²' }],
        unit_groups: hotel.groups.map((each) => ({ property: 'HAM', ...each })),
        units: hotel.units.map((each) => ({ property: 'HAM', ...each })),
      };
      const files = [
        await here.file('hotel.yaml', property),
        await here.file('inside.json', JSON.stringify(inside)),
      ];
      const times = ['--default-check-in-time', '15:00', '--default-check-out-time', '11:00'];
      const exporting = ['export', '--kind', 'property', '--property', 'HAM', '--inventory', ...times];
      const changes = async (seeding: typeof here, ...paths: readonly string[]) => {
        const { exitCode, stdout } = await seeding.innctl(['plan', ...paths, '--json']);
        expect(exitCode).toBe(0);
        const rows: readonly { readonly action: string }[] = JSON.parse(stdout).items;
        return rows.filter(({ action }) => action !== 'same');
      };

      const applied = await here.innctl(['apply', ...files, '--yes']);
      const exported = (await here.innctl([...exporting, '-o', format])).stdout;
      const copy = await there.file(`copy.${format}`, exported);
      const copied = await there.innctl(['apply', copy, '--yes']);

      expect([applied.exitCode, copied.exitCode]).toEqual([0, 0]);
      expect(await changes(here, ...files)).toEqual([]);
      expect(await changes(here, copy)).toEqual([]);
      expect(await changes(there, copy)).toEqual([]);
      expect((await there.innctl([...exporting, '-o', format])).stdout).toBe(exported);
    }),
    { ...few(10), endOnFailure: true },
  );
}, 120_000);

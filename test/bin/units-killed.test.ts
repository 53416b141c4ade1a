import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, test } from 'vitest';
import { hotelEntry } from '../helpers/seeding.ts';
import { moments } from '../soak/gateway.ts';
import { openKilling } from './killing.ts';
import { setup } from './setup.ts';

beforeAll(setup);

/** A hotel with three groups and forty units, one of which is made of another. */
const hotel = `properties:
${hotelEntry('HAM')}    payment_terms: { en: Now }
    unit_groups:
      - { code: SGL, name: { en: Single }, description: { en: One bed }, max_persons: 1 }
      - { code: DBL, name: { en: Double }, description: { en: Queen bed }, max_persons: 2 }
      - { code: SUI, name: { en: Suite }, description: { en: Two rooms }, max_persons: 4, connected: { DBL: 1 } }
    units:
      - { names: 101..119, group: SGL }
      - { names: 201..220, group: DBL }
      - { name: "301", group: SUI, connects: ["201"] }
`;

/** The property, three groups, the units in two requests. */
const WRITES = 6;

const cases = moments.flatMap((moment) =>
  Array.from({ length: WRITES }, (_, index) => [moment, index + 1] as const),
);

// Most of the time is a wait for what a killed run may have sent.
test.concurrent.for(cases)(
  'a run that is killed %s of write %i is completed by the same command',
  async ([moment, write], { expect }) => {
    await using place = await openKilling('apaleo');
    await writeFile(join(place.folder, 'hotel.yaml'), hotel);
    const line = 'apply hotel.yaml --yes --json';

    const killed = await place.killed(line, { moment, write });
    const again = await place.run(line);

    const { properties, unit_groups: groups, units } = (await place.service.held()).records;
    const own = (records: ReadonlyMap<string, { readonly property_id: string }>) =>
      [...records.values()].filter(({ property_id: id }) => id === 'HAM');
    expect([killed.exitCode, again.exitCode, again.stderr]).toEqual([null, 0, '']);
    expect([...properties.values()].filter(({ code }) => code === 'HAM')).toHaveLength(1);
    expect(own(groups)).toHaveLength(3);
    expect(own(units)).toHaveLength(40);
  },
);

import { describe, expect, test } from 'vitest';
import { hotelWithUnits, unitNames } from '../helpers/inventory.ts';
import { seedingIn } from '../helpers/seeding.ts';

const NOON = Date.UTC(2026, 3, 21, 12);
const MINUTE = 60_000;

/** A service of the dialect apaleo with a clock, and a manifest. */
async function openService(text: string, ...faults: readonly string[]) {
  const clock = { now: NOON };
  const service = await seedingIn('apaleo', () => clock.now, ...faults);
  const path = await service.file('seed.yaml', text);
  const situation = {
    now: () => clock.now,
    sleep: async (waited: number) => {
      clock.now += waited;
    },
  };
  const innctl = (words: readonly string[], stdin?: string) =>
    service.innctl(words, { ...situation, ...(stdin === undefined ? {} : { stdin }) });
  return {
    ...service,
    clock,
    path,
    innctl,
    async apply(...more: readonly string[]) {
      const result = await innctl(['apply', path, '--yes', '--json', ...more]);
      clock.now += 1_000;
      return { ...result, rows: rowsIn(result.stdout) };
    },
    /** Rows as `create unit HAM/201`, with a reason if there is one. */
    async plan(file = path, ...more: readonly string[]) {
      const { stdout } = await innctl(['plan', file, '--json', ...more]);
      return rowsIn(stdout).map(({ action, kind, name, reason }) =>
        [action, kind, name, reason].filter(Boolean).join(' '),
      );
    },
    /** The names of the units of HAM, sorted: a second unit with a name is there twice. */
    async unitsOfHam() {
      return (await service.units('HAM')).toSorted();
    },
  };
}

type Row = Readonly<Record<string, unknown>>;

function rowsIn(stdout: string): readonly Row[] {
  return stdout === '' ? [] : JSON.parse(stdout).items;
}

const bulk = 'POST /inventory/v1/units/bulk';
const isChanged = (row: string) => !row.startsWith('same ');

describe('a hotel with its units', () => {
  test('is created in the order of its parts, units many at a time', async () => {
    const service = await openService(hotelWithUnits('HAM', 100));

    const { exitCode, rows } = await service.apply();

    expect(exitCode).toBe(0);
    expect(rows.filter(({ outcome, id }) => outcome !== 'done' || id === undefined)).toEqual([]);
    const [one, other, ...rest] = service.writes;
    expect([one, other].toSorted()).toEqual([
      'POST /inventory/v1/properties',
      'POST /inventory/v1/unit-attributes',
    ]);
    expect(rest).toEqual([
      ...['POST /inventory/v1/unit-groups', 'POST /inventory/v1/unit-groups'],
      // 100 units in two requests, and the unit that is made of one of them.
      ...[bulk, bulk, bulk],
    ]);
    expect(await service.unitsOfHam()).toEqual(unitNames(100));
  });

  test('has its groups in the order of their parts, whatever the order in the file', async () => {
    const [, double = '', suite = ''] =
      /( *- \{ code: DBL.*\n)( *- \{ code: SUI.*\n)/.exec(hotelWithUnits('HAM')) ?? [];
    const service = await openService(hotelWithUnits('HAM').replace(double + suite, suite + double));

    const { exitCode, rows } = await service.apply();

    expect(exitCode).toBe(0);
    expect(rows.map(({ name }) => name).slice(0, 3)).toEqual(['HAM', 'HAM/SUI', 'HAM/DBL']);
    expect((await service.plan()).filter(isChanged)).toEqual([]);
  });
});

describe('units are created once', () => {
  test.each([
    ['whose answer is lost', ['drop-after:operation=createUnits,times=1']],
    ['that are refused after they were created', ['answer:status=422,operation=createUnits,times=1']],
    [
      'whose answer is lost, and keys do not count',
      ['drop-after:operation=createUnits,times=1', 'ignore-keys:operation=createUnits'],
    ],
  ])('%s', async (_, faults) => {
    const service = await openService(hotelWithUnits('HAM', 100), ...faults);

    const { exitCode } = await service.apply();

    expect(exitCode).toBe(0);
    expect(await service.unitsOfHam()).toEqual(unitNames(100));
    expect((await service.plan()).filter(isChanged)).toEqual([]);
  });

  test('although the list shows them late', async () => {
    const service = await openService(hotelWithUnits('HAM'), `lag:ms=${MINUTE},reads=lists`);

    const first = await service.apply();
    const second = await service.apply();
    service.clock.now += MINUTE;
    const third = await service.apply();

    // The suite is made of 201, whose id only the list tells.
    const left = first.rows.filter(({ outcome }) => outcome !== 'done').map(({ name }) => name);
    expect([first.exitCode, left]).toEqual([9, ['HAM/301']]);
    expect([second.exitCode, third.exitCode]).toEqual([8, 0]);
    expect(await service.unitsOfHam()).toEqual(unitNames());
  });

  test('after a day, when the service has forgotten the keys', async () => {
    const text = hotelWithUnits('HAM', 100);
    const service = await openService(text, 'hang:operation=createUnits,times=1');
    await service.apply('--timeout', '3', '--max-attempts', '1');

    service.clock.now += 25 * 60 * MINUTE;
    const { exitCode } = await service.apply();

    expect(exitCode).toBe(0);
    expect(await service.unitsOfHam()).toEqual(unitNames(100));
  });

  test('in halves if the service refuses one of them', async () => {
    const text = `${hotelWithUnits('HAM', 4)}units:
  - { property: HAM, name: "302", group: SUI, connects: ["201"] }
  - { property: HAM, name: "303", group: SUI, connects: ["203"] }
`;
    const service = await openService(text);

    const { exitCode, rows } = await service.apply();

    const failed = rows.filter(({ outcome }) => outcome === 'failed');
    expect(exitCode).toBe(9);
    expect(failed).toMatchObject([
      { name: 'HAM/302', error: { message: expect.stringContaining('is part of another unit') } },
    ]);
    expect(await service.unitsOfHam()).toEqual(['201', '202', '203', '204', '301', '303']);
  });
});

test.each(['drop-after', 'drop-before'])(
  'an answer that is lost in one property does not stop the units of another: %s',
  async (fault) => {
    const range = (property: string) =>
      `{ property: ${property}, names: 1001..1150, group: DBL, max_persons: 2 }`;
    const service = await openService(
      `units: [${range('BER')}, ${range('MUC')}]`,
      `${fault}:operation=createUnits,nth=1`,
    );

    const { exitCode, rows } = await service.apply();

    expect(exitCode).toBe(0);
    expect(rows.filter(({ outcome }) => outcome === 'done')).toHaveLength(300);
    for (const property of ['BER', 'MUC']) {
      const names = (await service.units(property)).filter((name) => /^1\d{3}$/.test(name));
      expect(new Set(names).size).toBe(150);
      expect(names).toHaveLength(150);
    }
  },
);

test('what needs a row that was not done is not attempted, and is done by the same command later', async () => {
  const service = await openService(hotelWithUnits('HAM'), '503:operation=createUnitGroup,times=2');

  const first = await service.apply('--max-attempts', '1');
  const second = await service.apply();

  const units = first.rows.filter(({ kind }) => kind === 'unit');
  expect(first.exitCode).toBe(8);
  expect(units).toHaveLength(29);
  expect(units.filter(({ outcome }) => outcome !== 'not_attempted')).toEqual([]);
  expect(units[0]).toMatchObject({
    error: { message: 'Unit group HAM/DBL was not created, or its outcome is unknown.' },
  });
  expect(second.exitCode).toBe(0);
  expect(await service.unitsOfHam()).toEqual(unitNames());
});

describe('what exists is compared and changed', () => {
  const changed = hotelWithUnits('HAM')
    .replace('max_persons: 2', 'max_persons: 3')
    .replace('description: { en: Queen bed }', 'description: { de: Großes Bett }')
    .replace('201..228', '201..229')
    .replace('attributes: [SEA VIEW]', 'attributes: [QUIET], description: { en: The best }, max_persons: 5')
    .replace('To the sea', 'To the river');

  test('fields, languages and attributes; nothing else', async () => {
    const service = await openService(hotelWithUnits('HAM'));
    await service.apply();
    const path = await service.file('changed.yaml', changed);

    const before = await service.plan(path);
    const { exitCode } = await service.innctl(['apply', path, '--yes']);
    const after = await service.plan(path);
    const group = await service.innctl([
      'api',
      'GET',
      '/inventory/v1/unit-groups/HAM-DBL',
      '-f',
      'languages=all',
    ]);

    expect(before.filter(isChanged)).toEqual([
      'change unit_group HAM/DBL',
      'create unit HAM/229',
      'change unit HAM/301',
      'change unit_attribute SEA VIEW',
    ]);
    expect([exitCode, after.filter(isChanged)]).toEqual([0, []]);
    expect(JSON.parse(group.stdout)).toMatchObject({
      name: { en: 'Double' },
      description: { en: 'Queen bed', de: 'Großes Bett' },
      maxPersons: 3,
      rank: 1,
    });
  });

  test('what is fixed after creation is a conflict', async () => {
    const service = await openService(hotelWithUnits('HAM'));
    await service.apply();
    const fixed = hotelWithUnits('HAM')
      .replace('type: BedRoom', 'type: MeetingRoom')
      .replace('connects: ["201"]', 'connects: ["202"]');

    const rows = await service.plan(await service.file('fixed.yaml', fixed));

    expect(rows.filter(isChanged)).toEqual([
      'conflict unit_group HAM/DBL type is "BedRoom", not "MeetingRoom", and cannot be changed',
      expect.stringMatching(
        /^conflict unit HAM\/301 connects is .*201.*, not .*202.*, and cannot be changed/,
      ),
    ]);
  });
});

describe('a unit that cannot be had is a conflict', () => {
  test.each([
    [
      'its name is archived',
      'name: "207", group: DBL',
      /is archived there \(BER-\w+\): no unit gets its name/,
    ],
    ['there is no such group', 'name: "999", group: DBI', /no unit group of BER has .* "DBI"/],
    [
      'there is no such attribute',
      'name: "999", group: DBL, attributes: [QUIETT]',
      /no unit attribute has .* "QUIETT"/,
    ],
    ['there is no such part', 'name: "999", group: SUI, connects: ["888"]', /no unit of BER has .* "888"/],
    ['its part is archived', 'name: "999", group: SUI, connects: ["207"]', /no unit of BER has .* "207"/],
  ])('%s', async (_, fields, reason) => {
    const service = await openService(`units: [{ property: BER, ${fields} }]`);

    const rows = await service.plan();

    expect(rows).toEqual([expect.stringMatching(/^conflict unit BER\//)]);
    expect(rows[0]).toMatch(reason);
  });

  test('the service has two of its name', async () => {
    const service = await openService('units: [{ property: BER, name: "101", group: DBL }]');
    const body = '{"propertyId":"BER","name":"101","description":{"en":"Again"},"maxPersons":1}';
    await service.innctl(['api', 'POST', '/inventory/v1/units', '--input', '-'], body);

    expect(await service.plan()).toEqual([
      expect.stringMatching(/^conflict unit BER\/101 2 units have this name: BER-\w+, BER-\w+$/),
    ]);
  });
});

describe('--prune', () => {
  test('deletes a whole hotel with what is made of parts, and learns ids that a list showed late', async () => {
    const service = await openService(hotelWithUnits('HAM', 3), `lag:ms=${MINUTE},reads=lists`);
    // The units, the suite that is made of one of them, and the id of the suite.
    for (let run = 1; run <= 3; run += 1) {
      await service.apply();
      service.clock.now += MINUTE;
    }
    await service.file('seed.yaml', 'properties: []');

    const { exitCode, rows } = await service.apply('--prune', '--max-deletes', '8');

    expect(rows.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
    expect([exitCode, rows.length]).toEqual([0, 8]);
    expect(await service.hotels()).not.toContain('HAM');
  });

  test('keeps a hotel with a unit that others made, and what entries still name', async () => {
    const service = await openService(hotelWithUnits('HAM', 3));
    await service.apply();
    const body = '{"propertyId":"HAM","name":"400","description":{"en":"Ours"},"maxPersons":1}';
    await service.innctl(['api', 'POST', '/inventory/v1/units', '--input', '-'], body);
    await service.file('seed.yaml', 'units: [{ property: BER, name: "101", attributes: [SEA VIEW] }]');

    const rows = await service.plan(service.path, '--prune');

    expect(rows.filter((row) => row.startsWith('conflict'))).toEqual([
      'conflict property HAM not deleted: these files did not create unit 400',
      'conflict unit_attribute SEA VIEW not deleted: another entry names it',
    ]);
  });

  const apart = (units: string) =>
    hotelWithUnits('HAM')
      .replace(/ {4}units:\n.*\n.*\n/, units)
      .replace(/ {6}- \{ code: SUI.*\n/, '');

  test('deletes only what a journal created, units before their groups', async () => {
    const service = await openService(hotelWithUnits('HAM'));
    await service.apply();
    const body = '{"propertyId":"HAM","name":"400","description":{"en":"Ours"},"maxPersons":1}';
    await service.innctl(['api', 'POST', '/inventory/v1/units', '--input', '-'], body);
    await service.file('seed.yaml', apart('    units: [{ names: 201..202, group: DBL }]\n'));
    service.writes.length = 0;

    const refused = await service.apply('--prune');
    const { exitCode, rows } = await service.apply('--prune', '--max-deletes', '28');

    expect(refused).toMatchObject({ exitCode: 11, rows: [] });
    expect(exitCode).toBe(0);
    expect(rows.filter(({ action }) => action === 'delete')).toHaveLength(28);
    expect(service.writes[0]).toMatch(/^DELETE .*units/);
    expect(service.writes.at(-1)).toBe('DELETE /inventory/v1/unit-groups/HAM-SUI');
    expect(await service.unitsOfHam()).toEqual(['201', '202', '400']);
  });
});

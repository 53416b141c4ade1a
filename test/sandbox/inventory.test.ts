import { beforeEach, describe, expect, test } from 'vitest';
import { emptyTables, type UnitRecord } from '../../src/sandbox/records.ts';
import { actionsView, unitActions } from '../../src/sandbox/rules.ts';
import { NOON, type Reply, sandboxOfEach } from './harness.ts';

const GROUPS = '/inventory/v1/unit-groups';
const UNITS = '/inventory/v1/units';
const ATTRIBUTES = '/inventory/v1/unit-attributes';

const call = sandboxOfEach({ dialect: 'apaleo' });

/** The ids of the units of Berlin and of the attributes, by name. */
let unit: Readonly<Record<string, string>> = {};
let attribute: Readonly<Record<string, string>> = {};

beforeEach(async () => {
  const ids = async (path: string, list: string) => {
    const { body } = await call('GET', path);
    const records: readonly { readonly id: string; readonly name: string }[] = Object(body)[list];
    return Object.fromEntries(records.map(({ name, id }) => [name, id]));
  };
  unit = await ids(`${UNITS}?propertyId=BER&status=All`, 'units');
  attribute = await ids(ATTRIBUTES, 'unitAttributes');
});

const refusal = ({ status, body }: Reply) => [status, ...(Object(body).messages ?? [])];

const newGroup = {
  ...{ propertyId: 'BER', code: 'Loft', name: { en: 'Loft', de: 'Dachzimmer' } },
  ...{ description: { en: 'Under the roof' }, maxPersons: 3 },
};
const newUnit = { propertyId: 'BER', name: '401', description: { en: 'Large', de: 'Groß' }, maxPersons: 2 };

describe('unit groups', () => {
  test('are created, shown, replaced and deleted', async () => {
    const created = await call('POST', GROUPS, { body: newGroup });

    expect([created.status, created.body, created.headers.get('location')]).toEqual([
      201,
      { id: 'BER-LOFT' },
      `${GROUPS}/BER-LOFT`,
    ]);
    expect((await call('GET', `${GROUPS}/BER-LOFT`)).body).toEqual({
      id: 'BER-LOFT',
      code: 'Loft',
      name: { en: 'Loft', de: 'Dachzimmer' },
      description: { en: 'Under the roof' },
      maxPersons: 3,
      type: 'BedRoom',
      memberCount: 0,
      property: { id: 'BER' },
    });
    const body = { name: { de: 'Boden' }, description: { de: 'Oben' }, rank: 2 };
    expect((await call('PUT', `${GROUPS}/BER-LOFT`, { body })).status).toBe(204);
    expect((await call('GET', `${GROUPS}/BER-LOFT`)).body).toMatchObject({ ...body, maxPersons: 3 });
    expect((await call('DELETE', `${GROUPS}/BER-LOFT`)).status).toBe(204);
    expect((await call('HEAD', `${GROUPS}/BER-LOFT`)).status).toBe(404);
  });

  test('show one text in lists, what expand names, and count the units that are not archived', async () => {
    const { body } = await call('GET', `${GROUPS}?propertyId=BER&expand=property,connectedUnitGroups,rates`);

    const { unitGroups, count } = Object(body);
    expect(count).toBe(5);
    expect(
      unitGroups.map((each: Readonly<Record<string, unknown>>) => [each['id'], each['memberCount']]),
    ).toEqual([
      ['BER-SGL', 4],
      ['BER-DBL', 6],
      ['BER-MTG', 1],
      ['BER-PRK', 2],
      ['BER-SUI', 1],
    ]);
    expect(unitGroups[4]).toMatchObject({
      name: 'Suite',
      property: { id: 'BER', code: 'BER', name: 'Grand Hotel Berlin' },
      connectedUnitGroups: [
        { id: 'BER-SGL', name: 'Single room', description: 'One bed', memberCount: 1, maxPersons: 1 },
        { id: 'BER-DBL', name: 'Double room', description: 'Queen bed', memberCount: 1, maxPersons: 2 },
      ],
    });
  });

  test.each([
    ['?unitGroupTypes=MeetingRoom,ParkingLot', 6],
    ['?propertyId=VIE&unitGroupTypes=BedRoom', 2],
  ])('are counted and listed with the same filters: %s', async (query, count) => {
    const list = await call('GET', `${GROUPS}${query}`);

    expect((await call('GET', `${GROUPS}/$count${query}`)).body).toEqual({ count });
    expect(Object(list.body).count).toBe(count);
  });

  test.each([
    ['an unknown property', { propertyId: 'NOPE' }, 'propertyId there is no property "NOPE".'],
    ['a code that is taken', { code: 'dbl' }, 'There is a unit group BER-DBL already.'],
    [
      'a connected group of another property',
      { connectedUnitGroups: [{ unitGroupId: 'MUC-DBL', memberCount: 1 }] },
      'connectedUnitGroups BER has no unit group "MUC-DBL".',
    ],
  ])('are refused with %s', async (_, change, message) => {
    expect(refusal(await call('POST', GROUPS, { body: { ...newGroup, ...change } }))).toEqual([422, message]);
  });

  test('keep their code, type and composition', async () => {
    const texts = { name: { en: 'Suite' }, description: { en: 'Large' } };
    const replace = (more: object) => call('PUT', `${GROUPS}/BER-SUI`, { body: { ...texts, ...more } });
    const same = [
      { unitGroupId: 'BER-DBL', memberCount: 1 },
      { unitGroupId: 'BER-SGL', memberCount: 1 },
    ];

    expect(refusal(await replace({ type: 'EventSpace' }))).toEqual([422, 'type is not a known field.']);
    expect(refusal(await replace({ connectedUnitGroups: same.slice(1) }))).toEqual([
      422,
      'connectedUnitGroups is fixed after creation.',
    ]);
    expect((await replace({ connectedUnitGroups: same })).status).toBe(204);
  });

  test('are not deleted while units are in them, or another group is made of them', async () => {
    const empty = { ...newGroup, code: 'HALL' };
    await call('POST', GROUPS, { body: empty });
    const connectedUnitGroups = [{ unitGroupId: 'BER-HALL', memberCount: 2 }];
    await call('POST', GROUPS, { body: { ...newGroup, connectedUnitGroups } });

    expect(refusal(await call('DELETE', `${GROUPS}/BER-DBL`))).toEqual([
      422,
      'The unit group BER-DBL cannot be deleted; units in it: 7.',
    ]);
    expect(refusal(await call('DELETE', `${GROUPS}/BER-HALL`))).toEqual([
      422,
      'The unit group BER-HALL cannot be deleted: BER-LOFT is made of it.',
    ]);
  });
});

describe('units', () => {
  test('are created with an id of letters, and shown with what expand names', async () => {
    const body = {
      ...newUnit,
      unitGroupId: 'BER-SUI',
      attributes: [{ id: attribute['QUIET'] }],
      connectedUnits: [{ unitId: unit['103'] }],
    };

    const created = await call('POST', UNITS, { body });

    const { id } = Object(created.body);
    expect([created.status, id]).toEqual([201, expect.stringMatching(/^BER-[A-Z]{3}$/)]);
    const shown = await call('GET', `${UNITS}/${id}?languages=de&expand=unitGroup,connectedUnits`);
    expect(shown.body).toEqual({
      ...{ id, name: '401', description: { de: 'Groß' }, maxPersons: 2, created: '2026-04-21T12:00:00Z' },
      property: { id: 'BER' },
      unitGroup: { id: 'BER-SUI', code: 'SUI', name: 'Suite', description: 'Two rooms', type: 'BedRoom' },
      status: { isOccupied: false, condition: 'Clean' },
      isArchived: false,
      attributes: [{ id: attribute['QUIET'], name: 'QUIET', description: 'To the courtyard' }],
      connectedUnits: [
        {
          ...{ id: unit['103'], name: '103', description: 'One bed', unitGroupId: 'BER-SGL' },
          ...{ condition: 'Clean', maxPersons: 1 },
        },
      ],
    });
    expect((await call('GET', `${UNITS}/${unit['103']}`)).body).toMatchObject({ connectingUnit: { id } });
  });

  test('may have the same name, and no id is given twice', async () => {
    const create = async () => String(Object((await call('POST', UNITS, { body: newUnit })).body).id);
    const first = await create();
    await call('DELETE', `${UNITS}/${first}`);

    const ids = [first, await create(), await create()];

    expect(new Set(ids).size).toBe(3);
  });

  test('are created together, in the order of the request, once for each idempotency key', async () => {
    const request = {
      body: { units: [newUnit, { ...newUnit, name: '402' }] },
      headers: { 'idempotency-key': 'k-1' },
    };

    const [first, second] = [
      await call('POST', `${UNITS}/bulk`, request),
      await call('POST', `${UNITS}/bulk`, request),
    ];

    expect([first.status, second.body]).toEqual([200, first.body]);
    const { ids } = Object(first.body);
    const { units } = Object((await call('GET', `${UNITS}?textSearch=40`)).body);
    expect(units.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual([
      [ids[0], '401'],
      [ids[1], '402'],
    ]);
  });

  test('are created together or not at all', async () => {
    const suite = { ...newUnit, connectedUnits: [{ unitId: unit['103'] }] };
    const units = [{ ...newUnit, unitGroupId: 'MUC-DBL' }, suite, suite];

    expect(refusal(await call('POST', `${UNITS}/bulk`, { body: { units } }))).toEqual([
      422,
      'units.0.unitGroupId BER has no unit group "MUC-DBL".',
      `units.2.connectedUnits ${unit['103']} is part of another unit.`,
    ]);
    expect((await call('GET', `${UNITS}/$count?propertyId=BER`)).body).toEqual({ count: 14 });
  });

  test.each([
    ['an unknown property', { propertyId: 'NOPE' }, 'propertyId there is no property "NOPE".'],
    [
      'an unknown attribute',
      { attributes: [{ id: 'NOPE' }] },
      'attributes there is no unit attribute "NOPE".',
    ],
    [
      'a unit that does not exist',
      { connectedUnits: [{ unitId: 'BER-NOP' }] },
      'connectedUnits BER has no unit "BER-NOP".',
    ],
    ['too many persons', { maxPersons: 2 ** 31 }, 'maxPersons must be at most 2147483647.'],
  ])('are refused with %s', async (_, change, message) => {
    expect(refusal(await call('POST', UNITS, { body: { ...newUnit, ...change } }))).toEqual([422, message]);
  });

  test.each([
    ['104', 'is part of another unit'],
    ['207', 'is archived'],
  ])('are not made of %s, which %s', async (name, reason) => {
    const body = { ...newUnit, connectedUnits: [{ unitId: unit[name] }] };

    expect(refusal(await call('POST', UNITS, { body }))).toEqual([
      422,
      `connectedUnits ${unit[name]} ${reason}.`,
    ]);
  });

  test.each([
    ['propertyId=BER', 14],
    ['propertyId=BER&status=All', 15],
    ['status=Archived', 1],
    ['unitGroupIds=BER-SGL,BER-SUI', 5],
    ['isOccupied=true', 1],
    ['maintenanceType=OutOfOrder', 1],
    ['condition=Dirty', 1],
    ['textSearch=m', 1],
  ])('are counted and listed with the same filters: %s', async (query, count) => {
    const list = await call('GET', `${UNITS}?${query}`);

    expect((await call('GET', `${UNITS}/$count?${query}`)).body).toEqual({ count });
    expect(Object(list.body).units.length).toBe(count);
  });

  test('are listed with the id and the type of a maintenance, and read with all of it', async () => {
    const { body: list } = await call('GET', `${UNITS}?maintenanceType=OutOfOrder`);
    const { body: alone } = await call('GET', `${UNITS}/${unit['203']}`);

    const shown = [Object(list).units[0], alone].map((each) => Object.keys(Object(each).status.maintenance));
    expect(shown).toEqual([
      ['id', 'type'],
      ['id', 'type', 'description', 'from', 'to'],
    ]);
  });

  test('of several attributes are those that have one of them', async () => {
    const { body } = await call(
      'GET',
      `${UNITS}/$count?unitAttributeIds=${attribute['BALCONY']},${attribute['QUIET']}`,
    );

    expect(body).toEqual({ count: 5 });
  });

  test('are changed by a patch, alone or several at once', async () => {
    const body = [
      { op: 'replace', path: '/condition', value: 'Dirty' },
      { op: 'add', path: '/name', value: '1' },
      { op: 'replace', path: '/description/de', value: 'Still' },
      { op: 'replace', path: '/unitGroupId', value: 'BER-DBL' },
      { op: 'replace', path: '/maxPersons', value: 4 },
      { op: 'remove', path: '/attributes/0' },
      { op: 'add', path: '/attributes/-', value: { id: attribute['BALCONY'] } },
    ];
    const ids = [unit['101'], unit['103']];

    const done = await call('PATCH', `${UNITS}?unitIds=${ids.join(',')}`, { body });

    expect(done.status).toBe(204);
    for (const id of ids) {
      expect((await call('GET', `${UNITS}/${id}`)).body).toMatchObject({
        ...{ name: '1', description: { en: 'One bed', de: 'Still' }, maxPersons: 4 },
        ...{ unitGroup: { id: 'BER-DBL' }, status: { condition: 'Dirty' } },
        attributes: [{ id: attribute['BALCONY'] }],
      });
    }
    const one = [{ op: 'replace', path: '/condition', value: 'Clean' }];
    expect((await call('PATCH', `${UNITS}/${unit['103']}`, { body: one })).status).toBe(204);
    expect((await call('GET', `${UNITS}/$count?condition=Dirty`)).body).toEqual({ count: 2 });
  });

  test.each([
    ['replace', '/propertyId', 'MUC', '/propertyId cannot be changed.'],
    ['remove', '/unitGroupId', undefined, '/unitGroupId cannot be changed with remove.'],
    ['replace', '/unitGroupId', 'MUC-DBL', 'unitGroupId BER has no unit group "MUC-DBL".'],
    ['replace', '/condition', 'Tidy', 'condition "Tidy" is not one of Clean, CleanToBeInspected, Dirty.'],
    ['replace', '/attributes', [], '/attributes cannot be changed.'],
    ['add', '/attributes/-', { id: 'NOPE' }, 'attributes there is no unit attribute "NOPE".'],
    ['remove', '/attributes/9', undefined, '/attributes/9 does not exist.'],
    ['replace', '/attributes/0', { id: 'NOPE' }, '/attributes/0 cannot be changed with replace.'],
    ['replace', '/name/en', 'x', '/name/en cannot be changed.'],
  ])('refuse %s at %s of %j', async (op, path, value, message) => {
    const response = await call('PATCH', `${UNITS}/${unit['101']}`, { body: [{ op, path, value }] });

    expect(refusal(response)).toEqual([422, message]);
  });

  test('are changed together or not at all, and need their ids', async () => {
    const body = [{ op: 'replace', path: '/condition', value: 'Dirty' }];
    const patch = (query: string) => call('PATCH', `${UNITS}${query}`, { body });

    expect(refusal(await patch(`?unitIds=${unit['101']},NOPE`))).toEqual([
      422,
      'unitIds there is no unit "NOPE".',
    ]);
    expect(refusal(await patch(''))).toEqual([422, 'unitIds is missing.']);
    expect((await call('GET', `${UNITS}/$count?condition=Dirty`)).body).toEqual({ count: 1 });
  });
});

describe('actions on units', () => {
  const actionsOf = async (name: string) => {
    const { body } = await call('GET', `${UNITS}/${unit[name]}?expand=actions`);
    const actions: readonly {
      readonly action: string;
      readonly reasons?: readonly { readonly code: string }[];
    }[] = Object(body).actions;
    return Object.fromEntries(
      actions.map(({ action, reasons = [] }) => [action, reasons.map(({ code }) => code)]),
    );
  };

  const referenced = ['DeleteNotAllowedBecauseUnitIsReferenced'];

  test.each([
    ['103', [], ['ArchiveNotAllowedBecauseUnitCanBeDeleted']],
    ['101', referenced, []],
    ['201', referenced, ['ArchiveNotAllowedBecauseAssignedToInHouseReservation']],
    ['203', referenced, ['ArchiveNotAllowedBecauseLinkedToActiveOrFutureMaintenance']],
    [
      '104',
      ['DeleteNotAllowedBecauseUnitIsPartOfConnectingUnit'],
      ['ArchiveNotAllowedBecausePartOfCombinedInventory'],
    ],
    ['207', ['DeleteNotAllowedOnArchivedUnit'], ['UnitAlreadyArchived']],
  ])('%s: not deleted because of %j, not archived because of %j', async (name, Delete, Archive) => {
    expect(await actionsOf(name)).toEqual({ Delete, Archive });

    const archived = await call('PUT', `/inventory/v1/unit-actions/${unit[name]}/archive`);
    expect(archived.status).toBe(Archive.length === 0 ? 204 : 422);
    const deleted = await call('DELETE', `${UNITS}/${unit[name]}`);
    expect(deleted.status).toBe(Delete.length === 0 ? 204 : 422);
  });

  test('a unit that was part of one that is archived is not deleted, but archived', () => {
    const unit = (id: string, more: Partial<UnitRecord>): UnitRecord => ({
      ...{ id, property_id: 'BER', name: id, description: { en: id }, max_persons: 1 },
      ...{ condition: 'Clean', is_occupied: false, is_referenced: false, attributes: [] },
      ...{ connected_units: [], created: '2026-04-21T12:00:00Z', ...more },
    });
    const part = unit('BER-AAA', {});
    const records = emptyTables();
    const whole = unit('BER-BBB', { connected_units: ['BER-AAA'], archived: '2026-04-21T12:00:00Z' });
    for (const each of [part, whole]) records.units.set(each.id, each);

    expect(actionsView(unitActions(part, { records, now: NOON }))).toMatchObject([
      {
        is_allowed: false,
        reasons: [{ code: 'DeleteNotAllowedBecauseUnitWasPartOfArchivedCombinedUnit' }],
      },
      { action: 'Archive', is_allowed: true },
    ]);
  });

  test('an archived unit stays, shows when it was archived, and cannot be changed', async () => {
    await call('PUT', `/inventory/v1/unit-actions/${unit['101']}/archive`);

    const path = `${UNITS}/${unit['101']}`;
    const body = [{ op: 'replace', path: '/name', value: 'x' }];
    expect((await call('GET', path)).body).toMatchObject({
      isArchived: true,
      archived: '2026-04-21T12:00:00Z',
    });
    expect(refusal(await call('PATCH', path, { body }))).toEqual([
      422,
      `The unit ${unit['101']} is archived and cannot be changed.`,
    ]);
    expect((await call('GET', `${GROUPS}/BER-SGL`)).body).toMatchObject({ memberCount: 3 });
  });
});

describe('unit attributes', () => {
  test('are created, changed and deleted', async () => {
    const created = await call('POST', ATTRIBUTES, { body: { name: 'SEA', description: null } });

    const { id } = Object(created.body);
    expect([created.status, id]).toEqual([201, expect.stringMatching(/^[A-Z]{8}$/)]);
    const path = `${ATTRIBUTES}/${id}`;
    expect((await call('GET', path)).body).toEqual({ id, name: 'SEA' });
    const patch = async (op: string, value?: string) =>
      (await call('PATCH', path, { body: [{ op, path: '/description', value }] })).status;
    expect([await patch('replace', 'To the sea'), (await call('GET', path)).body]).toEqual([
      204,
      { id, name: 'SEA', description: 'To the sea' },
    ]);
    expect([await patch('remove'), await patch('add', 'x')]).toEqual([204, 422]);
    expect([(await call('DELETE', path)).status, (await call('HEAD', path)).status]).toEqual([204, 404]);
  });

  test('are not deleted while units have them, and keep their name', async () => {
    const path = `${ATTRIBUTES}/${attribute['QUIET']}`;
    const body = [{ op: 'replace', path: '/name', value: 'LOUD' }];

    expect(refusal(await call('DELETE', path))).toEqual([
      422,
      `The unit attribute ${attribute['QUIET']} cannot be deleted; units that have it: 3.`,
    ]);
    expect(refusal(await call('PATCH', path, { body }))).toEqual([422, '/name cannot be changed.']);
  });
});

import { describe, expect, test } from 'vitest';
import { sandbox, sandboxOfEach } from './harness.ts';
import { publicHotel as clone } from './hotel.ts';

const ACTIONS = '/inventory/v1/property-actions';
const PROPERTIES = '/inventory/v1/properties';
const UNITS = '/inventory/v1/units';

const call = sandboxOfEach({ dialect: 'apaleo' });

describe('a clone', () => {
  test('is a new property in status Test with the groups and units of its source, under ids of its own', async () => {
    const created = await call('POST', `${ACTIONS}/BER/clone`, { body: clone });

    expect([created.status, created.body]).toEqual([201, { id: 'HAM' }]);
    expect((await call('GET', `${PROPERTIES}/HAM`)).body).toMatchObject({
      ...{ status: 'Test', propertyTemplateId: 'BER', companyName: 'Alsterhotel GmbH' },
      created: '2026-04-21T12:00:00Z',
    });
    const { unitGroups } = Object((await call('GET', '/inventory/v1/unit-groups?propertyId=HAM')).body);
    expect(
      unitGroups.map(({ id, memberCount }: { id: string; memberCount: number }) => [id, memberCount]),
    ).toEqual([
      ['HAM-SGL', 4],
      ['HAM-DBL', 6],
      ['HAM-MTG', 1],
      ['HAM-PRK', 2],
      ['HAM-SUI', 1],
    ]);
    const { units } = Object(
      (await call('GET', `${UNITS}?propertyId=HAM&textSearch=301&expand=connectedUnits`)).body,
    );
    expect(units).toMatchObject([
      {
        id: expect.stringMatching(/^HAM-[A-Z]{3}$/),
        unitGroup: { id: 'HAM-SUI' },
        connectedUnits: [
          { id: expect.stringMatching(/^HAM-/), name: '104', unitGroupId: 'HAM-SGL' },
          { id: expect.stringMatching(/^HAM-/), name: '206', unitGroupId: 'HAM-DBL' },
        ],
      },
    ]);
  });

  test('has no archived unit, and nobody has stayed in it', async () => {
    await call('POST', `${ACTIONS}/BER/clone`, { body: clone });

    const counts = await Promise.all(
      ['status=All', 'isOccupied=true', 'condition=Clean', 'maintenanceType=OutOfOrder'].map(
        async (filter) => (await call('GET', `${UNITS}/$count?propertyId=HAM&${filter}`)).body,
      ),
    );

    expect(counts).toEqual([{ count: 14 }, { count: 0 }, { count: 14 }, { count: 0 }]);
  });

  test('is made once for each idempotency key, which belongs to one source', async () => {
    const request = { body: clone, headers: { 'idempotency-key': 'k-1' } };
    const from = async (source: string) => (await call('POST', `${ACTIONS}/${source}/clone`, request)).status;

    expect([await from('BER'), await from('BER'), await from('MUC'), await from('NOPE')]).toEqual([
      201, 201, 422, 404,
    ]);
    expect((await call('GET', `${PROPERTIES}/$count`)).body).toEqual({ count: 4 });
  });
});

describe('the life of a property', () => {
  test('a property in status Test becomes live, and a live one is archived, each once', async () => {
    const act = async (action: string) => {
      const { status, body } = await call('PUT', `${ACTIONS}/MUC/${action}`);
      return [status, ...(Object(body).messages ?? [])];
    };

    expect(await act('archive')).toEqual([
      422,
      'The property MUC is Test. Only a property in status Live allows this.',
    ]);
    expect(await act('set-live')).toEqual([204]);
    expect(await act('set-live')).toEqual([
      422,
      'The property MUC is Live. Only a property in status Test allows this.',
    ]);
    expect(await act('archive')).toEqual([204]);
    expect(await act('archive')).toEqual([422, 'The property MUC is archived. It is archived already.']);
    const { body } = await call('GET', `${PROPERTIES}/MUC?expand=actions`);
    expect(body).toMatchObject({
      ...{ status: 'Live', isArchived: true },
      actions: [
        { action: 'Delete', isAllowed: false },
        {
          action: 'Archive',
          isAllowed: false,
          reasons: [{ code: 'ArchiveNotAllowedForPropertyWhichIsAlreadyArchived' }],
        },
        { action: 'SetLive', isAllowed: false },
        { action: 'Reset', isAllowed: false },
      ],
    });
    expect(Object((await call('GET', PROPERTIES)).body).count).toBe(2);
    expect(Object((await call('GET', `${PROPERTIES}?includeArchived=true`)).body).count).toBe(3);
  });

  test('a reset leaves the units of a property in status Test as no guest has used them', async () => {
    const body = [{ op: 'replace', path: '/condition', value: 'Dirty' }];
    const { units } = Object((await call('GET', `${UNITS}?propertyId=MUC`)).body);
    await call('PATCH', `${UNITS}/${units[0].id}`, { body });

    expect((await call('PUT', `${ACTIONS}/MUC/reset`)).status).toBe(204);
    expect((await call('PUT', `${ACTIONS}/BER/reset`)).status).toBe(422);

    const dirty = async (id: string) =>
      (await call('GET', `${UNITS}/$count?propertyId=${id}&condition=Dirty`)).body;
    expect([await dirty('MUC'), await dirty('BER')]).toEqual([{ count: 0 }, { count: 1 }]);
  });

  test('with a property its groups and units are deleted', async () => {
    expect((await call('DELETE', `${PROPERTIES}/VIE`)).status).toBe(204);

    expect((await call('GET', `${UNITS}?propertyId=VIE&status=All`)).status).toBe(204);
    expect((await call('HEAD', '/inventory/v1/unit-groups/VIE-DBL')).status).toBe(404);
  });
});

test('answers say how many requests are left in this second, and none is refused', async () => {
  const headersOf = async (path: string) => {
    const { headers } = await call('GET', path);
    return ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-rate-limit-${name}`));
  };

  expect(await headersOf(PROPERTIES)).toEqual(['100', '99', '2026-04-21T12:00:01.000Z']);
  expect(await headersOf('/nowhere')).toEqual(['100', '98', '2026-04-21T12:00:01.000Z']);
  for (let sent = 2; sent < 100; sent += 1) await call('GET', `${PROPERTIES}/$count`);
  expect(await headersOf(`${PROPERTIES}/$count`)).toEqual(['100', '0', '2026-04-21T12:00:01.000Z']);
  const contract = await sandbox();
  expect((await contract.call('GET', PROPERTIES)).headers.get('x-rate-limit-limit')).toBeNull();
});

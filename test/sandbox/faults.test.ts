import { describe, expect, test } from 'vitest';
import { parseFault } from '../../src/commands/sandbox/index.ts';
import { createFaultPicker, type Fault } from '../../src/sandbox/faults.ts';
import { NOON, sandbox } from './harness.ts';
import { hotel } from './hotel.ts';

const path = '/inventory/v1/properties';

const lists = [
  ...(['listInvitations', 'listProperties', 'countProperties', 'listUnitGroups', 'countUnitGroups'] as const),
  ...(['listUnits', 'countUnits', 'listUnitAttributes'] as const),
];
const records = [
  ...(['getProperty', 'propertyExists', 'unitGroupExists', 'getUnitGroup'] as const),
  ...(['unitExists', 'getUnit', 'unitAttributeExists', 'getUnitAttribute'] as const),
];

describe('a fault on the command line', () => {
  test.each<[string, Fault]>([
    ['drop-before', { kind: 'drop-before' }],
    ['429:retry-after=2,nth=3', { kind: '429', retryAfterSeconds: 2, nth: 3 }],
    ['drop-after:rate=0.05,method=post', { kind: 'drop-after', rate: 0.05, method: 'POST' }],
    ['503:operation=token', { kind: '503', targets: ['token'] }],
    ['lag', { kind: 'lag', targets: expect.arrayContaining([...lists, ...records]) }],
    ['lag:ms=5000,reads=lists', { kind: 'lag', delayMs: 5_000, targets: lists }],
    ['lag:operation=getProperty,method=get', { kind: 'lag', targets: ['getProperty'], method: 'GET' }],
  ])('%s is parsed', (spec, fault) => {
    expect(parseFault(spec)).toEqual(fault);
  });

  const hang = 'Settings of hang: rate, nth, times, method, operation.';
  const help = 'See: innctl sandbox serve --help';

  test.each([
    [
      'explode',
      '"explode" is not a kind of fault',
      'Kinds: 429, 503, drop-before, drop-after, hang, ignore-keys, lag.',
    ],
    ['constructor', '"constructor" is not a kind of fault', /^Kinds: /],
    ['hang:chance=1', '"chance" is not a setting of a fault', hang],
    ['hang:rate=1.1', '"rate=1.1" is not a valid setting', help],
    ['hang:rate=1e-1', '"rate=1e-1" is not a valid setting', help],
    ['hang:nth=0', '"nth=0" is not a valid setting', help],
    ['hang:method=PUSH', '"method=PUSH" is not a valid setting', help],
    ['hang:operation=x', '"operation=x" is not a valid setting', help],
    ['lag:reads=toString', '"reads=toString" is not a valid setting', help],
    ['lag:status=404', '"status" is not a setting of a fault', /^Settings of lag: .*, ms, reads\.$/],
    ['hang:reads=lists', '"reads" is not a setting of hang', hang],
    ['lag:operation=getProperty,reads=lists', 'getProperty does not lag', help],
  ])('%s is exit 2, with the valid choices as a hint', (spec, reason, hint) => {
    expect(() => parseFault(spec)).toThrow(
      expect.objectContaining({
        message: `Cannot read the fault "${spec}": ${reason}.`,
        exitCode: 2,
        hint: expect.stringMatching(hint),
      }),
    );
  });
});

describe('a fault hits', () => {
  const hits = (fault: Fault, requests = 6, seed = 1) => {
    const pick = createFaultPicker([fault], seed);
    return Array.from({ length: requests }, () => pick('createProperty', 'POST').length > 0);
  };
  const [o, x] = [false, true];

  test.each<[string, Fault, readonly boolean[]]>([
    ['every request', { kind: 'hang' }, [x, x, x, x, x, x]],
    ['the third request', { kind: 'hang', nth: 3 }, [o, o, x, o, o, o]],
    ['the first two requests', { kind: 'hang', times: 2 }, [x, x, o, o, o, o]],
    ['no request with another method', { kind: 'hang', method: 'GET' }, [o, o, o, o, o, o]],
    ['no request of another operation', { kind: 'hang', targets: ['token'] }, [o, o, o, o, o, o]],
  ])('%s', (_, fault, expected) => {
    expect(hits(fault)).toEqual(expected);
  });

  test('a share of the requests, the same ones for the same seed', () => {
    const share = (seed: number) => hits({ kind: 'hang', rate: 0.25 }, 2_000, seed);

    expect(share(7)).toEqual(share(7));
    expect(share(7)).not.toEqual(share(8));
    expect(share(7).filter(Boolean).length / 2_000).toBeCloseTo(0.25, 1);
  });

  test('the token endpoint only if it is named', () => {
    const pick = createFaultPicker<Fault>([{ kind: 'hang' }], 1);

    expect(pick('token', 'POST')).toEqual([]);
  });
});

describe('what a fault does', () => {
  test('drop-before closes the connection and creates nothing', async () => {
    const { call } = await sandbox({ faults: [parseFault('drop-before:method=POST')] });

    await expect(call('POST', path, { body: hotel('HAM') })).rejects.toThrow('fetch failed');
    expect((await call('GET', `${path}/HAM`)).status).toBe(404);
  });

  test('drop-after closes the connection and creates the record; its key replays the answer', async () => {
    const { call } = await sandbox({ faults: [parseFault('drop-after:operation=createProperty,nth=1')] });
    const headers = { 'idempotency-key': 'key-1' };

    await expect(call('POST', path, { headers, body: hotel('HAM') })).rejects.toThrow('fetch failed');
    expect((await call('GET', `${path}/HAM`)).status).toBe(200);
    expect(await call('POST', path, { headers, body: hotel('HAM') })).toMatchObject({
      status: 201,
      body: { id: 'HAM' },
    });
  });

  test.each([
    ['429', 429, '1'],
    ['429:retry-after=7', 429, '7'],
    ['503', 503, null],
  ])('%s answers with its status and executes nothing', async (spec, status, retryAfter) => {
    const { call } = await sandbox({ faults: [{ ...parseFault(spec), times: 1 }] });

    const refused = await call('POST', path, { body: hotel('HAM') });

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect((await call('GET', `${path}/HAM`)).status).toBe(404);
  });

  test('ignore-keys creates nothing twice, but replays no answer', async () => {
    const { call } = await sandbox({ faults: [parseFault('ignore-keys'), parseFault('drop-after:nth=1')] });
    const headers = { 'idempotency-key': 'key-1' };
    const create = () => call('POST', path, { headers, body: hotel('HAM') });

    await expect(create()).rejects.toThrow('fetch failed');
    expect((await create()).status).toBe(409);
  });
});

describe('lag', () => {
  const property = `${path}/HAM`;
  const invitations = '/api/v1/invitations';

  /** A service that just created HAM and invited Mia, and a clock that can be advanced. */
  async function lagging(...specs: readonly string[]) {
    let now = NOON;
    const { call } = await sandbox({ now: () => now, faults: specs.map(parseFault) });
    await call('POST', path, { headers: { 'idempotency-key': 'key-1' }, body: hotel('HAM') });
    await call('POST', invitations, { body: { email: 'mia@example.com' } });
    return {
      call,
      wait: (ms: number) => {
        now += ms;
      },
      async shown() {
        const list = (await call('GET', path)).body as { items: { id: string }[]; count: number };
        const count = (await call('GET', `${path}/$count`)).body;
        const invited = (await call('GET', invitations)).body as { invitations: { email: string }[] };
        const inList = list.items.some(({ id }) => id === 'HAM');
        expect([list.count, count]).toEqual([list.items.length, list.items.length]);
        return {
          lists: [inList, invited.invitations.some(({ email }) => email === 'mia@example.com')],
          records: [(await call('GET', property)).status, (await call('HEAD', property)).status],
        };
      },
    };
  }

  const seen = { lists: [true, true], records: [200, 200] };
  const hidden = { lists: [false, false], records: [404, 404] };

  test.each([
    ['lag:ms=5000', hidden],
    ['lag:ms=5000,reads=lists', { ...seen, lists: hidden.lists }],
    ['lag:ms=5000,reads=records', { ...seen, records: hidden.records }],
    ['lag:ms=5000,operation=listInvitations', { ...seen, lists: [true, false] }],
  ])('%s hides new records from these reads for that time', async (spec, atFirst) => {
    const { shown, wait } = await lagging(spec);

    expect(await shown()).toEqual(atFirst);
    wait(4_999);
    expect(await shown()).toEqual(atFirst);
    wait(1);
    expect(await shown()).toEqual(seen);
  });

  test('lasts 12 s by default, and any time that ms accepts', async () => {
    const { shown, wait } = await lagging('lag');
    const forever = await lagging('lag:ms=9007199254740991');

    wait(11_999);
    expect(await shown()).toEqual(hidden);
    wait(1);
    expect(await shown()).toEqual(seen);
    expect((await forever.call('GET', `${path}/BER`)).status).toBe(404);
  });

  test('does not affect writes: keys replay, and codes and addresses are already taken', async () => {
    const { call } = await lagging('lag');
    const again = await call('POST', path, { headers: { 'idempotency-key': 'key-1' }, body: hotel('HAM') });

    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect((await call('POST', path, { body: hotel('HAM') })).status).toBe(409);
    expect((await call('POST', invitations, { body: { email: 'mia@example.com' } })).status).toBe(409);
    expect((await call('DELETE', property)).status).toBe(204);
  });

  test('combines with other faults, in any order', async () => {
    const one = await lagging('lag', '503:operation=getProperty,nth=1');
    const other = await lagging('503:operation=getProperty,nth=1', 'lag');
    const statuses = async ({ call }: typeof one) => [
      (await call('GET', property)).status,
      (await call('GET', property)).status,
    ];

    expect([await statuses(one), await statuses(other)]).toEqual([
      [503, 404],
      [503, 404],
    ]);
  });
});

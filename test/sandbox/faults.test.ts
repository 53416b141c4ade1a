import { describe, expect, test } from 'vitest';
import { type Fault, parseFault } from '../../src/sandbox/faults.ts';
import { createFaultPicker, seededRandom } from '../../src/sandbox/wire/fault-picker.ts';
import { sandbox } from './harness.ts';
import { hotel } from './hotel.ts';

const path = '/inventory/v1/properties';

describe('a fault on the command line', () => {
  test.each<[string, Fault]>([
    ['drop-before', { kind: 'drop-before' }],
    ['429:retry-after=2,nth=3', { kind: '429', retryAfterSeconds: 2, nth: 3 }],
    ['slow-head:ms=10,times=2', { kind: 'slow-head', delayMs: 10, times: 2 }],
    ['cut:rate=0.05,method=post', { kind: 'cut', rate: 0.05, method: 'POST' }],
    ['503:operation=token', { kind: '503', operation: 'token' }],
  ])('%s is read', (spec, fault) => {
    expect(parseFault(spec)).toEqual(fault);
  });

  test.each([
    ['explode', 'Cannot read the fault "explode": "explode" is no kind of fault.'],
    ['constructor', 'Cannot read the fault "constructor": "constructor" is no kind of fault.'],
    ['cut:chance=1', 'Cannot read the fault "cut:chance=1": "chance" is no setting of a fault.'],
    ['cut:rate=1.1', 'Cannot read the fault "cut:rate=1.1": "rate=1.1" is not a valid setting.'],
    ['cut:rate=0', 'Cannot read the fault "cut:rate=0": "rate=0" is not a valid setting.'],
    ['cut:nth=0', 'Cannot read the fault "cut:nth=0": "nth=0" is not a valid setting.'],
    ['cut:method=PUSH', 'Cannot read the fault "cut:method=PUSH": "method=PUSH" is not a valid setting.'],
    ['cut:operation=x', 'Cannot read the fault "cut:operation=x": "operation=x" is not a valid setting.'],
  ])('%s is exit 2 with the kinds that there are', (spec, sentence) => {
    expect(() => parseFault(spec)).toThrow(
      expect.objectContaining({
        message: sentence,
        exitCode: 2,
        hint: expect.stringContaining('Kinds: 429, 500, 503, drop-before, drop-after, cut, slow-head.'),
      }),
    );
  });
});

describe('which requests are hit', () => {
  const hits = (fault: Fault, requests = 6, seed = 1) => {
    const pick = createFaultPicker([fault], seededRandom(seed));
    return Array.from({ length: requests }, () => pick('createProperty', 'POST') !== undefined);
  };
  const [o, x] = [false, true];

  test.each<[string, Fault, readonly boolean[]]>([
    ['every one', { kind: 'cut' }, [x, x, x, x, x, x]],
    ['the third', { kind: 'cut', nth: 3 }, [o, o, x, o, o, o]],
    ['the first two', { kind: 'cut', times: 2 }, [x, x, o, o, o, o]],
    ['none of another method', { kind: 'cut', method: 'GET' }, [o, o, o, o, o, o]],
    ['none of another operation', { kind: 'cut', operation: 'token' }, [o, o, o, o, o, o]],
  ])('%s', (_, fault, expected) => {
    expect(hits(fault)).toEqual(expected);
  });

  test('a share of them, the same for the same seed', () => {
    const share = (seed: number) => hits({ kind: 'cut', rate: 0.25 }, 2_000, seed);

    expect(share(7)).toEqual(share(7));
    expect(share(7)).not.toEqual(share(8));
    expect(share(7).filter(Boolean).length / 2_000).toBeCloseTo(0.25, 1);
  });

  test('never the token endpoint, unless it is named', () => {
    const pick = createFaultPicker([{ kind: 'cut' }], seededRandom(1));

    expect(pick('token', 'POST')).toBeUndefined();
  });

  test('by the first fault given that hits', () => {
    const pick = createFaultPicker([{ kind: 'cut', nth: 2 }, { kind: '429' }], seededRandom(1));

    expect([pick('getUser', 'GET')?.kind, pick('getUser', 'GET')?.kind]).toEqual(['429', 'cut']);
  });
});

describe('what a fault does', () => {
  test('drop-before breaks the connection and leaves nothing', async () => {
    const { call } = await sandbox({ faults: [parseFault('drop-before:method=POST')] });

    await expect(call('POST', path, { body: hotel('HAM') })).rejects.toThrow('fetch failed');
    expect((await call('GET', `${path}/HAM`)).status).toBe(404);
  });

  test('drop-after breaks the connection and leaves the record, whose key gives the answer', async () => {
    const { call } = await sandbox({ faults: [parseFault('drop-after:operation=createProperty,nth=1')] });
    const headers = { 'idempotency-key': 'key-1' };

    await expect(call('POST', path, { headers, body: hotel('HAM') })).rejects.toThrow('fetch failed');
    expect((await call('GET', `${path}/HAM`)).status).toBe(200);
    expect(await call('POST', path, { headers, body: hotel('HAM') })).toMatchObject({
      status: 201,
      body: { id: 'HAM' },
    });
  });

  test('cut sends the right length and half of the body', async () => {
    const { url } = await sandbox({ faults: [parseFault('cut')] });

    const response = await fetch(`${url}${path}`);

    expect([response.status, Number(response.headers.get('content-length')) > 1_000]).toEqual([200, true]);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('slow-head lets the head wait; the record is there meanwhile', async () => {
    const { call, url } = await sandbox({ faults: [parseFault('slow-head:method=POST,ms=60000')] });
    const aborter = new AbortController();
    const waiting = fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(hotel('HAM')),
      signal: aborter.signal,
    });
    const outcome = expect(waiting).rejects.toThrow('aborted');

    await expect.poll(async () => (await call('GET', `${path}/HAM`)).status).toBe(200);
    aborter.abort();
    await outcome;
  });

  test.each([
    ['429', 429, '1'],
    ['429:retry-after=7', 429, '7'],
    ['503', 503, null],
    ['503:retry-after=0', 503, '0'],
    ['500', 500, null],
  ])('%s answers so and carries nothing out', async (spec, status, retryAfter) => {
    const { call } = await sandbox({ faults: [{ ...parseFault(spec), times: 1 }] });

    const refused = await call('POST', path, { body: hotel('HAM') });

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect((await call('GET', `${path}/HAM`)).status).toBe(404);
  });
});

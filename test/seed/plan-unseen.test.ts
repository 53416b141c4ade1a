import { describe, expect, test } from 'vitest';
import { OutcomeUnknown } from '../../src/cli/errors.ts';
import { hashOf } from '../../src/model/canonical.ts';
import type { ServiceRecord } from '../../src/model/records.ts';
import { bodyOf } from '../../src/seed/entry.ts';
import type { RowMemory } from '../../src/seed/journal-line.ts';
import { buildPlan } from '../../src/seed/plan.ts';
import type { PlanOptions } from '../../src/seed/plan-context.ts';
import { entryOf, memoryOf, NOON, planOptions, type Stock, serviceOf } from './plan-service.ts';

const VIE = { id: 'P-3', code: 'VIE', company_name: 'Grand GmbH' };
const vie = entryOf('property', 'VIE', { company_name: 'Grand GmbH' });
const MINUTE = 60_000;

/** A creation of VIE, answered a minute ago by default. */
const row = {
  kind: 'property',
  name: 'VIE',
  id: 'P-3',
  hash: hashOf(bodyOf(vie)),
  at: NOON - MINUTE,
  keyAge: { since: NOON - 2 * MINUTE, madeAt: NOON - MINUTE, isSpent: true },
} as const;

const created = 'not visible yet: created as P-3 at 2026-04-21T11:59:00Z; ';
const wasThere = 'not visible yet: P-3 was there at 2026-04-21T11:59:00Z; ';
const until = '2026-04-21T12:14:00Z (14 minutes from now)';
const changed = { action: 'change', keyAge: undefined } as const;
const byKey =
  'its key protects it until 2026-04-21T12:14:00Z (14 minutes from now): the same command sends it under that key again';
const other =
  'its key protects only the values that were sent, so that nothing is sent before it shows, or before ';
const noKey = 'no key is left that protects it, so that nothing is sent before it shows, or before ';

/** The plan for VIE with this journal row, and the number of waits. */
async function planned(past: Partial<RowMemory>, stock: Stock = {}, more: Partial<PlanOptions> = {}) {
  const waits: number[] = [];
  const { api } = serviceOf(stock);
  const pause = async (ms: number) => void waits.push(ms);
  const memory = memoryOf({ ...row, ...past });
  const [item] = await buildPlan([vie], api, planOptions({ memory, pause, ...more }));
  return {
    action: item?.action,
    reason: item?.reason,
    isUnknown: item?.error instanceof OutcomeUnknown,
    waits,
  };
}

describe('a property that was created recently, and that neither the list nor a read shows', () => {
  test.each<[string, Partial<RowMemory>, string]>([
    ['was answered', {}, `${created}${byKey}`],
    ['was answered for other values', { hash: 'x' }, `${created}${other}${until}`],
    ['has no key', { keyAge: undefined }, `${created}${noKey}${until}`],
    [
      'has an unknown outcome, with other values',
      {
        state: 'unknown',
        hash: 'x',
        id: undefined,
        keyAge: { since: NOON, isSpent: false },
        at: NOON - 14 * MINUTE,
      },
      `not visible yet: perhaps created at 2026-04-21T11:46:00Z; ${other}2026-04-21T12:01:00Z (1 minute from now)`,
    ],
    [
      'has an unknown outcome, under an expired key',
      { state: 'sent', id: undefined, keyAge: { since: NOON - 24 * 60 * MINUTE, isSpent: false } },
      `not visible yet: perhaps created at 2026-04-21T11:59:00Z; ${noKey}${until}`,
    ],
    ['was changed since', changed, `${wasThere}${noKey}${until}`],
    ['was changed to other values since', { ...changed, hash: 'x' }, `${wasThere}${noKey}${until}`],
  ])('and that %s, is unknown after one wait, and nothing is sent', async (_, past, reason) => {
    const unknown = { action: 'cannot_tell', reason, isUnknown: true };

    expect(await planned(past)).toEqual({ ...unknown, waits: [15_000] });
    expect(await planned(past, {}, { assumeNew: true, resendUnknown: true })).toMatchObject(unknown);
    expect(await planned(past, {}, { pause: undefined })).toMatchObject(unknown);
    expect(await planned(past, { listed: [{ id: 'P-9', name: 'no code' }] })).toMatchObject(unknown);
  });

  test('is resent under its key once a run has reported it, and as new when the key has expired', async () => {
    const keyAge = { ...row.keyAge, isSpent: false };
    const late = { ...keyAge, madeAt: NOON - 15 * MINUTE };

    expect(await planned({ state: 'unknown', keyAge })).toMatchObject({
      action: 'create',
      reason: 'an earlier request may have created it; its key settles that',
      waits: [],
    });
    expect(await planned({ state: 'unknown', keyAge: late })).toMatchObject({
      action: 'create',
      reason: expect.stringContaining('and deleted since: it is created again, under a new key'),
    });
  });

  test('gets a new key when the service stores a failure, unless a request is still in flight', async () => {
    const keyAge = { since: row.at, isSpent: false, failures: 2, status: 500, answeredAt: row.at };

    expect(await planned({ id: undefined, state: 'unknown', keyAge })).toMatchObject({
      action: 'create',
      reason: 'the service stored a failure under its key, and it does not exist: it is sent under a new key',
      waits: [15_000],
    });
    expect(await planned({ id: undefined, state: 'sent', keyAge })).toMatchObject({
      action: 'create',
      reason: 'an earlier request may have created it; its key settles that',
      waits: [],
    });
  });

  test('is done once the service has repeated its response, and is not waited for', async () => {
    expect(await planned({ at: NOON - 1 })).toEqual({
      action: 'cannot_compare',
      reason: `${created}the service said so again at 2026-04-21T11:59:59Z`,
      isUnknown: false,
      waits: [],
    });
    expect(await planned({ at: NOON - 1, hash: 'x' })).toMatchObject({ action: 'cannot_tell' });
  });

  test('is found when it shows after the wait', async () => {
    const properties: object[] = [];
    const pause = async () => void properties.push(VIE);

    expect(await planned({}, { properties: properties as [] }, { pause })).toMatchObject({ action: 'same' });
  });

  test('is referred to by its id in the journal', async () => {
    const { api } = serviceOf({});
    const ana = entryOf('invitation', 'ana@example.com', { properties: ['vie'] });

    expect(await buildPlan([vie, ana], api, planOptions({ memory: memoryOf(row) }))).toMatchObject([
      { action: 'cannot_tell', id: 'P-3' },
      { action: 'create', body: { properties: ['P-3'] } },
    ]);
  });
});

describe('a property that was created recently, and that only the list shows', () => {
  const listed: readonly ServiceRecord[] = [
    { id: 'P-3', code: 'VIE' },
    { id: 'P-3', name: 'no code' },
  ];

  test.each(listed)('%j exists, and cannot be compared', async (record) => {
    expect(await planned({}, { properties: [], listed: [record] })).toMatchObject({
      action: 'cannot_compare',
      reason: 'the service lists it as P-3, and does not show it alone yet',
      isUnknown: false,
    });
  });

  test.each(listed)('%j is unknown when the file has other values now', async (record) => {
    expect(await planned({ hash: 'x' }, { properties: [], listed: [record] })).toMatchObject({
      action: 'cannot_tell',
      isUnknown: true,
    });
  });

  test('is a conflict later', async () => {
    const past = { at: NOON - 15 * MINUTE, keyAge: undefined };

    expect(await planned(past, { properties: [], listed: [{ id: 'P-3', code: 'VIE' }] })).toMatchObject({
      action: 'conflict',
      reason: 'the service lists it as P-3, and has no P-3',
    });
  });
});

describe('pruning a property that was created recently', () => {
  const pruned = (stock: Stock, more: Partial<PlanOptions> = {}) => {
    const { api } = serviceOf(stock);
    return buildPlan([], api, planOptions({ memory: memoryOf(row), prune: true, ...more }));
  };

  test('reports it as unknown when no read shows it, and neither deletes nor forgets it', async () => {
    const reason =
      'not visible yet: created as P-3 at 2026-04-21T11:59:00Z; not deleted: a later --prune does that once it shows; ' +
      'it counts as gone from 2026-04-21T12:14:00Z (14 minutes from now) on';

    expect(await pruned({})).toMatchObject([
      { name: 'VIE', action: 'cannot_tell', reason, error: { exitCode: 8 } },
    ]);
    expect(await pruned({ properties: [], listed: [VIE] })).toMatchObject([{ action: 'cannot_tell' }]);
  });

  test('deletes it when it shows after the wait', async () => {
    const properties: object[] = [];
    const pause = async () => void properties.push(VIE);

    expect(await pruned({ properties: properties as [] }, { pause })).toMatchObject([
      { action: 'delete', id: 'P-3' },
    ]);
  });
});

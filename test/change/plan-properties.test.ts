import { describe, expect, test } from 'vitest';
import type { PlanOptions } from '../../src/change/listing.ts';
import { buildPlan } from '../../src/change/plan.ts';
import { hashOf } from '../../src/model/json-text.ts';
import { entryOf, memoryOf, NOON, planOptions, type Stock, serviceOf } from './plan-service.ts';

const BER = { id: 'P-1', code: 'BER', company_name: 'Grand GmbH' };
const MUC = { id: 'P-2', code: 'MUC', company_name: 'Isar GmbH' };

const bare = (...ids: readonly string[]) => ids.map((id) => ({ id, name: 'Hotel' }));

/** Action, id and reason of each entry, and the individual reads. */
async function plan(codes: readonly string[], stock: Stock, more: Partial<PlanOptions> = {}) {
  const { api, reads } = serviceOf(stock);
  const entries = codes.map((code) => entryOf('property', code, { company_name: 'Grand GmbH' }));
  const items = await buildPlan(entries, api, planOptions(more));
  return { items: items.map(({ action, id, reason }) => [action, id, reason]), reads };
}

describe('where lists show codes', () => {
  test('a property is found by its code, and compared with an individual read', async () => {
    const listed = [
      { id: 'P-1', code: 'BER' },
      { id: 'P-2', code: 'MUC' },
    ];

    expect(await plan(['MUC', 'BER', 'VIE'], { properties: [BER, MUC], listed })).toEqual({
      items: [
        ['change', 'P-2', undefined],
        ['same', 'P-1', undefined],
        ['create', undefined, undefined],
      ],
      reads: ['P-2', 'P-1'],
    });
  });

  test('codes match in any Unicode normalization, and with surrounding blanks', async () => {
    const properties = [
      { ...BER, code: '\u00c9T' },
      { ...BER, id: 'P-2', code: ' HAM ' },
    ];

    expect((await plan(['E\u0301T', 'HAM'], { properties })).items).toEqual([
      ['same', 'P-1', undefined],
      ['same', 'P-2', undefined],
    ]);
    expect((await plan(['e\u0301t'], { properties })).items).toEqual([
      ['conflict', 'P-1', 'the service writes it "\u00c9T": use the same case'],
    ]);
  });

  test('a property that is listed twice, once without its code, does not hide others', async () => {
    const listed = [BER, { id: 'P-1' }];

    expect(await plan(['VIE'], { properties: [BER], listed })).toEqual({
      items: [['create', undefined, undefined]],
      reads: [],
    });
  });

  test('two properties with one code are a conflict that names both', async () => {
    const twice = [BER, { ...BER, id: 'P-9' }];

    expect((await plan(['BER'], { properties: twice })).items).toEqual([
      ['conflict', undefined, '2 properties have this code: P-1, P-9'],
    ]);
  });

  test('a listed property without a usable id is a conflict', async () => {
    const listed = [{ code: 'BER', id: '../MUC' }, { code: 'MUC' }, { code: 'VIE', id: {} }];

    expect((await plan(['BER', 'MUC', 'VIE'], { listed })).items).toEqual(
      ['BER', 'MUC', 'VIE'].map(() => ['conflict', undefined, 'the service lists it without a usable id']),
    );
  });

  test('ids and codes may be JSON numbers, as long as they are safe integers', async () => {
    const properties = [
      { id: 7, code: 1067, company_name: 'Grand GmbH' },
      { id: 2 ** 53, code: 1068, company_name: 'Grand GmbH' },
      { id: 9, code: 2 ** 53, company_name: 'Grand GmbH' },
    ];

    expect((await plan(['1067', '1068', 'VIE'], { properties })).items).toEqual([
      ['same', '7', undefined],
      ['conflict', undefined, 'the service lists it without a usable id'],
      ['create', undefined, undefined],
    ]);
  });

  test('a property that differs from its list entry, or is missing, when read individually is a conflict', async () => {
    const listed = [BER, { id: 'P-2', code: 'VIE' }, { id: 'P-3', code: 'HAM' }];

    expect((await plan(['VIE', 'HAM'], { properties: [BER, MUC], listed })).items).toEqual([
      ['conflict', 'P-2', 'P-2 has the code "MUC"'],
      ['conflict', 'P-3', 'the service lists it as P-3, and has no P-3'],
    ]);
  });
});

describe('a property in the journal', () => {
  const row = { kind: 'property', name: 'BER', id: 'P-1' } as const;
  const remembering = (more: object = {}): Partial<PlanOptions> => ({
    memory: memoryOf({ ...row, ...more }),
  });

  test('is found by its id when its code is never shown', async () => {
    const stock = { properties: [{ id: 'P-1', company_name: 'Grand GmbH' }], listed: bare('P-1') };

    expect(await plan(['BER'], stock, remembering())).toEqual({
      items: [['same', 'P-1', undefined]],
      reads: ['P-1'],
    });
  });

  test('is a conflict when its id has another code now', async () => {
    const properties = [{ ...MUC, id: 'P-1' }];

    expect((await plan(['BER'], { properties }, remembering())).items).toEqual([
      ['conflict', 'P-1', 'P-1 has the code "MUC"'],
    ]);
  });

  test('is found by its code when its id is gone or missing', async () => {
    const properties = [{ ...BER, id: 'P-7' }];

    expect((await plan(['BER'], { properties }, remembering())).items).toEqual([['same', 'P-7', undefined]]);
    expect((await plan(['BER'], { properties }, remembering({ id: '../x' }))).items).toEqual([
      ['same', 'P-7', undefined],
    ]);
  });

  test.each([
    ['same', hashOf({ code: 'BER', company_name: 'Grand GmbH' })],
    ['cannot_tell', 'of other fields'],
  ])('that is listed, and not shown alone yet: %s', async (action, hash) => {
    const stock = { properties: [], listed: [{ id: 'P-1', code: 'BER' }] };

    expect((await plan(['BER'], stock, remembering({ hash }))).items).toEqual([
      [action, 'P-1', 'the service lists it as P-1, and does not show it alone yet'],
    ]);
  });

  test('is ambiguous when another property has the same code', async () => {
    const properties = [BER, { ...BER, id: 'P-9' }];

    expect((await plan(['BER'], { properties }, remembering())).items).toEqual([
      ['conflict', 'P-1', '2 properties have this code: P-1, P-9'],
    ]);
  });
});

describe('deletions', () => {
  const created = (...more: readonly object[]) =>
    memoryOf(...more.map((row) => ({ kind: 'property', name: 'MUC', id: 'P-2', ...row }) as const));
  const pruned = (stock: Stock, ...rows: readonly object[]) =>
    plan(['BER'], stock, { prune: true, memory: created(...rows) });

  test('skip what is already gone', async () => {
    const row = { at: NOON - 900_000 };

    expect((await pruned({ properties: [BER] }, row)).items).toEqual([['same', 'P-1', undefined]]);
  });

  test.each([
    [{ ...MUC, code: 'HAM' }, 'P-2', 'not deleted: it has the code "HAM" now'],
    [{ id: 'P-2' }, 'P-2', 'not deleted: it has no code now'],
    [MUC, undefined, 'the journal has no id of it'],
  ])('keep the record %j with the remembered id %s', async (property, id, reason) => {
    const { items } = await pruned({ properties: [BER, property] }, { id });

    expect(items.at(-1)).toEqual(['conflict', id, reason]);
  });

  test.each([
    ['2026-04-21T11:50:00Z', 'delete'],
    ['2026-04-21T14:10:00+02:00', 'delete'],
    ['2026-04-21T12:10:00', 'delete'],
    ['soon', 'delete'],
    ['2026-04-21T11:49:59Z', 'conflict'],
    ['2026-04-21T12:10:01Z', 'conflict'],
  ])('compare the creation time of the service with that of the journal: %s, %s', async (time, action) => {
    const { items } = await pruned({ properties: [BER, { ...MUC, created: time }] }, {});

    const reason = `not deleted: was created at ${time}, not by the run of 2026-04-21T12:00:00.000Z (run-1)`;
    expect(items.at(-1)).toEqual([action, 'P-2', action === 'delete' ? undefined : reason]);
  });

  test('include what was created when its key was first sent, however late that was confirmed', async () => {
    const firstSent = { at: NOON - 5 * 3_600_000, endedAt: NOON };
    const property = { ...MUC, created: '2026-04-21T07:00:01Z' };

    expect((await pruned({ properties: [BER, property] }, firstSent)).items.at(-1)?.[0]).toBe('delete');
    expect((await pruned({ properties: [BER, property] }, {})).items.at(-1)?.[0]).toBe('conflict');
  });

  test('keep a property that a person has and no list shows where an entry refers to it', async () => {
    const memory = memoryOf({ kind: 'property', name: 'OLD', id: 'P-9' });
    const ana = { subject_id: 's-1', email: 'ana@example.com', properties: ['P-9'] };
    const { api } = serviceOf({ properties: [{ id: 'P-9', code: 'OLD' }], listed: [BER], users: [ana] });
    const entry = entryOf('user', 'ana@example.com', { properties: ['P-9'] });

    const items = await buildPlan([entry], api, planOptions({ prune: true, memory }));

    expect(items).toMatchObject([
      { action: 'same' },
      { action: 'conflict', reason: 'not deleted: another entry names it' },
    ]);
  });

  test('keep a property that another entry is about', async () => {
    const memory = memoryOf({ kind: 'property', name: 'OLD', id: 'P-1' });
    const stock = {
      properties: [
        { ...BER, code: 'old' },
        { ...BER, id: 'P-8' },
      ],
    };
    const { api } = serviceOf(stock);
    const entry = entryOf('user', 'ana@example.com', { properties: ['P-1'] });

    const items = await buildPlan([entry], api, planOptions({ prune: true, memory }));

    expect(items.at(-1)).toMatchObject({ action: 'conflict', reason: 'not deleted: another entry names it' });
  });
});

test('nothing is read when there are no entries', async () => {
  expect(await plan([], { forbidden: true })).toEqual({ items: [], reads: [] });
});

test('properties that may not be listed cannot be planned', async () => {
  await expect(plan(['BER'], { forbidden: true })).rejects.toMatchObject({ code: 'forbidden', exitCode: 5 });
});

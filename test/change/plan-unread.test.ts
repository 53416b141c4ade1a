import { describe, expect, test } from 'vitest';
import type { PlanOptions } from '../../src/change/listing.ts';
import { buildPlan } from '../../src/change/plan.ts';
import type { Entry } from '../../src/files/entry.ts';
import { hashOf } from '../../src/model/json-text.ts';
import {
  entryOf,
  memoryOf,
  NOON,
  planOptions,
  type Remembered,
  type Stock,
  serviceOf,
} from './plan-service.ts';

const BER = { id: 'P-1', code: 'BER', company_name: 'Grand GmbH' };
const MUC = { id: 'P-2', code: 'MUC', company_name: 'Grand GmbH' };

const hotel = (code: string) => entryOf('property', code, { company_name: 'Grand GmbH' });

async function plan(entries: readonly Entry[], stock: Stock, more: Partial<PlanOptions> = {}) {
  const { api, reads } = serviceOf({ properties: [BER, MUC], roles: ['Housekeeping'], ...stock });
  const items = await buildPlan(entries, api, planOptions({ workers: 1, ...more }));
  return { items: items.map(({ action, id, error }) => [action, id, error?.message]), reads, whole: items };
}

describe('a list that shows all fields of an entry', () => {
  const whole = { ...BER, name: { en: 'Grand', de: 'Gross' }, time_zone: 'Europe/Berlin' };
  const entry = entryOf('property', 'BER', { name: { en: 'Grand' }, company_name: 'Grand GmbH' });

  test('is trusted when nothing differs: nothing is read individually', async () => {
    expect(await plan([entry, hotel('MUC')], { properties: [whole, MUC] })).toMatchObject({
      items: [
        ['same', 'P-1', undefined],
        ['same', 'P-2', undefined],
      ],
      reads: [],
    });
  });

  test('is trusted under the id in the journal, with the same plan', async () => {
    const memory = memoryOf({ kind: 'property', name: 'BER', id: 'P-1' });
    const remembered = await plan([entry], { properties: [whole] }, { memory });

    expect(remembered).toMatchObject({ items: [['same', 'P-1', undefined]], reads: [] });
    expect(remembered.whole[0]?.seen).toBe((await plan([entry], { properties: [whole] })).whole[0]?.seen);
  });

  test('is trusted for check-in times, which no response shows', async () => {
    const timed = entryOf('property', 'BER', { ...entry.fields, default_check_in_time: '15:00:00' });

    expect(await plan([timed], { properties: [whole] })).toMatchObject({
      items: [['same', 'P-1', undefined]],
      reads: [],
    });
  });

  test.each<[string, object]>([
    ['shows a difference', { ...whole, company_name: 'Isar GmbH' }],
    ['has one text for all languages', { ...whole, name: 'Grand' }],
    ['lacks a language', { ...whole, name: { de: 'Gross' } }],
    ['lacks a field', { id: 'P-1', code: 'BER', name: { en: 'Grand' } }],
    ['has no value for a field', { ...whole, company_name: null }],
  ])('and is not trusted when it %s', async (_, record) => {
    expect(await plan([entry], { properties: [whole], listed: [{ ...record }] })).toMatchObject({
      items: [['same', 'P-1', undefined]],
      reads: ['P-1'],
    });
  });
});

describe('a list that shows one text for all languages', () => {
  interface Case {
    readonly entry: Entry;
    readonly stock: Stock;
    readonly past: Remembered;
  }
  const named = (name: object): Case => ({
    entry: entryOf('property', 'BER', { name }),
    stock: { properties: [{ ...BER, name }], listed: [{ ...BER, name: 'Grand' }] },
    past: { kind: 'property', name: 'BER', id: 'P-1', hash: hashOf({ code: 'BER', name }) },
  });
  const inOne = named({ en: 'Grand' });
  const inTwo = named({ en: 'Grand', de: 'Gross' });
  const reads = async ({ entry, stock, past }: Case, runId: string, more: object = {}) =>
    (
      await plan([entry], stock, {
        memory: memoryOf(...[past].flat().map((row) => ({ ...row, ...more }))),
        runId,
      })
    ).reads;

  test('is trusted in all languages for what the resumed run created recently', async () => {
    expect(await reads(inTwo, 'run-1')).toEqual([]);
  });

  test.each<[string, Case, string, object]>([
    ['another run created it', inTwo, 'run-2', {}],
    ['the run created it long ago', inTwo, 'run-1', { at: NOON - 86_400_000 }],
    ['it was created with another body', inOne, 'run-1', { hash: 'another' }],
    ['it was created under another id', inOne, 'run-2', { id: 'P-9' }],
    ['it was only changed', inOne, 'run-1', { action: 'change' }],
    ['the outcome of its creation is unknown', inOne, 'run-1', { outcome: 'unknown' }],
    [
      'the list shows another text',
      { ...inOne, stock: { ...inOne.stock, listed: [{ ...BER, name: 'Grande' }] } },
      'run-1',
      {},
    ],
  ])('and the record is read when %s', async (_, known, runId, more) => {
    expect(await reads(known, runId, more)).toContain('P-1');
  });

  test('is not trusted when its text differs', async () => {
    const name = { en: 'Grand' };
    const entry = entryOf('property', 'BER', { name, description: { en: 'New' } });
    const past = { ...inOne.past, hash: hashOf({ code: 'BER', name, description: { en: 'New' } }) };
    const properties = [{ ...BER, name, description: { en: 'Old' } }];
    const stock = { properties, listed: [{ ...BER, name: 'Grand', description: 'Old' }] };

    expect(await reads({ entry, stock, past }, 'run-2')).toEqual(['P-1']);
  });

  test('is not trusted for records that no journal has', async () => {
    expect((await plan([inOne.entry], inOne.stock)).reads).toEqual(['P-1']);
  });
});

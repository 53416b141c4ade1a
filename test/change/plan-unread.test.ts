import { describe, expect, test } from 'vitest';
import type { PlanOptions } from '../../src/change/plan.ts';
import { buildPlan } from '../../src/change/plan.ts';
import { CliError, OutcomeUnknown } from '../../src/cli/errors.ts';
import { ExitCode } from '../../src/cli/exit-codes.ts';
import type { Entry } from '../../src/files/entry.ts';
import { hashOf } from '../../src/model/canonical.ts';
import { WireFailure } from '../../src/service/failures.ts';
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
const listed = [BER, MUC].map(({ id, code }) => ({ id, code }));
const hidden = [BER, MUC].map(({ id }) => ({ id }));

const broken = new CliError('service_error', 'Could not get it.', { status: 500, requestId: 'r-1' });
const forbidden = new CliError('forbidden', 'No.', { status: 403, exitCode: ExitCode.forbidden });

const hotel = (code: string) => entryOf('property', code, { company_name: 'Grand GmbH' });
const invited = (...properties: readonly string[]) =>
  entryOf('invitation', 'ana@example.com', { role: 'Housekeeping', properties });

async function plan(entries: readonly Entry[], stock: Stock, more: Partial<PlanOptions> = {}) {
  const { api, reads } = serviceOf({ properties: [BER, MUC], roles: ['Housekeeping'], ...stock });
  const items = await buildPlan(entries, api, planOptions({ workers: 1, ...more }));
  return { items: items.map(({ action, id, error }) => [action, id, error?.message]), reads, whole: items };
}

describe('a property that cannot be read', () => {
  const failing = { 'P-1': broken };

  test('has its id from the list, for rows that refer to it', async () => {
    const { whole } = await plan([hotel('BER'), invited('BER')], { listed, failing });

    expect(whole[1]).toMatchObject({ action: 'create', body: { properties: ['P-1'] } });
  });

  test('is not matched with the remembered id where no list shows its code', async () => {
    const memory = memoryOf({ kind: 'property', name: 'BER', id: 'P-1' });
    const stock = { listed: hidden, failing };

    expect((await plan([hotel('BER'), invited('BER')], stock, { memory })).items).toEqual([
      ['cannot_tell', undefined, 'Could not get it.'],
      ['cannot_tell', undefined, 'Cannot tell which property is "BER": Could not get it.'],
    ]);
  });

  test.each<[string, Entry]>([
    ['another property', invited('BER', 'HAM')],
    ['a role', entryOf('invitation', 'ana@example.com', { role: 'Chef', properties: ['BER'] })],
  ])('leaves the row a conflict where %s is certainly wrong', async (_, invitation) => {
    const twice = ['P-3', 'P-4'].map((id) => ({ id, code: 'HAM' }));
    const stock = { listed: [...listed, ...twice], failing };

    expect((await plan([hotel('HAM'), invitation], stock)).items).toEqual([
      ['conflict', undefined, undefined],
      ['conflict', undefined, undefined],
    ]);
  });

  test('leaves the unknown outcome of an earlier run unknown', async () => {
    const memory = memoryOf({ kind: 'property', name: 'BER', outcome: 'silence' });

    const { whole } = await plan([hotel('BER')], { listed, failing }, { memory });
    const unlisted = await plan([hotel('BER'), invited('BER')], { listed: hidden, failing }, { memory });

    // The row that depends on it is not attempted in the run.
    expect(unlisted.whole[1]).toMatchObject({ action: 'create', body: { properties: ['BER'] } });
    expect(whole[0]?.error).toBeInstanceOf(OutcomeUnknown);
    expect(whole[0]?.error).toMatchObject({
      message: 'Could not get it. The outcome of run run-1 is still unknown.',
      requestId: 'r-1',
    });
  });
});

describe('an error that every other record would meet too stops the plan', () => {
  const timeout = (cause?: WireFailure) =>
    new CliError('timeout', 'Too late.', { exitCode: ExitCode.unavailable, cause });
  const onWire = timeout(new WireFailure('timeout', 'no answer', { sent: true }));
  const failed = (code: string, exitCode: ExitCode) => new CliError(code, 'No.', { exitCode });

  test.each<[string, CliError, Partial<PlanOptions>]>([
    ['a token that is not accepted', failed('not_logged_in', ExitCode.notLoggedIn), {}],
    ['a service that is unreachable', failed('connection_refused', ExitCode.unavailable), {}],
    ['a rate limit', failed('rate_limited', ExitCode.unavailable), {}],
    ['the time limit of the command', timeout(), { hasDeadline: true }],
  ])('%s', async (_, failure, more) => {
    await expect(plan([hotel('BER')], { listed, failing: { 'P-1': failure } }, more)).rejects.toBe(failure);
  });

  test.each<[string, CliError, Partial<PlanOptions>]>([
    ['one response that times out', onWire, { hasDeadline: true }],
    ['a request timeout, where the command has no deadline', timeout(), {}],
  ])('but not %s', async (_, failure, more) => {
    const { items } = await plan([hotel('BER')], { listed, failing: { 'P-1': failure } }, more);

    expect(items).toEqual([['cannot_tell', 'P-1', 'Too late.']]);
  });
});

describe('many records that cannot be read', () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ id: `P-${index}`, code: `H${index}` }));
  const entries = [...many.map(({ code }) => hotel(code)), hotel('NEW')];
  const failingWith = (error: CliError, but?: string) =>
    Object.fromEntries(many.filter(({ id }) => id !== but).map(({ id }) => [id, error]));

  test('stop being read after ten errors in a row, and the remaining rows are planned', async () => {
    const { items, reads } = await plan(entries, { listed: many, failing: failingWith(broken) });

    expect(reads).toHaveLength(10);
    expect(items.filter(([action]) => action === 'cannot_tell')).toHaveLength(30);
    expect(items.at(-1)).toEqual(['create', undefined, undefined]);
  });

  test('are read on while some can be read, or while each is rejected at once', async () => {
    const properties = [{ id: 'P-9', code: 'H9', company_name: 'Grand GmbH' }];
    const stock = { listed: many, properties };

    expect((await plan(entries, { ...stock, failing: failingWith(broken, 'P-9') })).reads).toHaveLength(20);
    expect((await plan(entries, { ...stock, failing: failingWith(forbidden) })).reads).toHaveLength(30);
  });
});

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

  test('still detects a second property with the same code', async () => {
    const { items, reads } = await plan([entry], { properties: [whole, { ...whole, id: 'P-9' }] });

    expect([items[0]?.[0], reads]).toEqual(['conflict', []]);
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

  test('is trusted for what a run created in one language', async () => {
    expect(await reads(inOne, 'run-2')).toEqual([]);
    expect(await reads(inOne, 'run-2', { at: NOON - 30 * 86_400_000 })).toEqual([]);
  });

  test('is trusted in all languages for what the resumed run created recently', async () => {
    expect(await reads(inTwo, 'run-1')).toEqual([]);
  });

  test.each<[string, Case, string, object]>([
    ['another run created it in several languages', inTwo, 'run-2', {}],
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

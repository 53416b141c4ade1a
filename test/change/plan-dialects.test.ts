import jsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { compareProperty } from '../../src/change/compare.ts';
import type { PlanOptions } from '../../src/change/listing.ts';
import { buildPlan } from '../../src/change/plan.ts';
import type { Entry } from '../../src/files/entry.ts';
import { inCamelCase, normalise } from '../../src/model/fields.ts';
import type { ServiceRecord } from '../../src/model/records.ts';
import { createRedactor } from '../../src/model/redaction.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { contract } from '../../src/service/dialect.ts';
import { fc } from '../helpers/laws.ts';
import { entryOf, memoryOf, planOptions, type Stock, serviceOf } from './plan-service.ts';

const BER = { id: 'BER', code: 'BER' };
const ANA = 'ana@example.com';

/** The plan for one entry at a public service. */
async function planOne(entry: Entry, stock: Stock, more: Partial<PlanOptions> = {}) {
  const { api } = serviceOf({ properties: [BER], dialect: apaleo, ...stock });
  const [item] = await buildPlan([entry], api, planOptions(more));
  return item;
}

describe('a property', () => {
  const compared = (fields: ServiceRecord, shown: ServiceRecord, resent: readonly string[] = []) =>
    compareProperty({ fields }, shown, apaleo, resent);

  test('gets the optional fields that its record does not show', () => {
    const fields = {
      description: { en: 'At the river', de: 'Am Fluss' },
      managing_directors: 'Ana Adler',
      location: { city: 'Berlin', region_code: 'DE-BE' },
      bank_account: { iban: 'DE89', bic: 'COBA' },
    };
    const none = { cannotChange: [] };

    expect(compared(fields, { location: { city: 'Berlin' } })).toEqual({
      ...none,
      changes: [
        { field: 'description', from: undefined, to: fields.description },
        { field: 'managing_directors', from: undefined, to: 'Ana Adler' },
        { field: 'location.region_code', from: undefined, to: 'DE-BE' },
        { field: 'bank_account', from: undefined, to: fields.bank_account },
      ],
      steps: [
        { op: 'add', path: '/description', value: fields.description },
        { op: 'add', path: '/managingDirectors', value: 'Ana Adler' },
        { op: 'add', path: '/location/regionCode', value: 'DE-BE' },
        { op: 'add', path: '/bankAccount', value: fields.bank_account },
      ],
    });
    expect(compared(fields, { ...fields, bank_account: { iban: 'DE1', bank: 'x' } })).toEqual({
      ...none,
      changes: [
        { field: 'bank_account.iban', from: 'DE1', to: 'DE89' },
        { field: 'bank_account.bic', from: undefined, to: 'COBA' },
      ],
      steps: [
        { op: 'replace', path: '/bankAccount/iban', value: 'DE89' },
        { op: 'add', path: '/bankAccount/bic', value: 'COBA' },
      ],
    });
  });

  test('keeps its check-in times: they are never sent again', () => {
    const fields = { default_check_in_time: '15:00:00', default_check_out_time: '11:00:00' };
    const shown = { default_check_in_time: null };

    const none = { changes: [], steps: [], cannotChange: [] };
    for (const resent of [[], ['default_check_in_time']])
      expect([compared(fields, {}, resent), compared(fields, shown, resent)]).toEqual([none, none]);
    expect(compared(fields, { default_check_in_time: '14:00:00' }).cannotChange).toEqual([
      { field: 'default_check_in_time', from: '14:00:00', to: '15:00:00' },
    ]);
  });

  test('matches its entry after its steps, each of which has an existing path', () => {
    const text = fc.constantFrom('one', 'two', 'DE-BE');
    const texts = fc.dictionary(fc.constantFrom('en', 'de'), text, { minKeys: 1 });
    const account = fc.record({ iban: text, bic: text, bank: text }, { requiredKeys: [] });
    const required = { name: texts, tax_id: text, payment_terms: texts };
    const optional = { description: texts, managing_directors: text, bank_account: account };
    const inLocation = { city: text, address_line2: text, region_code: text };
    const location = fc.record(inLocation, { requiredKeys: ['city'] });
    const wanted = fc.record({ ...required, ...optional, location }, { requiredKeys: [] });
    const unset = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
    const shown = fc.record(
      {
        ...required,
        location,
        description: unset(texts),
        managing_directors: unset(text),
        bank_account: unset(account),
      },
      { requiredKeys: ['name', 'tax_id', 'payment_terms', 'location'] },
    );

    fc.assert(
      fc.property(wanted, shown, (fields, record) => {
        const { steps } = compared(fields, record);
        // The steps have this shape: the paths are those of the service.
        const patch = steps as Operation[];
        const { newDocument } = jsonPatch.applyPatch(inCamelCase(record), patch, true, false);

        expect(compared(fields, normalise(newDocument))).toEqual({
          changes: [],
          steps: [],
          cannotChange: [],
        });
      }),
    );
  });

  test('is read in all languages, so that a text that is not shown is absent', async () => {
    const requested: unknown[] = [];
    const { api } = serviceOf({ properties: [BER], dialect: apaleo });
    const read = async (id: string, languages?: readonly string[]) => {
      requested.push(languages);
      return api.properties.read(id);
    };
    const entry = entryOf('property', 'BER', { description: { en: 'At the river' } });

    await buildPlan([entry], { ...api, properties: { ...api.properties, read } }, planOptions());

    expect(requested).toEqual([['all']]);
  });
});

describe('an invitation', () => {
  const several = ['FrontDesk', 'Housekeeping'];

  test.each([
    [{ roles: several }, { role: 'FrontOffice', roles: ['Housekeeping', 'FrontDesk'] }],
    [
      { role: 'FrontDesk', roles: ['Housekeeping'] },
      { role: 'FrontOffice', roles: several },
    ],
    [{ role: 'FrontDesk' }, { role: 'FrontOffice', roles: ['FrontDesk'] }],
    [{ role: 'FrontOffice' }, { role: 'FrontOffice', roles: ['FrontDesk'] }],
    [{ roles: ['Auditor'] }, { role: 'Auditor' }],
    [{ extra: { roles: ['Auditor'] } }, { roles: ['Auditor'] }],
    [
      { role: 'Auditor', properties: ['BER'], is_account_admin: true },
      { is_account_admin: true, properties: [] },
    ],
  ])('with %j is the same as a listed %j', async (fields, listed) => {
    const invitations = [{ email: ANA, is_account_admin: false, properties: [], ...listed }];

    expect(await planOne(entryOf('invitation', ANA, fields), { invitations })).toMatchObject({
      action: 'same',
    });
  });

  test.each([
    [{ roles: several }, { role: 'FrontOffice', roles: ['FrontDesk'] }, 'role'],
    [{ roles: several }, { roles: [...several, 'Auditor'] }, 'role'],
    [{ role: 'Auditor' }, { roles: ['FrontDesk'] }, 'role'],
    [{ roles: ['Auditor'] }, { role: 'Housekeeping' }, 'role'],
    [{ role: 'Auditor', is_account_admin: true }, { role: 'Auditor' }, 'is_account_admin'],
  ])('with %j conflicts with a listed %j', async (fields, listed, found) => {
    const invitations = [{ email: ANA, is_account_admin: false, properties: [], ...listed }];

    expect(await planOne(entryOf('invitation', ANA, fields), { invitations })).toMatchObject({
      action: 'conflict',
      reason: `is already invited, and differs in ${found}; withdraw it first`,
    });
  });

  test('has one role in the contract dialect, and ignores roles under extra', async () => {
    const entry = entryOf('invitation', ANA, { role: 'Auditor', extra: { roles: ['Other'] } });
    const invitations = [{ email: ANA, role: 'Auditor' }];

    expect(await planOne(entry, { invitations, dialect: contract })).toMatchObject({ action: 'same' });
  });
});

describe('a property that is in no file any more', () => {
  const memory = memoryOf({ kind: 'property', name: 'BER', id: 'BER' });

  const planned = async (actions: unknown, dialect = apaleo, more: Partial<PlanOptions> = {}) => {
    const { api, reads } = serviceOf({ properties: [{ ...BER, actions }], dialect });
    const { read } = api.properties;
    const unexpanded = async (id: string) => {
      const { actions: _, ...record } = await read(id);
      return record;
    };
    const properties = { ...api.properties, read: unexpanded };
    const [item] = await buildPlan([], { ...api, properties }, planOptions({ prune: true, memory, ...more }));
    return { item, reads };
  };
  const pruned = async (...given: Parameters<typeof planned>) => (await planned(...given)).item;

  test.each<[unknown]>([[[{ action: 'Delete', is_allowed: true }]], [undefined]])(
    'is deleted when the service allows it: %j',
    async (actions) => {
      expect(await pruned(actions)).toMatchObject({ action: 'delete', id: 'BER' });
    },
  );

  test.each([
    [[{ code: 'x', message: 'It is live.' }, { message: 'It has guests.' }], 'It is live.; It has guests.'],
    [undefined, 'the service does not allow it'],
  ])('is kept when the service forbids it: %j', async (reasons, why) => {
    const actions = [{ action: 'Delete', is_allowed: false, reasons }];

    expect(await pruned(actions)).toMatchObject({ action: 'conflict', reason: `not deleted: ${why}` });
    expect(await pruned(actions, contract)).toMatchObject({ action: 'delete' });
  });

  test('is kept with reasons that are redacted before they are truncated, so that no part of a secret remains', async () => {
    const redactor = createRedactor();
    redactor.add('token-of-ana-1234567890');
    const message = `${'x'.repeat(995)}token-of-ana-1234567890`;

    const item = await pruned([{ action: 'Delete', is_allowed: false, reasons: [{ message }] }], apaleo, {
      redactor,
    });

    expect(item?.reason).toBe(`not deleted: ${'x'.repeat(995)}[reda…`);
  });

  test.each([apaleo, contract])('is read once (case %#)', async (dialect) => {
    expect((await planned([], dialect)).reads).toEqual(['BER']);
  });

  test('has a digest without its actions, which change on their own', async () => {
    const [one, other] = await Promise.all([pruned([]), pruned([{ action: 'Reset', is_allowed: true }])]);

    expect(one?.seen).toBeDefined();
    expect(one?.seen).toBe(other?.seen);
  });
});

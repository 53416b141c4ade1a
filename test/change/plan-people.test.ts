import { describe, expect, test } from 'vitest';
import type { PlanOptions } from '../../src/change/listing.ts';
import { buildPlan } from '../../src/change/plan.ts';
import type { Entry } from '../../src/files/entry.ts';
import { entryOf, memoryOf, NOON, planOptions, type Stock, serviceOf } from './plan-service.ts';

const BER = { id: 'P-1', code: 'BER' };
const ANA = 'ana@example.com';
const ana = { subject_id: 's-1', email: 'Ana@Example.com', enabled: true, properties: ['P-1'] };

async function plan(entries: readonly Entry[], stock: Stock, more: Partial<PlanOptions> = {}) {
  const { api, reads } = serviceOf(stock);
  return { items: await buildPlan(entries, api, planOptions(more)), reads };
}

/** The plan for one entry at a service with one property. */
async function planOne(entry: Entry, stock: Stock, more: Partial<PlanOptions> = {}) {
  const { items } = await plan([entry], { properties: [BER], ...stock }, more);
  return items[0];
}

describe('an invitation', () => {
  const invite = (fields: object = {}) => entryOf('invitation', ANA, { role: 'Auditor', ...fields });

  test('for an unknown address is created, with property ids instead of codes', async () => {
    expect(await planOne(invite({ properties: ['ber', 'P-1'] }), {})).toMatchObject({
      action: 'create',
      body: { email: ANA, role: 'Auditor', properties: ['P-1'] },
    });
  });

  test.each([
    [{}, { role: 'Auditor', is_account_admin: false, properties: [] }],
    [{ properties: ['BER'] }, { roles: ['Auditor', 'FrontOffice'], properties: ['P-1'] }],
    [{ is_account_admin: true }, { role: 'Auditor', is_account_admin: true, properties: ['P-7'] }],
  ])('with %j is the same as a listed %j', async (fields, listed) => {
    const invitations = [{ email: 'ANA@example.com', ...listed }];

    expect(await planOne(invite(fields), { invitations })).toMatchObject({ action: 'same' });
  });

  test.each([
    [{}, { role: 'FrontOffice' }, 'role'],
    [{}, { role: 'Auditor', is_account_admin: true }, 'is_account_admin'],
    [{}, { role: 'Auditor', properties: ['P-1', 'P-2'] }, 'properties'],
    [{}, {}, 'role'],
    [{ properties: ['BER'] }, { role: 'Auditor', properties: [] }, 'properties'],
  ])('with %j conflicts with a listed %j', async (fields, listed, found) => {
    const invitations = [{ email: ANA, ...listed }];

    expect(await planOne(invite(fields), { invitations })).toMatchObject({
      action: 'conflict',
      reason: `is already invited, and differs in ${found}; withdraw it first`,
      steps: [],
    });
  });

  test('that a journal made and no entry has is withdrawn, unless an entry has the person as a user', async () => {
    const memory = memoryOf(
      { kind: 'invitation', name: ANA },
      { kind: 'invitation', name: 'ben@example.com', at: NOON - 900_000 },
    );
    const stock = { invitations: [{ email: ANA }] };
    const options = { memory, prune: true };

    expect((await plan([], stock, options)).items).toMatchObject([{ action: 'delete', name: ANA }]);
    const climbing = 'a@b/../../../../inventory/v1/properties/MUC';
    const tampered = { memory: memoryOf({ kind: 'invitation', name: climbing }), prune: true };
    expect((await plan([], { invitations: [{ email: climbing }] }, tampered)).items).toMatchObject([
      { action: 'conflict', reason: expect.stringMatching(/^not deleted: .* has a slash, backslash/) },
    ]);
    const later = { invitations: [{ email: ANA, created: '2026-04-22T12:00:00Z' }] };
    expect((await plan([], later, options)).items).toMatchObject([
      {
        action: 'conflict',
        name: ANA,
        reason:
          'not deleted: was created at 2026-04-22T12:00:00Z, not by the run of 2026-04-21T12:00:00.000Z (run-1)',
      },
    ]);
    expect((await plan([entryOf('user', ANA, { enabled: true })], stock, options)).items).toMatchObject([
      {
        kind: 'user',
        action: 'conflict',
        reason: 'is invited and has no user yet: has to accept the invitation first',
      },
    ]);
  });
});

describe('an invitation that a journal made recently and that no list shows', () => {
  const memory = memoryOf({ kind: 'invitation', name: ANA });
  const options = { memory, prune: true };

  test('is gone when the person has accepted it', async () => {
    expect((await plan([], { users: [ana] }, options)).items).toEqual([]);
  });
});

describe('a reference to a property', () => {
  const invite = (...properties: readonly string[]) => entryOf('invitation', ANA, { properties });

  test('without a match is a conflict', async () => {
    expect(await planOne(invite('BRE', 'P-1'), {})).toMatchObject({
      action: 'conflict',
      reason: 'no property has the id or code "BRE"',
    });
  });

  test('with two matches is a conflict', async () => {
    const properties = [
      BER,
      { id: 'BER', code: 'MUC' },
      { id: 'P-3', code: 'VIE' },
      { id: 'P-4', code: 'VIE' },
    ];

    expect(await planOne(invite('BER', 'VIE'), { properties })).toMatchObject({
      action: 'conflict',
      reason: '"BER" may mean BER or P-1; "VIE" may mean P-3 or P-4',
    });
  });

  test('to a property that is itself in conflict is a conflict', async () => {
    const entries = [entryOf('property', 'VIE'), invite('VIE')];

    expect((await plan(entries, { properties: [{ id: '..', code: 'VIE' }] })).items).toMatchObject([
      { action: 'conflict' },
      { action: 'conflict', reason: 'property "VIE" is in conflict itself' },
    ]);
  });
});

describe('a reference to a property that no list shows', () => {
  const access = (kind: 'user' | 'invitation', ...properties: readonly string[]) =>
    entryOf(kind, ANA, { properties });

  test('is accepted when the person already has it', async () => {
    const users = [{ ...ana, properties: ['P-1', 'P-9'] }];
    const invitations = [{ email: ANA, role: 'Auditor', properties: ['P-9'] }];

    expect(await planOne(access('user', 'BER', 'P-9'), { users })).toMatchObject({ action: 'same' });
    expect(await planOne(access('user', 'P-9'), { users })).toMatchObject({
      action: 'change',
      steps: [{ op: 'add', path: '/properties', value: ['P-9'] }],
    });
    expect(await planOne(access('invitation', 'P-9'), { invitations })).toMatchObject({ action: 'same' });
  });

  test('is a conflict for all other people, and where a code is equal', async () => {
    const ben = { subject_id: 's-2', email: 'ben@example.com', enabled: true, properties: ['P-9'] };
    const reason = 'no property has the id or code "P-9"';
    const entries = [entryOf('user', 'ben@example.com', { properties: ['P-9'] }), access('user', 'P-9')];

    expect((await plan(entries, { properties: [BER], users: [ana, ben] })).items).toMatchObject([
      { action: 'same' },
      { action: 'conflict', reason },
    ]);
    expect(
      await planOne(access('user', 'P-9'), {
        properties: [{ id: 'P-2', code: 'P-9' }],
        users: [{ ...ana, properties: ['P-9'] }],
      }),
    ).toMatchObject({ action: 'conflict', reason: '"P-9" may mean P-9 or P-2' });
  });
});

describe('a user', () => {
  const access = (fields: object) => entryOf('user', ANA, { ...fields });

  test('is read individually only where the list lacks a field', async () => {
    const entries = [access({ enabled: true, properties: ['BER'] })];
    const listed = { ...ana, properties: [{ id: 'P-1', roles: ['Auditor'] }] };

    expect(await plan(entries, { properties: [BER], users: [listed] })).toMatchObject({
      items: [{ action: 'same' }],
      reads: [],
    });
    const { enabled: _enabled, ...silent } = ana;
    expect(await plan(entries, { properties: [BER], users: [silent] })).toMatchObject({
      items: [{ action: 'change', changes: [{ field: 'enabled', from: undefined, to: true }] }],
      reads: ['s-1'],
    });
  });

  test('whose access is not set gets it', async () => {
    const users = [{ subject_id: 's-1', email: ANA }];

    expect(await planOne(access({ enabled: false, properties: ['BER'] }), { users })).toMatchObject({
      action: 'change',
      steps: [
        { op: 'replace', path: '/enabled', value: false },
        { op: 'add', path: '/properties', value: ['P-1'] },
      ],
    });
  });

  test('may be identified by the subject id', async () => {
    const byId = (id: string) => entryOf('user', id, { subject_id: id, enabled: true });

    expect(await planOne(byId('s-1'), { users: [ana] })).toMatchObject({ action: 'same', id: 's-1' });
    expect(await planOne(byId('s-2'), { users: [ana] })).toMatchObject({
      action: 'conflict',
      reason: 'there is no such user: invite the person first',
    });
  });

  test('who is missing or duplicate is a conflict', async () => {
    const entry = access({ enabled: true });

    expect(await planOne(entry, {})).toMatchObject({
      action: 'conflict',
      reason: 'there is no such user: invite the person first',
    });
    expect(await planOne(entry, { users: [ana, { ...ana, subject_id: 's-2' }] })).toMatchObject({
      action: 'conflict',
      reason: '2 users have this address: s-1, s-2; name the one by its subject_id',
    });
    expect(await planOne(entry, { users: [{ email: ANA, subject_id: 'a/b' }] })).toMatchObject({
      action: 'conflict',
      reason: 'the service lists the user with an unusable subject id',
    });
  });
});

test('the digest of a record changes with every change of the record', async () => {
  const entry = entryOf('user', ANA, { enabled: true });
  const seen = async (user: object) => (await planOne(entry, { users: [{ ...ana, ...user }] }))?.seen;

  expect(await seen({})).toMatch(/^[0-9a-f]{64}$/);
  expect(await seen({ first_name: 'Ana' })).not.toBe(await seen({}));
});
